"""Deck files: judged, shown, compared, converted, held against the collection."""
