"""Results as text, tables and JSON."""
