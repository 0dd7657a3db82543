"""Links and reads in the database, and links as text."""
