"""Figures about digideck, printed for people to judge; nothing here passes or fails."""
