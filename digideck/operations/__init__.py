"""What a user can have done: one function for each, typed values in, a frozen result out.

The command line, a notebook and a page in the browser call the same ones.
"""
