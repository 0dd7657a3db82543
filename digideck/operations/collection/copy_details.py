"""What is said of copies when they are added, searched or taken away."""

from __future__ import annotations

from dataclasses import dataclass, fields

from digideck.collection.vocabulary import normalize
from digideck.core.problems import InputError, RowError


@dataclass(frozen=True, slots=True)
class CopyDetails:
    """Details of copies: None where nothing is said, blank where it is not recorded."""

    set_name: str | None = None
    variant: str | None = None
    condition: str | None = None
    language: str | None = None
    finish: str | None = None
    place: str | None = None
    note: str | None = None

    def recorded(self) -> dict[str, str]:
        """The details that were given, in one spelling each. Raises InputError.

        Of the set only that it is not recorded: its code is known once the card is.
        """
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        set_name = given.pop("set_name")
        try:
            found = {
                name: normalize(name, text) for name, text in given.items() if text is not None
            }
        except RowError as error:
            raise InputError(error.problem()) from None
        if set_name is not None and not set_name.strip():
            found["set_code"] = ""
        return found


NO_DETAILS = CopyDetails()
