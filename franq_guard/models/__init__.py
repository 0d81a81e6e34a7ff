"""Everything that holds weights, behind two small protocols (`base`)."""
