"""Picture files and folders of them, opened within bounds."""
