"""The commands of ``digideck scan``."""
