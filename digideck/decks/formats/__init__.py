"""Deck files of other programs: one file a format, and the table of all of them (`registry`)."""
