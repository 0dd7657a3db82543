"""The commands of ``digideck collection``."""
