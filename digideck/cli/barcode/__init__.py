"""The commands of ``digideck barcode``."""
