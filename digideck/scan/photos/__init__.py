"""Many photos read by worker processes, each result kept."""
