"""The only door to users' files: what is read, in which encoding, and what is written."""
