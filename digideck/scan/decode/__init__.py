"""Bars in a picture into the codes that they say."""
