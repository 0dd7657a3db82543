"""Deck files into lines of count, card and zone."""
