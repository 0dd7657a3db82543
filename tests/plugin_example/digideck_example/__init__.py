"""What another package can add to digideck."""
