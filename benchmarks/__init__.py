"""Figures, never pass or fail. Each prints the bare run beside what it measures."""
