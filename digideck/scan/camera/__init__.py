"""Cards held before a camera."""
