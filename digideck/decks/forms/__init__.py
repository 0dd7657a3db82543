"""The forms of deck files: one file a form, and the table of all of them (`table`)."""
