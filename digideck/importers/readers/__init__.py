"""One reader for each kind of source: its rows, each with its line."""
