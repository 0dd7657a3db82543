"""The commands of ``digideck deck``."""
