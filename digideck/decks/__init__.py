"""Deck files in and out, the formats' rule files, and judging one by the other."""
