"""The rules of drawing and the figures of each game are data, read strictly."""

from __future__ import annotations

import pytest

from digideck.core.problems import InputError
from digideck.core.strict_yaml import load
from digideck.schema.data_folder import DATA
from digideck.schema.games.game import Game, read_game
from digideck.schema.shipped_files import games

ALPHA = (DATA / "games" / "alpha.yaml").read_text("utf-8")


@pytest.mark.parametrize("game", games(), ids=lambda game: game.code)
def test_every_game_says_how_it_is_drawn_and_by_whom(game: Game) -> None:
    drawing = game.drawing
    assert drawing is not None
    assert all(saying.source and saying.text.endswith(".") for saying in drawing.says)
    assert any(str(drawing.hand) in saying.text for saying in drawing.says)
    formats = game.definition["formats"]
    assert all(code in formats for code in drawing.unknown_for)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  hand: 6\n", "  hand: six\n", "'six' is not a whole number"),
        ("  hand: 6\n", "", "hand is missing"),
        ("  hand: 6\n", "  hand: 0\n", "hand: not a number of cards"),
        ("  hand: 6\n", "  hand: 6\n  hands: 2\n", "unknown key 'hands'"),
        ("each_turn: refill", "each_turn: redraw", "'redraw' is not known"),
        ("each_turn: refill", "each_turn: draw", "cards is missing"),
        ("turn_one: nobody", "turn_one: noone", "'noone' is not known"),
        ("levels: [III, III/IV]}\n  says", "levels: [V]}\n  says", "'V' is not known"),
        ("levels: [III, III/IV]}\n  says", "levels: []}\n  says", "levels are missing"),
        ("when: lacking", "when: never", "'never' is not known"),
        ('whole deck.", source: alpha-wiki', 'whole deck.", source: me', "'me' is not known"),
        ("curves: [cost, speed]", "curves: [cost, type]", "no integer field is 'type'"),
        ("groups: [field, ", "groups: [feeld, ", "no text field is 'feeld'"),
        ("{A: attack_a, ", "{A: attack_x, ", "'attack_x' is not known"),
        ("kinds: {cost: [Digimon, ", "kinds: {cost: [Digimen, ", "no kind is 'Digimen'"),
        ("kinds: {cost: ", "kinds: {price: ", "no field is 'price'"),
    ],
)
def test_a_slip_is_found_where_it_is(old: str, new: str, message: str) -> None:
    assert old in ALPHA
    with pytest.raises(InputError) as refused:
        read_game(load(ALPHA.replace(old, new, 1), "alpha.yaml"))
    (problem,) = refused.value.problems
    assert message in problem.message
    assert problem.line is not None
