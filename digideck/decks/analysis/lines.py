"""Evolution lines: what in a deck can evolve from what, and what never comes into play."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from digideck.catalog.cards import Card
from digideck.catalog.evolution import Evolution, Tristate
from digideck.decks.matched_deck import MatchedDeck
from digideck.schema.games.evolution_grammar import Need, Way


@dataclass(frozen=True)
class LineMember:
    """A card of the deck with its copies and whether it can come into play.

    ``ways`` are the alternatives on it; ``reason`` says why it cannot, or why
    that is not known.
    """

    card: Card
    count: int
    ways: tuple[Way, ...]
    playable: Tristate
    reason: str


@dataclass(frozen=True)
class EvolutionStep:
    """``target`` can evolve from ``source``; ``lacking`` are needs the deck does not meet."""

    source: int
    target: int
    way: Way
    lacking: tuple[str, ...]


@dataclass(frozen=True)
class EvolutionLines:
    """The members of a deck, lowest level first, and the steps between them (by index)."""

    members: tuple[LineMember, ...]
    steps: tuple[EvolutionStep, ...]

    def roots(self) -> list[int]:
        """The Digimon that evolve from nothing in the deck."""
        targets = {step.target for step in self.steps}
        return [
            place
            for place, member in enumerate(self.members)
            if member.card.kind in ("Digimon", "Digi-Egg") and place not in targets
        ]


def evolution_lines(deck: MatchedDeck, evolution: Evolution) -> EvolutionLines:
    """The lines of ``deck``. A line of it that can mean several cards counts as the first."""
    counts: dict[int, int] = {}
    cards: dict[int, Card] = {}
    for entry in deck.played:
        if entry.candidates:
            card = entry.candidates[0]
            cards[card.id] = card
            counts[card.id] = counts.get(card.id, 0) + entry.count
    levels = {level: place for place, level in enumerate(deck.game.levels)}
    ordered = sorted(cards.values(), key=lambda card: (levels.get(card.level or "", 99), card.name))
    return _Lines(ordered, counts, evolution).result()


class _Lines:
    def __init__(self, cards: list[Card], counts: dict[int, int], evolution: Evolution) -> None:
        self.cards = cards
        self.counts = counts
        self.evolution = evolution
        self.playable = [self._at_start(card) for card in cards]

    def _at_start(self, card: Card) -> Tristate:
        """What is known of a card before any evolution: a lower bound to raise."""
        if card.kind not in ("Digimon", "Digi-Egg") or self.evolution.words.get("start") == "all":
            return Tristate.YES
        if card.level in self.evolution.start_levels:
            return Tristate.YES
        no_data = card.level is None or not self.evolution.ways(card)
        return Tristate.UNKNOWN if no_data else Tristate.NO

    def result(self) -> EvolutionLines:
        while self._raise_once():
            pass
        members = tuple(
            LineMember(
                card,
                self.counts[card.id],
                self.evolution.ways(card),
                self.playable[place],
                self._reason(place),
            )
            for place, card in enumerate(self.cards)
        )
        return EvolutionLines(members, tuple(self._steps()))

    def _raise_once(self) -> bool:
        changed = False
        for place, card in enumerate(self.cards):
            if self.playable[place] is not Tristate.YES:
                best = max(
                    (self._way_open(way) for way in self.evolution.ways(card)),
                    default=self.playable[place],
                )
                if best > self.playable[place]:
                    self.playable[place] = best
                    changed = True
        return changed

    def _way_open(self, way: Way) -> Tristate:
        return min((self._met(need) for need in way.needs), default=Tristate.YES)

    def _met(self, need: Need) -> Tristate:
        """Whether the deck can bring what is needed into play."""
        if need.cost:
            return Tristate.YES
        if need.phrase:
            return Tristate.UNKNOWN
        answers = (
            min(self.evolution.meets(card, need), self.playable[place])
            for place, card in enumerate(self.cards)
        )
        return max(answers, default=Tristate.NO)

    def _reason(self, place: int) -> str:
        card = self.cards[place]
        if self.playable[place] is Tristate.YES:
            return ""
        ways = self.evolution.ways(card)
        if not ways:
            return "what it evolves from is not known"
        if self.playable[place] is Tristate.UNKNOWN:
            told = [
                need.text
                for way in ways
                for need in way.needs
                if self._met(need) is Tristate.UNKNOWN
            ]
            return f"cannot tell: {'; '.join(dict.fromkeys(told)) or 'its level is not known'}"
        needed = f"needs {' or '.join(way.text for way in ways)}"
        stuck = [
            other.name
            for place, other in enumerate(self.cards)
            if self.playable[place] is Tristate.NO
            and any(
                self.evolution.meets(other, need) is Tristate.YES
                for way in ways
                for need in way.needs
            )
        ]
        names = list(dict.fromkeys(stuck))
        here = "is here but does" if len(names) == 1 else "are here but do"
        return f"{needed} ({', '.join(names)} {here} not come into play)" if names else needed

    def _steps(self) -> Iterator[EvolutionStep]:
        for target, card in enumerate(self.cards):
            for way in self.evolution.ways(card):
                for source, lower in enumerate(self.cards):
                    if source != target and lower.kind in ("Digimon", "Digi-Egg"):
                        yield from self._step(source, target, way)

    def _step(self, source: int, target: int, way: Way) -> Iterator[EvolutionStep]:
        lower = self.cards[source]
        for place, need in enumerate(way.needs):
            if self.evolution.meets(lower, need) is Tristate.YES:
                rest = (*way.needs[:place], *way.needs[place + 1 :])
                lacking = tuple(other.text for other in rest if self._met(other) is Tristate.NO)
                yield EvolutionStep(source, target, way, lacking)
                return


def tree(lines: EvolutionLines) -> Iterator[str]:
    """The lines as a text tree. A branch that was drawn before is only named."""
    below: dict[int, list[EvolutionStep]] = {}
    for step in lines.steps:
        chosen = below.setdefault(step.source, [])
        known = next((place for place, old in enumerate(chosen) if old.target == step.target), None)
        if known is None:
            chosen.append(step)
        elif len(step.lacking) < len(chosen[known].lacking):
            chosen[known] = step
    drawn: set[int] = set()
    for root in lines.roots():
        yield _title(lines.members[root])
        drawn.add(root)
        yield from _branches(lines, below, root, "", drawn)


def _branches(
    lines: EvolutionLines,
    below: dict[int, list[EvolutionStep]],
    source: int,
    indent: str,
    drawn: set[int],
) -> Iterator[str]:
    steps = below.get(source, [])
    for place, step in enumerate(steps):
        last = place == len(steps) - 1
        again = step.target in drawn and bool(below.get(step.target))
        lacking = f"  (lacks {', '.join(step.lacking)})" if step.lacking else ""
        mark = "  (as above)" if again else ""
        branch = "└─ " if last else "├─ "
        yield f"{indent}{branch}{_title(lines.members[step.target])}{lacking}{mark}"
        if not again:
            drawn.add(step.target)
            yield from _branches(
                lines, below, step.target, indent + ("   " if last else "│  "), drawn
            )


def _title(member: LineMember) -> str:
    card = member.card
    return f"{member.count} {card.title}, {card.level or 'level unknown'}"


def mermaid(lines: EvolutionLines) -> Iterator[str]:
    """The lines as a Mermaid flowchart."""
    yield "flowchart LR"
    for place, label in _nodes(lines):
        yield f'    n{place}["{label}"]'
    for step in _arrows(lines):
        arrow = "-.->" if step.lacking else "-->"
        yield f"    n{step.source} {arrow} n{step.target}"


def graphviz(lines: EvolutionLines) -> Iterator[str]:
    """The lines in Graphviz' dot language."""
    yield "digraph deck {"
    yield "    rankdir=LR; node [shape=box];"
    for place, label in _nodes(lines):
        yield f'    n{place} [label="{label}"];'
    for step in _arrows(lines):
        style = " [style=dashed]" if step.lacking else ""
        yield f"    n{step.source} -> n{step.target}{style};"
    yield "}"


def _nodes(lines: EvolutionLines) -> Iterator[tuple[int, str]]:
    for place, member in enumerate(lines.members):
        if member.card.kind in ("Digimon", "Digi-Egg"):
            label = f"{member.count} x {member.card.title}"
            yield place, label.replace("\\", "").replace('"', "'")


def _arrows(lines: EvolutionLines) -> Sequence[EvolutionStep]:
    best: dict[tuple[int, int], EvolutionStep] = {}
    for step in lines.steps:
        old = best.get((step.source, step.target))
        if old is None or len(step.lacking) < len(old.lacking):
            best[step.source, step.target] = step
    return list(best.values())
