"""Codes and their cards: linked, kept, shared, printed."""
