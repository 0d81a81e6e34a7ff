"""A guard and its alignment model over HTTP, for other programs and other guards."""
