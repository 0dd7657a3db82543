"""Profiles of bars that could be taken for another card's: refused however they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from digideck.catalog.cards import CardIndex
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import require_libraries
from digideck.scan.match.enrol import conflicting_profiles
from digideck.scan.store.links import Barcode


def profile_conflicts(
    index: CardIndex,
    new: Sequence[tuple[Barcode, int]],
    linked: Mapping[Barcode, Sequence[int]],
    file: str | None = None,
    lines: Mapping[Barcode, int] | None = None,
) -> dict[Barcode, Problem]:
    """A problem for each of the new (code, card id) that is too like another card's bars.

    ``file`` is where they are from, ``lines`` their lines in it.
    """
    if not any(code.kind == Symbology.PROFILE for code, _ in new):
        return {}
    require_libraries()
    cards = {code: set(ids) for code, ids in linked.items()}
    for code, card_id in new:
        cards.setdefault(code, set()).add(card_id)

    def named(ids: set[int]) -> str:
        return " and ".join(card.title for card in index.by_ids(sorted(ids)))

    def message(code: Barcode, card_id: int, other: Barcode) -> str:
        whose = named(cards[other] - {card_id})
        if code == other:
            return f"{code.short} is kept for {whose}; it is not linked to {named({card_id})} too"
        return (
            f"the bars of {named({card_id})} ({code.short}) are those of {whose} "
            f"({other.short}) as far as can be told; they are not linked"
        )

    given = dict(new)
    return {
        code: Problem(
            Code.PROFILE_TOO_ALIKE,
            Severity.ERROR,
            message(code, given[code], other),
            file,
            lines.get(code) if lines else None,
            next_step=f"look which card it is; digideck barcode unlink {other.short} forgets "
            "what is kept",
        )
        for code, other in conflicting_profiles(new, linked).items()
    }
