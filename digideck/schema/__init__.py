"""Records, names, numbers, problems and the only door to the database."""
