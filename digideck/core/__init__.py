"""What every room stands on: problems, names, numbers, text, strict YAML, worker processes."""
