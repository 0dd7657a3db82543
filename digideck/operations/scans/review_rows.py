"""What a review of scans gives back: what waits, what was answered, what was entered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from digideck.catalog.cards import Card
from digideck.core.results import Answer, Result, answer_of, json_field
from digideck.operations.barcodes.share_links import NewLink
from digideck.operations.collection.holding_rows import WrittenChange
from digideck.operations.scans.scan_rows import shown_similarity
from digideck.scan.match.profile_drawing import shaded
from digideck.scan.store.read_store import WAITING, StoredRead, WaitingCode


@dataclass(frozen=True, slots=True)
class ProposedMatch:
    """Bars that were matched to a code, and the picture they are in."""

    read: StoredRead
    path: str

    @property
    def shown(self) -> str:
        """The code and how sure the match is, for people."""
        return f"{self.read.code.short}  {shown_similarity(self.read.similarity, self.read.margin)}"

    @property
    def shaded(self) -> list[str]:
        """What was photographed and what the code looks like, as two lines of text."""
        return shaded(self.read.drawing or b"")


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """A code whose reads wait for its card; ``paths`` has a picture once for each read."""

    code: str
    kind: str
    payload: str
    reads: int
    files: tuple[str, ...]
    paths: tuple[str, ...] = json_field(None)
    shown: str = json_field(None)


@dataclass(frozen=True, slots=True)
class MatchRow:
    """A match that is neither entered nor refused."""

    code: str
    cards: tuple[str, ...]
    status: str
    similarity: float | None = json_field("likeness")
    margin: float | None = json_field("margin")
    weakest: float | None = json_field("weakest")
    file: str = json_field("file")
    titles: str = json_field(None)
    code_shown: str = json_field(None)

    @property
    def confirmed(self) -> bool:
        """Whether it is confirmed, and not only proposed."""
        return self.status == WAITING

    @property
    def shown(self) -> str:
        """For people."""
        what = "confirmed" if self.confirmed else "proposed"
        scores = shown_similarity(self.similarity, self.margin)
        return f"{self.code_shown}  {what} for {self.file}: {self.titles}, {scores}"


@dataclass(frozen=True, slots=True)
class AnsweredMatch:
    """A match and the card it is of; of a refused one the card that it was matched to."""

    code: str
    card: str | None
    file: str


@dataclass(frozen=True, slots=True)
class ReviewedScans(Result):
    """What was answered, what was entered, and what waits still.

    ``repeated`` lines told what was so before; ``entering``: whether something was to be
    entered; ``idle``: nothing waited and no line was given.
    """

    waiting: tuple[WaitingRow, ...]
    proposed: tuple[MatchRow, ...]
    linked: tuple[NewLink, ...]
    agreed: tuple[AnsweredMatch, ...]
    refused: tuple[AnsweredMatch, ...]
    dismissed: tuple[str, ...]
    batch: int | None
    changes: tuple[WrittenChange, ...]
    repeated: int = json_field(None)
    entering: bool = json_field(None)
    idle: bool = json_field(None)

    @property
    def answer(self) -> Answer:
        """No where nothing waits; unusable or undecided where a line is."""
        return Answer.NO if self.idle else answer_of(self.problems)


def waiting_row(entry: WaitingCode) -> WaitingRow:
    """A code that waits, as a row."""
    code = entry.code
    return WaitingRow(
        code.written,
        code.kind,
        code.payload,
        len(entry.read_ids),
        tuple(dict.fromkeys(entry.paths)),
        tuple(entry.paths),
        code.short,
    )


def match_row(match: ProposedMatch, cards: Sequence[Card]) -> MatchRow:
    """A match and the cards of its code, as a row."""
    read = match.read
    return MatchRow(
        read.code.written,
        tuple(card.key for card in cards),
        read.status,
        read.similarity,
        read.margin,
        read.weakest,
        match.path,
        " or ".join(card.title for card in cards) or "no card any more",
        read.code.short,
    )
