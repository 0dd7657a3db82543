"""What the YAML file of a game says: its cards, its drawing rules, its figures."""
