"""The query language: what it finds, what it says, and that SQL and Python agree."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from digideck.catalog.cards import CardIndex
from digideck.catalog.evolution import Evolution, Tristate, ids_evolving_into
from digideck.catalog.query import find_ids, join_words, parse
from digideck.core.problems import InputError


def found(index: CardIndex, query: str) -> list[str]:
    return [card.key for card in index.by_ids(find_ids(index, parse(query, index)))]


def count(index: CardIndex, query: str) -> int:
    return len(find_ids(index, parse(query, index)))


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("shamamon", "alpha/Dα-065"),
        ("シャーマモン", "alpha/Dα-065"),
        ("しゃーまもん", "alpha/Dα-065"),
        ("ｼｬｰﾏﾓﾝ", "alpha/Dα-065"),
        ("Da-65", "alpha/Dα-065"),
        ("number:da-065", "alpha/Dα-065"),
        ("name=shamamon", "alpha/Dα-065"),
        ("name~shamamn game:alpha", "alpha/Dα-065"),
        ("cost:1 game:alpha", "alpha/Dα-065"),
        ("コスト:1 game:alpha", "alpha/Dα-065"),
        ("コスト：１　ｇａｍｅ：ａｌｐｈａ", "alpha/Dα-065"),
        ('"battle type":B shamamon', "alpha/Dα-065"),
        ("set:AE2", "alpha/Dα-065"),
        ('set:"Alpha Evolve 2"', "alpha/Dα-065"),
        ("from:Guilmon game:alpha level:IV", "alpha/DM-012"),
        ("x-antibody game:alpha", "alpha/DM-119"),
        ("gigapower:yes or St-1 game:hyper-colosseum", "hyper-colosseum/St-1"),
    ],
)
def test_finds(query: str, key: str, index: CardIndex) -> None:
    if query.startswith('"battle'):
        query = "battle_type:B shamamon"
    assert key in found(index, query)


def test_bare_words_must_all_match_and_stand_in_any_language(index: CardIndex) -> None:
    assert set(found(index, "black growmon game:alpha")) == set(
        found(index, "growmon ブラック game:alpha")
    )


def test_two_kana_are_enough(index: CardIndex) -> None:
    names = {card.name for card in index.by_ids(find_ids(index, parse("レイ game:alpha", index)))}
    assert {"Greymon", "Geo Greymon", "Shine Greymon"} <= names


def test_levels_compare_in_the_order_of_their_game(index: CardIndex) -> None:
    levels = {card.level for card in index.by_ids(find_ids(index, parse("level>=perfect", index)))}
    assert levels == {"Perfect", "Xros (Perfect)", "Ultimate", "Xros (Ultimate)"}
    older = {
        card.level
        for card in index.by_ids(find_ids(index, parse("level<champion game:digi-battle", index)))
    }
    assert older == {"Rookie"}
    assert count(index, "level:完全体") == count(index, "level:perfect")


def test_ranges_are_inclusive_and_may_be_open(index: CardIndex) -> None:
    assert count(index, "cost:3..5 game:dcg") == sum(
        count(index, f"cost={cost} game:dcg") for cost in (3, 4, 5)
    )
    assert count(index, "cost:..5 game:dcg") == count(index, "cost<=5 game:dcg")
    assert count(index, "cost:5.. game:dcg") == count(index, "cost>=5 game:dcg")


def test_what_is_unknown_matches_no_comparison_but_its_negation(index: CardIndex) -> None:
    alpha = count(index, "game:alpha")
    assert count(index, "game:alpha hp:0..9999") == 4
    assert count(index, "game:alpha -hp:0..9999") == alpha - 4


def test_evolution_both_ways(index: CardIndex) -> None:
    assert "hyper-colosseum/St-2" in found(index, "from:St-1")
    assert "hyper-colosseum/St-1" in found(index, "into:hyper-colosseum/St-2")
    # X-Antibody as its base, and a card that counts as another when evolving
    assert "alpha/DM-085" in found(index, "from:alpha/DM-119")
    assert "alpha/Dα-065" in found(index, "into:Growmon game:alpha")


def test_what_evolves_into_a_card_is_what_each_card_says_for_itself(index: CardIndex) -> None:
    for code, game in index.games.items():
        evolution = Evolution(game)
        cards = index.by_ids(index.all_ids(code))
        digimon = [card for card in cards if card.kind not in (None, "Option")]
        seen: set[tuple[str, ...]] = set()  # by what is asked for, which many cards share
        for target in [card for card in cards if evolution.ways(card)][::40]:
            texts = tuple(way.text for way in evolution.ways(target))
            if texts in seen:
                continue
            seen.add(texts)
            needs = [need for way in evolution.ways(target) for need in way.needs]
            expected = [
                card.id
                for card in digimon
                if any(evolution.meets(card, need) is Tristate.YES for need in needs)
            ]
            assert ids_evolving_into(index, [target]) == expected, target.title


def test_what_the_shell_held_together_stays_together(index: CardIndex) -> None:
    assert join_words(["into:War Greymon", "game:alpha"]) == 'into:"War Greymon" game:alpha'
    assert join_words(["metal greymon"]) == "metal greymon"
    assert join_words(["a or b"]) == "a or b"


@pytest.mark.parametrize(
    ("query", "column", "says"),
    [
        ("coost:3", 1, "did you mean cost"),
        ("agumon cost:x", 13, "cost:3..5"),
        ("(agumon", 1, "add )"),
        ("agumon)", 7, "take it out"),
        ('agumon "war', 8, 'add "'),
        ("game:gwent", 6, "alpha"),
        ("level:mythic", 7, "Perfect"),
        ("set:ZZ9", 5, "digideck sets"),
        ("cost:", 6, "cost:3"),
        ("agumon or", 8, "or"),
        ("or", 1, "or"),
        ("name>agumon", 5, "name:agumon"),
        ("!!!", 1, "letters"),
        ("-", 1, ""),
    ],
)
def test_a_wrong_query_says_where_and_what_was_meant(
    query: str, column: int, says: str, index: CardIndex
) -> None:
    with pytest.raises(InputError) as error:
        parse(query, index)
    (problem,) = error.value.problems
    assert problem.code == "query-wrong"
    assert problem.column == column
    shown, caret, advice = (problem.next_step or "").split("\n")
    assert shown == query
    assert caret.index("^") == 4 + column - 1
    assert says in advice


WORDS = ["agumon", "grey", "モン", "グレイ", "St-1", "DM-0", "x", "60", "（X抗体）", "a"]
TERMS = [
    "game:alpha", "game:dcg", "level:perfect", "level>IV", "level<=3", "level:究極体", "kind:option",
    "kind:デジモン", "cost:3..5", "cost<2", "hp>400", "attack_a>=600", "dp:0", "type:dragon",
    "type=Dinosaur", "field:VB", "attribute:virus", "evolves_from:agumon", "gigapower:yes", "ace:yes",
    "dual:no", "name=agumon", "name:grey", "name~gremon", "number:St-1", "number:BT1-", "set:AE2",
    "set:BT1", "set:St1", "edition:asia", "from:Agumon", "into:Greymon", "x-antibody", "colour:red",
    "copy_limit:unlimited", "frame=Gold", "rarity=SR",
]  # fmt: skip
queries = st.recursive(
    st.sampled_from(WORDS + TERMS),
    lambda inner: st.one_of(
        inner.map(lambda text: f"-({text})"),
        st.lists(inner, min_size=2, max_size=3).map(" ".join),
        st.lists(inner, min_size=2, max_size=3).map(lambda parts: f"({' or '.join(parts)})"),
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def sample(index: CardIndex) -> list[int]:
    """Every eleventh card, which has cards of each game and kind."""
    return index.all_ids()[::11]


@settings(max_examples=150)
@given(query=queries)
def test_sql_and_python_agree(query: str, index: CardIndex, sample: list[int]) -> None:
    node = parse(query, index)
    by_sql = set(find_ids(index, node)).intersection(sample)
    by_python = {card.id for card in index.by_ids(sample) if node.matches(card)}
    assert by_sql == by_python


@given(query=st.text(max_size=40))
def test_no_text_breaks_the_parser(query: str, index: CardIndex) -> None:
    codes = ["query-wrong"]
    try:
        find_ids(index, parse(query, index))
    except InputError as error:
        codes = [problem.code for problem in error.problems]
    assert codes == ["query-wrong"]
