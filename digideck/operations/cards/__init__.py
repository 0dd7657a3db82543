"""Cards, sets and formats: imported, found, shown."""
