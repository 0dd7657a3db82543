"""Bars that nothing reads, compared with the codes that are known."""
