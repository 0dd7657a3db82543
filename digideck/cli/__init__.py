"""The command line: one small file a command, each parsing, calling one function, printing."""
