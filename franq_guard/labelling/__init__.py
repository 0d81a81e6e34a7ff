"""Labelling claims: what is shown, where labels are kept, the local web page, and agreement."""
