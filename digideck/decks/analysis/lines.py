"""Evolution lines: what in a deck can evolve from what, and what never comes into play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from digideck.catalog.cards import Card
from digideck.catalog.evolution import Evolution, Tristate
from digideck.core.results import json_field
from digideck.decks.matched_deck import MatchedDeck
from digideck.schema.games.evolution_grammar import Need, Way

_EVOLVING = ("Digimon", "Digi-Egg")


@dataclass(frozen=True)
class LineCard:
    """A card of a deck. ``playable`` says whether it can come into play ("yes", "no",
    "unknown"), ``reason`` why it cannot, or why that is not known.
    """

    card: str
    name: str
    level: str | None
    count: int
    playable: str
    reason: str | None
    evolves_from: tuple[str, ...]
    title: str = json_field(None, default="")
    evolves: bool = json_field(None, default=True)


@dataclass(frozen=True, kw_only=True)
class LineStep:
    """One card can evolve into another; ``lacking`` are needs that the deck does not meet."""

    source: str = json_field("from")
    target: str = json_field("to")
    way: str
    kind: str | None
    lacking: tuple[str, ...]


@dataclass(frozen=True)
class DeckLines:
    """The cards of a deck, lowest level first, and the steps between them."""

    file: str
    cards: tuple[LineCard, ...]
    steps: tuple[LineStep, ...]

    @property
    def best_steps(self) -> list[LineStep]:
        """Of several ways from one card to another that which lacks the least."""
        best: dict[tuple[str, str], LineStep] = {}
        for step in self.steps:
            old = best.get((step.source, step.target))
            if old is None or len(step.lacking) < len(old.lacking):
                best[step.source, step.target] = step
        return list(best.values())

    def tree(self) -> Iterator[str]:
        """The lines as a text tree. A branch that was drawn before is only named."""
        titles = {
            card.card: f"{card.count} {card.title}, {card.level or 'level unknown'}"
            for card in self.cards
        }
        below: dict[str, list[LineStep]] = {}
        for step in self.best_steps:
            below.setdefault(step.source, []).append(step)
        drawn: set[str] = set()

        def branches(source: str, indent: str) -> Iterator[str]:
            drawn.add(source)
            steps = below.get(source, [])
            for step in steps:
                last = step is steps[-1]
                again = step.target in drawn and step.target in below
                lacking = f"  (lacks {', '.join(step.lacking)})" if step.lacking else ""
                mark = "  (as above)" if again else ""
                branch = "└─ " if last else "├─ "
                yield f"{indent}{branch}{titles[step.target]}{lacking}{mark}"
                if not again:
                    yield from branches(step.target, indent + ("   " if last else "│  "))

        targets = {step.target for step in self.steps}
        for root in self.cards:
            if root.evolves and root.card not in targets:
                yield titles[root.card]
                yield from branches(root.card, "")

    def mermaid(self) -> Iterator[str]:
        """The lines as a Mermaid flowchart."""
        yield "flowchart LR"
        for name, label in self._nodes():
            yield f'    {name}["{label}"]'
        for source, target, step in self._arrows():
            yield f"    {source} {'-.->' if step.lacking else '-->'} {target}"

    def dot(self) -> Iterator[str]:
        """The lines in Graphviz' language."""
        yield "digraph deck {"
        yield "    rankdir=LR; node [shape=box];"
        for name, label in self._nodes():
            yield f'    {name} [label="{label}"];'
        for source, target, step in self._arrows():
            yield f"    {source} -> {target}{' [style=dashed]' if step.lacking else ''};"
        yield "}"

    def _nodes(self) -> Iterator[tuple[str, str]]:
        for place, card in enumerate(self.cards):
            if card.evolves:
                label = f"{card.count} x {card.title}"
                yield f"n{place}", label.replace("\\", "").replace('"', "'")

    def _arrows(self) -> Iterator[tuple[str, str, LineStep]]:
        names = {card.card: f"n{place}" for place, card in enumerate(self.cards)}
        for step in self.best_steps:
            yield names[step.source], names[step.target], step


def evolution_lines(deck: MatchedDeck) -> DeckLines:
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
    tracer = _Tracer(ordered, Evolution(deck.game))
    return DeckLines(deck.deck.file, tuple(tracer.cards_of(counts)), tuple(tracer.steps()))


class _Tracer:
    def __init__(self, cards: list[Card], evolution: Evolution) -> None:
        self.cards = cards
        self.evolution = evolution
        self.playable = [self._at_start(card) for card in cards]
        while self._raise_once():
            pass

    def cards_of(self, counts: dict[int, int]) -> Iterator[LineCard]:
        for place, card in enumerate(self.cards):
            yield LineCard(
                card.key,
                card.name,
                card.level,
                counts[card.id],
                self.playable[place].name.lower(),
                self._reason(place),
                tuple(way.text for way in self.evolution.ways(card)),
                card.title,
                card.kind in _EVOLVING,
            )

    def steps(self) -> Iterator[LineStep]:
        for target, card in enumerate(self.cards):
            for way in self.evolution.ways(card):
                for source, lower in enumerate(self.cards):
                    if source != target and lower.kind in _EVOLVING:
                        yield from self._step(lower, card, way)

    def _step(self, lower: Card, card: Card, way: Way) -> Iterator[LineStep]:
        for place, need in enumerate(way.needs):
            if self.evolution.meets(lower, need) is Tristate.YES:
                rest = (*way.needs[:place], *way.needs[place + 1 :])
                lacking = tuple(other.text for other in rest if self._met(other) is Tristate.NO)
                yield LineStep(
                    source=lower.key, target=card.key, way=way.text, kind=way.kind, lacking=lacking
                )
                return

    def _at_start(self, card: Card) -> Tristate:
        """What is known of a card before any evolution: a lower bound to raise."""
        if card.kind not in _EVOLVING or self.evolution.words.get("start") == "all":
            return Tristate.YES
        if card.level in self.evolution.start_levels:
            return Tristate.YES
        no_data = card.level is None or not self.evolution.ways(card)
        return Tristate.UNKNOWN if no_data else Tristate.NO

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

    def _reason(self, place: int) -> str | None:
        card = self.cards[place]
        if self.playable[place] is Tristate.YES:
            return None
        ways = self.evolution.ways(card)
        if not ways:
            return "what it evolves from is not known"
        if self.playable[place] is Tristate.UNKNOWN:
            unmet = [
                need.text
                for way in ways
                for need in way.needs
                if self._met(need) is Tristate.UNKNOWN
            ]
            return f"cannot tell: {'; '.join(dict.fromkeys(unmet)) or 'its level is not known'}"
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
