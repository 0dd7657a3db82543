"""Cards, decks and collections of the Digimon card games."""

__version__ = "0.1.0"
