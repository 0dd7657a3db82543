"""The commands of ``digideck db``."""
