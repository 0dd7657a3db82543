"""What is owned: the ledger, what it adds up to, wants, files in and out."""
