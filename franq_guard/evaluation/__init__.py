"""Measuring how good the scores are."""
