"""Cards, decks and collections of the Digimon card games."""

__version__ = "1.0.0"
