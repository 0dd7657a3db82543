"""Pictures to codes: opening picture files, locating bars, reading them, confirming reads."""
