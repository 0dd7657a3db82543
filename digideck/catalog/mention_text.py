"""Reading what people write for a card: count, number, name, edition, set and game.

Nothing is looked up here; what number, edition and game look like is the games' own.
"""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from digideck.catalog.mentions import BRACKETS, CardVocabulary, Mention
from digideck.core.names import search_key
from digideck.core.numbers import edition_key, plain
from digideck.core.text import one_width

_TABS = re.compile(r"\s*\t\s*")
_SPACES = re.compile(r"[^\S\t]+")
_X = "[xX×✕]"
_N = "([-+]?[0-9]+)"
_OPEN, _CLOSE = r"[(\[{<【]", r"[)\]}>】]"
_COUNT_FIRST = re.compile(
    rf"""{_N}\s*[xX×✕*]\s+ | {_N}[x×](?=[A-Z]|[^\x00-\x7f]) | {_X}([0-9]+)\s+ | {_N}(?:\s+|$)
       | {_OPEN}{_X}?([0-9]{{1,3}}){_X}?{_CLOSE}\s* | {_N}\s*枚\s*""",
    re.VERBOSE,
)
_COUNT_LAST = re.compile(
    rf"""(?: \s+{_X}\s*{_N} | \s+{_N}{_X} | \s*[×✕]\s*{_N}
           | (?<=[^\x00-\x7f]){_X}{_N}  # アグモンx3, written without a space
           | \s*{_OPEN}{_X}?\s*([0-9]{{1,3}}){_X}?{_CLOSE}
           | \s*{_X}?\s*{_N}\s*枚 | \s+\*\s*{_N} )$""",
    re.VERBOSE,
)
_BARE_COUNT_LAST = re.compile(r"\s+([-+]?[0-9]+)$")
_LOOSE_X = re.compile(r"[0-9]+ ([xX] )[^ ].*|.*[^ ]( [xX]) [0-9]+")
_BRACKETED = rf"{_OPEN}\s*[-+]?[x×]?[0-9]+[x×]?\s*{_CLOSE}"  # (X99) may be a number
_COUNT_AT_END = re.compile(rf"^{_BRACKETED}|{_BRACKETED}$")
_COUNT_FIELD = re.compile(rf"{_X}?([-+]?[0-9]+)\s*[xX×✕枚]?")
_NUMBER_LIKE = re.compile(r"[A-Za-zα.]{1,6}[0-9]{0,2}-[0-9]{1,4}[A-Za-z]{0,3}")
# Marks of a finish, between stars or in brackets, in lists of many programs.
FINISHES = {"f": "foil", "foil": "foil", "holo": "foil", "e": "etched", "etched": "etched"}
_MARKED = re.compile(r"\*([A-Za-z]+)\*|\[([A-Za-z]{2,})\]|\(([A-Za-z]{2,})\)")
_VARIATIONS = frozenset(map(chr, range(0xFE00, 0xFE10)))  # how a character is to look


def clean(raw: str) -> str:
    """``raw`` in one spelling of spaces, digits and brackets, control characters gone."""
    if not (raw.isascii() and raw.isprintable()):
        text = one_width(raw)
        raw = "".join(
            char
            for char in text
            if char == "\t"
            or (unicodedata.category(char) not in ("Cc", "Cf") and char not in _VARIATIONS)
        )
    return _TABS.sub("\t", _SPACES.sub(" ", raw)).strip()


def read_copies(text: str, words: CardVocabulary) -> Mention | None:
    """The card that ``text`` names with its copies, or None if it names none.

    ``text`` has been through `clean`. The count may be out of range.
    """
    text, finish = split_finish(text)
    cells = _cells(text)
    if len(cells) > 1:
        found = _columns_of(cells, words)
        return replace(found, finish=finish) if found and finish else found
    count, rest, whole = _split_count(text)
    if not any(char.isalnum() for char in rest):
        return None
    mention = _card(1 if count is None else count, rest, words, rest != text, whole=whole)
    second = _COUNT_AT_END.search(rest) if count is not None else None
    if finish or second:
        mention = replace(mention, finish=finish, unclear=second[0] if second else "")
    x = _LOOSE_X.fullmatch(text)
    return replace(mention, x_name=f"{x[1] or ''}{mention.name}{x[2] or ''}") if x else mention


def split_finish(text: str) -> tuple[str, str]:
    """``text`` without the mark of a finish such as ``*F*`` or ``[foil]``, and that finish."""
    for match in _MARKED.finditer(text):
        finish = FINISHES.get((match[1] or match[2] or match[3]).strip().lower())
        if finish:
            return _tidy_ends(text[: match.start()] + " " + text[match.end() :]), finish
    return text, ""


def read_card(text: str, words: CardVocabulary) -> Mention:
    """The card that ``text`` names; digits before and behind it are no count.

    Raises UnicodeEncodeError for bytes that are no text in the user's encoding.
    """
    text.encode()
    return _card(1, clean(text), words, counted=False)


def numbered(
    count: int,
    number: str,
    words: CardVocabulary,
    *,
    name: str = "",
    edition: str | None = None,
    set_code: str | None = None,
) -> Mention:
    """The card whose number stands alone, as ``game/NUMBER_P1@edition``."""
    bare, marked = _marked_edition(clean(number))
    name = clean(name)
    text = " ".join(part for part in (bare, name) if part)
    game, bare = words.split_game(bare)
    bare_number, variant = words.split_variant(bare) if bare else (None, None)
    return Mention(
        count,
        text,
        bare_number,
        name,
        marked or edition,
        game,
        variant=variant,
        set_code=set_code or None,
    )


def without_brackets(name: str) -> str:
    """A name without the bracketed words that may not belong to it."""
    return _tidy(BRACKETS.sub(" ", name))


def looks_like_number(text: str, words: CardVocabulary) -> bool:
    """Whether ``text`` as a whole can be a card's number, of a known game or another."""
    number, _, edition = clean(text).partition("@")
    _, bare = words.split_game(number)
    return " " not in edition and (
        words.is_number(bare) or bool(_NUMBER_LIKE.fullmatch(plain(words.split_variant(bare)[0])))
    )


def _card(
    count: int,
    text: str,
    words: CardVocabulary,
    counted: bool,
    *,
    whole: str | None = None,
    set_code: str | None = None,
) -> Mention:
    game, rest = words.split_game(text)
    number, edition, name, bare_name = _split_number(rest, words)
    variant = None
    if number is not None:
        named, number = words.split_game(number)
        game = named or game
        number, variant = words.split_variant(number)
    return Mention(
        count,
        text,
        number,
        name,
        edition,
        game,
        bare_name=bare_name,
        whole=whole,
        explicit=counted or number is not None,
        variant=variant,
        set_code=set_code,
    )


def _split_count(text: str) -> tuple[int | None, str, str | None]:
    """Count, the rest, and the text as a whole where the count may be part of a name."""
    first = _COUNT_FIRST.match(text)
    if first:
        return _integer(first), text[first.end() :].strip(), None
    last = _COUNT_LAST.search(text) or _BARE_COUNT_LAST.search(text)
    if last:
        return _integer(last), text[: last.start()].strip(), text
    return None, text, None


def _integer(match: re.Match[str]) -> int:
    digits = next(group for group in match.groups() if group is not None)
    return int(digits[:40])  # longer ones are out of range anyway, and int() refuses 4,300 digits


def _split_number(
    text: str, words: CardVocabulary
) -> tuple[str | None, str | None, str, str | None]:
    """Number, edition, name, and the name without brackets that may not belong to it."""
    number = edition = None
    name = text
    doubtful: list[str] = []
    for group in reversed(list(BRACKETS.finditer(text))):
        content = group[1].strip()
        candidate, marked = _marked_edition(content)
        if number is None and _is_number(candidate, words):
            number, edition = candidate, marked or edition
        elif edition_key(content) in words.editions:
            edition = edition_key(content)
        elif search_key(content) in words.tags:
            pass
        else:
            doubtful.append(group[0])
            continue
        name = name.replace(group[0], " ", 1)
    if number is None:
        number, marked, name = _number_token(name, words)
        edition = marked or edition
    if number is None:
        name, marked = _known_edition(name, words)
        edition = marked or edition
    name = _tidy(name)
    bare_name = name
    for group_text in doubtful:
        bare_name = bare_name.replace(group_text, " ")
    bare_name = _tidy(bare_name)
    return number, edition, name, bare_name if bare_name not in ("", name) else None


def _number_token(text: str, words: CardVocabulary) -> tuple[str | None, str | None, str]:
    """The last token that some game's numbers look like, else a first or last one
    that looks like a card number at all.
    """
    tokens = text.split(" ")
    fitting = [
        index
        for index, token in enumerate(tokens)
        if _is_number(_core(token).partition("@")[0], words)
    ]
    if not fitting:
        ends = (len(tokens) - 1, 0)
        fitting = [index for index in ends if _NUMBER_LIKE.fullmatch(plain(_core(tokens[index])))][
            :1
        ]
    if not fitting:
        return None, None, text
    number, edition = _marked_edition(_core(tokens[fitting[-1]]))
    rest = tokens[: fitting[-1]] + tokens[fitting[-1] + 1 :]
    return number, edition, " ".join(rest)


def _marked_edition(text: str) -> tuple[str, str | None]:
    """Number and edition of ``St-1@French``."""
    number, _, edition = text.partition("@")
    return number.strip(), edition_key(edition) or None


def _known_edition(name: str, words: CardVocabulary) -> tuple[str, str | None]:
    """A name and the edition behind it, where a game has such an edition."""
    bare, edition = _marked_edition(name)
    return (bare, edition) if edition in words.editions else (name, None)


def _core(token: str) -> str:
    return token.strip(",;:()[]")


def _is_number(text: str, words: CardVocabulary) -> bool:
    return words.is_number(words.split_game(text)[1])


def _tidy_ends(text: str) -> str:
    return _SPACES.sub(" ", text).strip()


def _tidy(name: str) -> str:
    return _SPACES.sub(" ", name).strip(" ,;:-–—|\t")


def _columns_of(cells: Sequence[str], words: CardVocabulary) -> Mention | None:
    """Columns: whichever is a count, whichever is a number, then the name, then the set.

    Where no cell is a count alone, one is looked for beside a name or a number.
    """
    counts: list[int] = []
    number: str | None = None
    others: list[str] = []
    alone = any(_COUNT_FIELD.fullmatch(cell) for cell in cells)
    whole = None
    for cell in cells:
        match = _COUNT_FIELD.fullmatch(cell)
        if match:
            counts.append(_integer(match))
            continue
        text = cell
        if not (alone or counts or _is_number(_core(cell).partition("@")[0], words)):
            found, rest, whole_cell = _split_count(cell)
            if found is not None and any(char.isalnum() for char in rest):
                counts.append(found)
                whole, text = whole_cell, rest
        if number is None and _is_number(_core(text).partition("@")[0], words):
            number = text
        else:
            others.append(text)
    if number is None and not others:
        return None
    name = others[0] if others else ""
    set_code = others[1] if len(others) > 1 else None
    count = counts[0] if counts else 1
    mention = (
        numbered(count, number, words, name=name, set_code=set_code)
        if number is not None
        else _card(count, name, words, counted=True, set_code=set_code)
    )
    left = [str(more) for more in counts[1:] if more != count]
    return replace(mention, whole=whole, unclear=", ".join(left)) if whole or left else mention


def _cells(text: str) -> list[str]:
    """The cells of a row: between tabs or bars, or between the commas or semicolons of a row
    that begins or ends with a count.
    """
    for mark in "\t|;,":
        if mark in text:
            row = (
                text.split(mark)
                if mark in "\t|"
                else next(csv.reader([text], delimiter=mark, skipinitialspace=True))
            )
            cells = [cell for field in row if (cell := field.strip().strip('"').strip())]
            counted = [cell for cell in (*cells[:1], *cells[-1:]) if _COUNT_FIELD.fullmatch(cell)]
            if mark in "\t|" or counted:
                return cells
    return [text]
