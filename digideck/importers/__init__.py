"""Set lists and card lists from files: rows, then a plan, then one transaction."""
