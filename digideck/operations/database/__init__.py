"""The database file and the installation: looked at, kept, brought elsewhere."""
