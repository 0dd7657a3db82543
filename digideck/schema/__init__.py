"""The only door to the database file: its tables, what ships, what is the user's, upkeep."""
