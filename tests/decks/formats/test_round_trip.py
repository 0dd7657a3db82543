"""Reading what was written gives the same deck: every card, every form that writes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.catalog.cards import Card, CardIndex
from digideck.catalog.mention_text import clean
from digideck.core.problems import InputError, Severity
from digideck.decks.formats.convert import convert, fill
from digideck.decks.formats.deck_file_format import EDITIONS, VARIANTS, DeckFileFormat
from digideck.decks.formats.registry import DECK_FILE_FORMATS, form_of
from digideck.decks.model import MAIN, MOST_CARDS, Deck, DeckLine, DeckVocabulary
from digideck.decks.parse.text_deck import numbered_line

GAMES = ["alpha", "dccg", "dcg", "digi-battle", "hyper-colosseum"]
A_DECK = 40  # different cards
WRITERS = [code for code, form in DECK_FILE_FORMATS.items() if form.write]
# What these two codes can spell; everything else must be refused by them.
SPELT = {
    "deck-code": re.compile(r"[0-9A-Z]{1,4}-[0-9]{2,3}"),
    "digimonmeta-code": re.compile(r"[A-Z]{1,4}[0-9]{0,2}-[0-9]{1,4}"),
}


@cache
def cards_of(index: CardIndex, game: str) -> list[Card]:
    rows = index.connection.execute(
        "SELECT id FROM card WHERE game = ? ORDER BY number_sort, edition", (game,)
    )
    return index.by_ids(row[0] for row in rows)


def fits(card: Card, form: DeckFileFormat) -> bool:
    """Whether the form is able to hold the card at all."""
    spelt = SPELT.get(form.code)
    if spelt and not spelt.fullmatch(card.number):
        return False
    return not (card.edition and EDITIONS in form.lacks)


def content(deck: Deck, index: CardIndex, game: str) -> Counter[tuple[object, ...]]:
    """How many of each card, printing and zone, however they are put on lines."""
    found: Counter[tuple[object, ...]] = Counter()
    for line in deck.lines:
        entry = fill(line, index, game)
        card = entry.card.key if entry.card else (entry.line.number, entry.line.name)
        found[card, entry.line.zone, entry.line.variant] += line.count
    return found


def in_decks(cards: Iterable[Card], form: DeckFileFormat) -> Iterator[list[Card]]:
    """The cards in as many decks as it takes; the deck code holds seven eggs at most."""
    deck: list[Card] = []
    eggs = 0
    for card in cards:
        egg = card.kind == "Digi-Egg"
        if len(deck) == A_DECK or (form.code == "deck-code" and egg and eggs == 7):
            yield deck
            deck, eggs = [], 0
        deck.append(card)
        eggs += egg
    if deck:
        yield deck


def written(
    deck: Deck, form: DeckFileFormat, index: CardIndex, words: DeckVocabulary, game: str
) -> Any:
    done = convert(deck, form, index, words, game)
    found = form_of(done.text, "deck")
    assert found.read is form.read or found.code in ("text", "yaml"), "recognised as its own form"
    assert found.code == form.code or form.game, done.text[:200]
    back = found.read(done.text, "deck", words)
    assert [p for p in back.problems if p.severity is Severity.ERROR] == []
    return done, back


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("code", WRITERS)
def test_every_card(code: str, game: str, index: CardIndex, words: DeckVocabulary) -> None:
    form = DECK_FILE_FORMATS[code]
    cards = cards_of(index, game)
    assert cards
    tried = 0
    for chosen in in_decks((card for card in cards if fits(card, form)), form):
        lines = tuple(
            numbered_line(place % 4 + 1, card.full_number, words)
            for place, card in enumerate(chosen)
        )
        deck = Deck("deck", lines)
        _, back = written(deck, form, index, words, game)
        assert content(back, index, game) == content(deck, index, game)
        tried += len(chosen)
    refused = [card for card in cards if not fits(card, form)]
    assert tried + len(refused) == len(cards)
    if refused:
        lines = tuple(numbered_line(1, card.full_number, words) for card in refused)
        with pytest.raises(InputError) as error:
            convert(Deck("deck", lines), form, index, words, game)
        said = " ".join(problem.message for problem in error.value.problems)
        assert all(card.number in said for card in refused)


NAMES_IN_A_DECK = MOST_CARDS * 4 // (1 + 2 + 3 + 4)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(
    "code", [code for code in WRITERS if not DECK_FILE_FORMATS[code].needs_number]
)
def test_every_name_without_its_number(
    code: str, game: str, index: CardIndex, words: DeckVocabulary
) -> None:
    """Names that look like numbers, counts or details mean the same cards afterwards."""
    form = DECK_FILE_FORMATS[code]
    names = sorted({name.text for card in cards_of(index, game) for name in card.names})
    lines = tuple(
        DeckLine(place % 4 + 1, clean(name), name=clean(name)) for place, name in enumerate(names)
    )
    for start in range(0, len(lines), NAMES_IN_A_DECK):
        deck = Deck("deck", lines[start : start + NAMES_IN_A_DECK])
        _, back = written(deck, form, index, words, game)
        assert meant(back, index, game) == meant(deck, index, game)
        assert () not in meant(deck, index, game)


def meant(deck: Deck, index: CardIndex, game: str) -> Counter[tuple[str, ...]]:
    """How many copies there are of what can be each set of cards."""
    found: Counter[tuple[str, ...]] = Counter()
    for line in deck.lines:
        found[tuple(sorted(card.key for card in fill(line, index, game).found))] += line.count
    return found


@st.composite
def lines_of(
    draw: st.DrawFn, cards: list[Card], words: DeckVocabulary, form: DeckFileFormat
) -> list[DeckLine]:
    """Lines with any count, zone and printing; zones and printings only where the game has them."""
    chosen = draw(st.lists(st.sampled_from(cards), min_size=1, max_size=12, unique=True))
    game = words.games[chosen[0].game]
    lines = []
    eggs = 0
    for card in chosen:
        eggs += card.kind == "Digi-Egg"
        if eggs > 7 and form.code == "deck-code":
            break
        mark = draw(st.sampled_from(["", "_P1", "_P7"])) if game.numbers.variants else ""
        zone = draw(st.sampled_from([MAIN, "side"]))
        lines.append(
            numbered_line(
                draw(st.integers(1, 99)),
                f"{card.number}{mark}" + (f"@{card.edition}" if card.edition else ""),
                words,
                zone=zone,
            )
        )
    return lines


details = st.dictionaries(
    st.sampled_from(["name", "author", "comment", "tags"]),
    (
        st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), max_size=60) | st.just("null")
    ).map(lambda text: " ".join(text.split())),
)


@pytest.mark.parametrize("code", WRITERS)
@settings(max_examples=40)
@given(data=st.data())
def test_any_counts_zones_printings_and_details(
    code: str, data: st.DataObject, index: CardIndex, words: DeckVocabulary
) -> None:
    form = DECK_FILE_FORMATS[code]
    game = data.draw(st.sampled_from(GAMES))
    cards = [card for card in cards_of(index, game) if fits(card, form)]
    if not cards:
        return
    lines = data.draw(lines_of(cards, words, form))
    deck = Deck("deck", tuple(lines), details=data.draw(details))
    done, back = written(deck, form, index, words, game)
    said = {problem.code for problem in done.problems}

    expected: Counter[tuple[object, ...]] = Counter()
    for (card, zone, variant), count in content(deck, index, game).items():
        kind = next(found.kind for found in cards if found.key == card)
        own = words.games[game].zone_of_kind.get(kind or "", MAIN)
        kept = zone if form.zones is None or zone in form.zones else own
        expected[card, kept, None if VARIANTS in form.lacks else variant] += count
        assert kept == zone or "zones-lost" in said
        assert variant is None or VARIANTS not in form.lacks or "variants-lost" in said
    assert content(back, index, game) == expected

    for key, value in deck.details.items():
        if value and form.details is not None and key not in form.details:
            assert "metadata-lost" in said
        elif value and "name-cut" not in said:
            assert back.details[key] == value
