"""One sink a file; each imports its library when it is made."""
