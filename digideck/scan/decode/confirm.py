"""Which reads can be believed: those whose code is linked to a card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from digideck.scan.decode.symbologies import Symbology, canonical, link_key

if TYPE_CHECKING:
    from digideck.scan.decode.reading import Read


class LinkedCodes:
    """The codes that are linked: (symbology, payload), in any spelling.

    Two engines and ten frames may agree on the same wrong number with a right
    check digit; no number of looks helps. That a wrong number is also one of
    the linked codes does not happen. So a linked read is confirmed, and one
    that is not waits for somebody to say what it is.
    """

    def __init__(self, codes: Iterable[tuple[str, str]]) -> None:
        spelled = [canonical(Symbology(kind), payload) for kind, payload in codes]
        self._keys = frozenset(link_key(*code) for code in spelled)
        self.itf_lengths = frozenset(
            len(payload) for kind, payload in spelled if kind is Symbology.ITF
        )

    def confirms(self, read: Read) -> bool:
        """Whether ``read`` is of a linked code."""
        return read.key in self._keys
