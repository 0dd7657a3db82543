"""Barcodes in pictures and before a camera: read, answered, entered."""
