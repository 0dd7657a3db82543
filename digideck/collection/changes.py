"""From what was asked to entries: adding, removing, setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from digideck.collection.ledger import Pile
from digideck.collection.requests import Request
from digideck.schema.problems import Problem, Severity

Details = Mapping[str, str]
_MOST_LISTED = 8


class Planner:
    """Collects the changes of one batch, each seeing those before it.

    ``have`` is what is held of the cards in question; ``details`` what was
    said of the copies: for adding what they are, else which ones are meant.
    """

    def __init__(self, have: Mapping[Pile, int], details: Details) -> None:
        self.have = Counter(have)
        self.details = details
        self.changes: Counter[Pile] = Counter()
        self.problems: list[Problem] = []

    def add(self, request: Request) -> None:
        """More copies, as they were described."""
        if request.count < 1:
            self._refuse(request, "count-refused", f"a count of {request.count}", "1 or more")
            return
        self._change(self._described(request), request.count)

    def remove(self, request: Request, *, any_copies: bool = False) -> None:
        """Take copies away. If several piles fit, none is chosen unless told to."""
        if request.count < 1:
            self._refuse(request, "count-refused", f"a count of {request.count}", "1 or more")
            return
        fitting = self._fitting(request)
        have = sum(self.have[pile] for pile in fitting)
        if have < request.count:
            self._too_few(request, have)
        elif len(fitting) > 1 and have > request.count and not any_copies:
            self._which(request, fitting, ", or --any for whichever")
        else:
            self._take(fitting, request.count)

    def set(self, request: Request) -> None:
        """Exactly so many of the copies that were described, which may be all of them."""
        fitting = self._fitting(request)
        have = sum(self.have[pile] for pile in fitting)
        if request.count > have:
            if len(fitting) > 1:
                self._which(request, fitting)
                return
            target = fitting[0] if fitting else self._described(request)
            self._change(target, request.count - have)
        elif request.count and len(fitting) > 1 and have > request.count:
            self._which(request, fitting)
        else:
            self._take(fitting, have - request.count)

    def _described(self, request: Request) -> Pile:
        return Pile(request.card.id, **{**self.details, **request.details})

    def _fitting(self, request: Request) -> list[Pile]:
        """The piles meant, those with the fewest details first."""
        details = {**self.details, **request.details}
        found = [
            pile
            for pile, count in self.have.items()
            if count and pile.card_id == request.card.id and pile.matches(details)
        ]
        return sorted(found, key=lambda pile: (sum(map(bool, pile)), pile))

    def _take(self, piles: Sequence[Pile], count: int) -> None:
        for pile in piles:
            taken = min(count, self.have[pile])
            self._change(pile, -taken)
            count -= taken

    def _change(self, pile: Pile, count: int) -> None:
        self.have[pile] += count
        self.changes[pile] += count

    def _refuse(self, request: Request, code: str, message: str, allowed: str) -> None:
        self.problems.append(
            Problem(
                code,
                Severity.ERROR,
                f"{request.card.title}: {message}",
                request.file,
                request.line,
                allowed=allowed,
            )
        )

    def _too_few(self, request: Request, have: int) -> None:
        described = ", ".join(
            text or f"no {field.removesuffix('_code')}"
            for field, text in {**self.details, **request.details}.items()
        )
        kind = f" ({described})" if described else ""
        others = sum(count for pile, count in self.have.items() if pile.card_id == request.card.id)
        elsewhere = f"; {others} in all" if others > have else ""
        self.problems.append(
            Problem(
                "too-few",
                Severity.ERROR,
                f"{request.card.title}: {have} held{kind}{elsewhere}, {request.count} to remove",
                request.file,
                request.line,
                have=have,
                allowed=request.count,
                next_step=f"digideck show {request.card.key} lists what is held",
            )
        )

    def _which(self, request: Request, piles: Sequence[Pile], or_else: str = "") -> None:
        listed = "".join(
            f"\n      {self.have[pile]}  {pile.shown or 'no details'}"
            for pile in piles[:_MOST_LISTED]
        )
        self.problems.append(
            Problem(
                "which-copies",
                Severity.UNKNOWN,
                f"{request.card.title}: which of the {sum(self.have[p] for p in piles)} copies?",
                request.file,
                request.line,
                have=sum(self.have[pile] for pile in piles),
                allowed=request.count,
                next_step="say it with --place, --condition and the like, blank where it is not "
                f"recorded{or_else}:{listed}",
            )
        )
