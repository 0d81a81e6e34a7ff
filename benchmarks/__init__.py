"""Speed and quality, against named peers and measured limits."""
