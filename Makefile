# Each target is one line that also works where there is no make.
PYTHON ?= python3

.PHONY: demo test newest lint docs wheel

demo:
	$(PYTHON) dev.py demo

test:
	$(PYTHON) dev.py test

newest:
	$(PYTHON) dev.py newest

lint:
	$(PYTHON) dev.py lint

docs:
	$(PYTHON) dev.py docs

wheel:
	$(PYTHON) dev.py wheel
