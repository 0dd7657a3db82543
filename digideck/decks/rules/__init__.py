"""Formats as rule files, the checks that they name, and the verdict."""
