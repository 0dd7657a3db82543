"""What a part tried and what it found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

KINDS = (
    "lost", "half-written", "unverifiable", "left behind", "failed without cause",
    "traceback", "slow", "large",
)  # fmt: skip


@dataclass(frozen=True)
class Finding:
    """One thing that gave way: ``how`` is enough to see it again."""

    kind: str
    subject: str
    how: str


@dataclass
class Figures:
    """How often each subject was tried, how many were killed while they ran, what was found.

    ``skipped`` says why the part could not run here, else it is empty.
    """

    part: str
    tried: Counter[str] = field(default_factory=Counter)
    running: int = 0
    findings: list[Finding] = field(default_factory=list)
    skipped: str = ""

    def found(self, kind: str, subject: str, how: str) -> None:
        """Add a finding."""
        self.findings.append(Finding(kind, subject, how))

    def lines(self) -> list[str]:
        """The part in figures, then by subject, then each kind of finding on each subject once."""
        if self.skipped:
            return [f"{self.part}: skipped: {self.skipped}"]
        kinds = Counter(finding.kind for finding in self.findings)
        names = [*KINDS, *sorted(set(kinds) - set(KINDS))]
        figures = [f"{self.part}: tried {sum(self.tried.values()):,}"]
        if self.running:
            figures.append(f"killed while running {self.running:,}")
        figures += [
            f"{name} {kinds[name]:,}" for name in names if name in kinds or name in KINDS[:5]
        ]
        lines = [", ".join(figures)]
        lines.append("  " + ", ".join(f"{name} {count:,}" for name, count in self.tried.items()))
        alike = Counter((finding.kind, finding.subject) for finding in self.findings)
        for (kind, subject), count in alike.most_common():
            first = next(f for f in self.findings if (f.kind, f.subject) == (kind, subject))
            lines.append(f"  {kind}: {subject} ({count} times), first: {first.how}")
        return lines
