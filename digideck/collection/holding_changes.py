"""From what was asked to entries: adding, removing, setting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from digideck.collection.copy_requests import CopyRequest
from digideck.collection.ledger import Holding
from digideck.core.codes import Code
from digideck.core.problems import Problem, Severity

Details = Mapping[str, str]
_MOST_LISTED = 8


class EditPlanner:
    """Collects the changes of one batch, each seeing those before it.

    ``have`` is what is held of the cards in question; ``details`` what was
    said of the copies: for adding what they are, else which ones are meant.
    """

    def __init__(self, have: Mapping[Holding, int], details: Details) -> None:
        self.have = Counter(have)
        self.details = details
        self.changes: Counter[Holding] = Counter()
        self.problems: list[Problem] = []

    def add(self, request: CopyRequest) -> None:
        """More copies, as they were described."""
        if request.count < 1:
            self._refuse(request, Code.COUNT_REFUSED, f"a count of {request.count}", "1 or more")
            return
        self._change(self._described(request), request.count)

    def remove(self, request: CopyRequest, *, any_copies: bool = False) -> None:
        """Take copies away. If several holdings fit, none is chosen unless told to."""
        if request.count < 1:
            self._refuse(request, Code.COUNT_REFUSED, f"a count of {request.count}", "1 or more")
            return
        fitting = self._fitting(request)
        have = sum(self.have[holding] for holding in fitting)
        if have < request.count:
            self._too_few(request, have)
        elif len(fitting) > 1 and have > request.count and not any_copies:
            self._which(request, fitting, ", or --any for whichever")
        else:
            self._take(fitting, request.count)

    def set(self, request: CopyRequest) -> None:
        """Exactly so many of the copies that were described, which may be all of them."""
        fitting = self._fitting(request)
        have = sum(self.have[holding] for holding in fitting)
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

    def _described(self, request: CopyRequest) -> Holding:
        return Holding(request.card.id, **{**self.details, **request.details})

    def _fitting(self, request: CopyRequest) -> list[Holding]:
        """The holdings meant, those with the fewest details first."""
        details = {**self.details, **request.details}
        found = [
            holding
            for holding, count in self.have.items()
            if count and holding.card_id == request.card.id and holding.matches(details)
        ]
        return sorted(found, key=lambda holding: (sum(map(bool, holding)), holding))

    def _take(self, holdings: Sequence[Holding], count: int) -> None:
        for holding in holdings:
            taken = min(count, self.have[holding])
            self._change(holding, -taken)
            count -= taken

    def _change(self, holding: Holding, count: int) -> None:
        self.have[holding] += count
        self.changes[holding] += count

    def _refuse(self, request: CopyRequest, code: Code, message: str, allowed: str) -> None:
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

    def _too_few(self, request: CopyRequest, have: int) -> None:
        described = ", ".join(
            text or f"no {field.removesuffix('_code')}"
            for field, text in {**self.details, **request.details}.items()
        )
        kind = f" ({described})" if described else ""
        others = sum(
            count for holding, count in self.have.items() if holding.card_id == request.card.id
        )
        elsewhere = f"; {others} in all" if others > have else ""
        self.problems.append(
            Problem(
                Code.TOO_FEW,
                Severity.ERROR,
                f"{request.card.title}: {have} held{kind}{elsewhere}, {request.count} to remove",
                request.file,
                request.line,
                have=have,
                allowed=request.count,
                next_step=f"digideck show {request.card.key} lists what is held",
            )
        )

    def _which(self, request: CopyRequest, holdings: Sequence[Holding], or_else: str = "") -> None:
        listed = "".join(
            f"\n      {self.have[holding]}  {holding.shown or 'no details'}"
            for holding in holdings[:_MOST_LISTED]
        )
        self.problems.append(
            Problem(
                Code.WHICH_COPIES,
                Severity.UNKNOWN,
                f"{request.card.title}: which of the {sum(self.have[p] for p in holdings)} copies?",
                request.file,
                request.line,
                have=sum(self.have[holding] for holding in holdings),
                allowed=request.count,
                next_step="say it with --place, --condition and the like, blank where it is not "
                f"recorded{or_else}:{listed}",
            )
        )
