"""Breaks things on purpose: kills, power cuts, races, full disks, inputs made to do harm.

python -m benchmarks.torture [PART...] [--minutes N] [--seed S] [--all]

Each part is a module with ``run(seconds, seed) -> Figures``. What it starts are real
processes on databases of its own; a seed gives the same cases in the same order, though
not the same microsecond.
"""
