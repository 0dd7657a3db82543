"""Bars that no reader decodes kept by what they look like."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from digideck.catalog.arguments import check_game
from digideck.catalog.cards import CardIndex
from digideck.catalog.lookup import one_card
from digideck.core.codes import Code
from digideck.core.problems import input_error
from digideck.core.results import Result, json_field
from digideck.core.text import STDIN, shown_path
from digideck.scan.decode.engines import zbar_is_there
from digideck.scan.decode.locate import Grey
from digideck.scan.decode.reading import as_grey, read_picture
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import require_libraries
from digideck.scan.images.pictures import open_picture
from digideck.scan.match.enrol import Enrolled, enrol_picture
from digideck.scan.match.profile_conflicts import profile_conflicts
from digideck.scan.store.links import Barcode, Link, add_links, cards_by_code
from digideck.schema.connection import closing_connections, open_to_write, transaction


@dataclass(frozen=True, slots=True)
class EnrolledProfile(Result):
    """A profile of bars and how sharp it is. ``profiles``: how many the card has now."""

    no = (Code.PROFILE_TOO_ALIKE,)
    card: str
    profile: str
    sharpness: float
    profiles: int
    new: bool
    shown: str = json_field(None)
    name: str = json_field(None)


@closing_connections()
def enrol_barcode(
    photo: str, card: str, *, game: str = "", db: Path | None = None
) -> EnrolledProfile:
    """Link what the bars in a sharp photo look like to a card.

    Raises InputError where there are none, where they can be read or are blurred.
    """
    _refuse_stdin(photo)
    require_libraries()
    index = CardIndex(open_to_write(db))
    found = one_card(index, card, check_game(index, game))
    profile = _profile(photo)
    code, linked = profile.code, cards_by_code(index.connection)
    conflict = profile_conflicts(index, [(code, found.id)], linked, shown_path(photo))
    new = 0
    if not conflict:
        with transaction(index.connection):
            new = add_links(index.connection, [Link(code, found.id, "enrolled")])
    profiles = new + sum(one.kind == code.kind and found.id in ids for one, ids in linked.items())
    return EnrolledProfile(
        found.key,
        code.payload,
        round(profile.sharpness, 3),
        profiles,
        bool(new),
        code.short,
        found.name,
        problems=tuple(conflict.values()),
    )


def _refuse_stdin(photo: str) -> None:
    if photo == STDIN:
        raise input_error(
            Code.NOT_A_FILE,
            "a picture is not read from standard input",
            file=shown_path(photo),
            next_step="name its file; one that is called - is ./-",
        )


def _profile(photo: str) -> Enrolled:
    grey = as_grey(open_picture(photo).image)
    _refuse_readable(grey, shown_path(photo))
    found = enrol_picture(grey)
    if found is None or not found.sharp:
        raise input_error(
            Code.NO_SHARP_BARS,
            "no bars are found in it" if found is None else "the bars are too blurred",
            file=shown_path(photo),
            next_step="take the bars again: large, upright, sharp and without glare",
        )
    return found


def _refuse_readable(grey: Grey, photo: str) -> None:
    """A profile of bars that can be read would be a second, weaker name of their code."""
    for read in read_picture(grey, zbar=zbar_is_there()):
        if read.symbology is not Symbology.QR:
            code = Barcode(*read.key)
            raise input_error(
                Code.BARS_READABLE,
                f"bars in it can be read: {code.short}",
                file=photo,
                next_step=f"link that instead: digideck barcode link {code.typed} CARD; "
                "if other bars are meant, cut the picture to them",
            )
