"""What is owned and wanted: changed, listed, moved in and out of files."""
