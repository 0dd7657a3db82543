"""Labels for cards without a barcode: sheets, what is drawn on them, PDF and SVG."""
