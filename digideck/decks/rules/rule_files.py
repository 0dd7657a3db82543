"""Formats as data: a list of rules, each naming a check and giving its numbers."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Any

from digideck.core.codes import Code
from digideck.core.names import search_key
from digideck.core.problems import input_error
from digideck.core.strict_yaml import Mapping
from digideck.core.strict_yaml import load as load_yaml
from digideck.core.suggestions import nearest
from digideck.core.text import shown_path
from digideck.core.user_folders import user_folder
from digideck.decks.rules.checks import CHECKS
from digideck.decks.rules.rule import Format, Rule
from digideck.files.input import read_text
from digideck.schema.games.fields import Field
from digideck.schema.games.game import Game, stored_description

CERTAINTIES = ("sure", "one source", "inferred", "open", "own")
LARGEST_FILE = 1_000_000  # bytes
OWN_SOURCE = "own"


def parse_format(code: str, entry: Mapping, game: Game) -> Format:
    """The format that ``entry`` describes. Raises InputError for what is not understood."""
    sources: dict[str, str] = {**(game.definition.get("sources") or {}), **_own_sources(entry)}
    found = Format(
        code,
        game.code,
        entry.text("title"),
        entry.text("revised"),
        tuple(entry.texts("notes")),
        tuple(_parse_rule(rule, game, sources) for rule in rules_by_id(entry).values()),
        _same_card(entry),
    )
    if not found.rules:
        raise entry.problem("rules are missing", "rules")
    entry.done()
    return found


def _same_card(entry: Mapping) -> str:
    """How the rule on copies that holds for all cards tells them apart."""
    for rule in entry.mappings("rules"):
        if rule.text("check") == "copies" and rule.optional_text("where") is None:
            return rule.text("count_by")
    return "number"


def _own_sources(entry: Mapping) -> dict[str, str]:
    own = entry.mapping("sources")
    return {
        OWN_SOURCE: "the file of the format itself",
        **{name: own.text(name) for name in own.entries},
    }


def _parse_rule(entry: Mapping, game: Game, sources: dict[str, str]) -> Rule:
    check = entry.choice("check", CHECKS)
    source = entry.choice("source", sources, OWN_SOURCE)
    rule = Rule(
        entry.text("id"),
        entry.text("says"),
        check,
        sources[source],
        entry.choice("certainty", CERTAINTIES, "own"),
        entry.flag("assumed"),
        CHECKS[check](entry, game),
    )
    entry.done()
    return rule


def rules_by_id(entry: Mapping) -> dict[str, Mapping]:
    """A format's rules. Raises InputError for two of one id, of which one would be lost."""
    found: dict[str, Mapping] = {}
    for rule in entry.mappings("rules"):
        rule_id = rule.text("id")
        if rule_id in found:
            raise rule.problem(f"two rules are called {rule_id!r}", "id")
        found[rule_id] = rule
    return found


def inherit(entry: Mapping, parent: dict[str, Any]) -> Mapping:
    """``entry`` with what it does not say itself taken from ``parent``.

    A rule with the id of one of the parent's changes the keys that it gives;
    other rules are added; ``without`` lists ids to leave out.
    """
    rules = {rule["id"]: rule for rule in parent["rules"]}
    dropped = entry.texts("without")
    for rule_id in dropped:
        if rule_id not in rules:
            known = ", ".join(rules)
            raise entry.problem(f"without: no rule is called {rule_id!r} ({known})", "without")
    own = rules_by_id(entry)
    merged = [
        own[rule_id].over(_changed(rule, own[rule_id]))
        if rule_id in own
        else Mapping.from_plain(rule, entry.file)
        for rule_id, rule in rules.items()
        if rule_id not in dropped
    ]
    merged += [rule for rule_id, rule in own.items() if rule_id not in rules]
    whole = entry.over(parent)
    whole.entries["rules"] = merged
    for key in ("extends", "without"):
        whole.entries.pop(key, None)
    return whole


def _changed(rule: dict[str, Any], change: Mapping) -> dict[str, Any]:
    """A rule that is to be changed: no longer what its source says, unless one is given."""
    if "source" in change.entries:
        return rule
    return {key: value for key, value in rule.items() if key not in ("source", "certainty")}


class KnownWords:
    """Refuses names and sets in a user's rule that no card has: they would do nothing."""

    def __init__(self, connection: sqlite3.Connection, game: Game) -> None:
        self.connection = connection
        self.game = game.code
        self.field_of = game.field_of

    def check(self, rule: Mapping) -> None:
        """Raises InputError for the first such word, with what may have been meant."""
        if isinstance(rule.entries.get("cards"), list):
            for item in rule.mappings("cards"):
                name = item.optional_text("name")
                if name is not None:
                    self._refuse_unknown(item, "name", name, self._names())
        if isinstance(rule.entries.get("sets"), list):
            for code in rule.texts("sets"):
                self._refuse_unknown(rule, "sets", code, self._sets())
        if isinstance(rule.entries.get("fields"), Mapping):
            fields = rule.mapping("fields")
            for name in fields.entries:
                field = self.field_of.get(search_key(name))
                known = self._values(field) if field else []
                for value in fields.texts(name):
                    self._refuse_unknown(fields, name, value, known)

    def _refuse_unknown(self, entry: Mapping, key: str, word: str, known: list[str]) -> None:
        if not known or search_key(word) in {search_key(other) for other in known}:
            return
        near = nearest(word, known)
        hint = f"did you mean {', '.join(near)}?" if near else f"such as {', '.join(known[:5])}"
        raise entry.problem(f"{key}: no card of {self.game} has {word!r}; {hint}", key)

    def _column(self, sql: str, *values: str) -> list[str]:
        return [str(row[0]) for row in self.connection.execute(sql, values)]

    def _names(self) -> list[str]:
        return self._column(
            "SELECT DISTINCT name FROM card_name JOIN card ON id = card_id WHERE game = ?",
            self.game,
        )

    def _sets(self) -> list[str]:
        return self._column("SELECT code FROM card_set WHERE game = ?", self.game)

    def _values(self, field: Field) -> list[str]:
        """Every value of a field, and those that stand together in one: Red of "Red|Blue"."""
        if field.type == "flag":
            return ["yes", "no", "true", "false"]
        found = self._column(
            """SELECT DISTINCT value FROM card, json_each(fields, ?)
               WHERE game = ? AND value IS NOT NULL""",
            f"$.{field.code}",
            self.game,
        )
        return sorted({part for text in found for part in (text, *text.split("|"))})


def _format_files(folder: Path | None) -> list[Path]:
    """The YAML files in a folder, if there is one; hidden ones are an editor's own."""
    try:
        found = sorted(folder.iterdir()) if folder else []
    except OSError:
        return []
    return [
        path
        for path in found
        if path.suffix.lower() in (".yaml", ".yml") and not path.name.startswith(".")
    ]


class FormatTable:
    """The formats in a database and the user's own, parsed when asked for."""

    def __init__(self, connection: sqlite3.Connection, games: dict[str, Game]) -> None:
        self.games = games
        self.connection = connection
        self._definitions: dict[str, tuple[str, dict[str, Any]]] = {
            row["code"]: (
                row["game"],
                stored_description(f"the format {row['code']}", row["definition"]),
            )
            for row in connection.execute("SELECT code, game, definition FROM format ORDER BY code")
        }
        self._parsed: dict[str, Format] = {}
        self._own_files: dict[str, Path] | None = None
        self._clashes: dict[str, Path] = {}

    @property
    def own_files(self) -> dict[str, Path]:
        """The format files in the user's configuration folder, by the format's code."""
        if self._own_files is None:
            self._own_files = {}
            for path in _format_files(self.own_folder):
                code = path.stem.strip().lower()
                if code in self._own_files or code in self._definitions:
                    self._clashes.setdefault(code, path)
                self._own_files.setdefault(code, path)
        return self._own_files

    @property
    def own_folder(self) -> Path | None:
        """Where the user's own formats are: $DIGIDECK_CONFIG, else the usual place, formats/.

        None for a user without a home folder.
        """
        named = os.environ.get("DIGIDECK_CONFIG")
        if named:
            return Path(named) / "formats"
        folder = user_folder("config")
        return folder / "formats" if folder else None

    def _refuse_clash(self, code: str) -> None:
        """Raises InputError for a code that a file of the user's has and something else too."""
        first = self.own_files.get(code)
        second = self._clashes.get(code)
        if second is None:
            return
        other = "a shipped format" if code in self._definitions else f"the file {first}"
        raise input_error(
            Code.FORMAT_TWICE,
            f"{code!r} is {other} already",
            file=shown_path(str(second)),
            next_step="give the file another name",
        )

    @property
    def codes(self) -> list[str]:
        """Every format's code, the user's own last."""
        return list(dict.fromkeys((*self._definitions, *self.own_files)))

    def get(self, name: str) -> Format:
        """The format of this code, or in this YAML file. Raises InputError."""
        if name.lower().endswith((".yaml", ".yml")):
            return self._from_file(name, None)
        return self.by_code(name)

    def by_code(self, name: str) -> Format:
        """The format of this code; no file is opened. Raises InputError."""
        code = name.strip().lower()
        if code not in self._parsed:
            self._parsed[code] = self._parse(code, name)
        return self._parsed[code]

    def _parse(self, code: str, name: str) -> Format:
        self._refuse_clash(code)
        if code in self._definitions:
            game, definition = self._definitions[code]
            entry = Mapping.from_plain(definition, f"{game}.yaml")
            return parse_format(code, self._whole(entry, (code,)), self.games[game])
        if code in self.own_files:
            return self._from_file(str(self.own_files[code]), code)
        begun = [known for known in self.codes if code and known.startswith(code)]
        if len(begun) == 1:
            return self.by_code(begun[0])
        near = begun or nearest(code, self.codes, least=0.4)
        meant = f"did you mean {', '.join(near)}? " if near else ""
        raise input_error(
            Code.UNKNOWN_FORMAT,
            f"no format is called {name!r}",
            allowed=", ".join(self.codes),
            next_step=f"{meant}digideck formats lists them all; a format of your own is named "
            "by its file, such as FILE.yaml",
        )

    def _whole(self, entry: Mapping, chain: tuple[str, ...]) -> Mapping:
        """An entry with what it extends."""
        parent = entry.optional_text("extends")
        if parent is None:
            return entry
        base = Mapping.from_plain(self._definition(parent, entry)[1], entry.file)
        if parent in chain:
            raise entry.problem(f"extends: {' -> '.join((*chain, parent))} is a circle", "extends")
        return inherit(entry, self._whole(base, (*chain, parent)).as_plain())

    def _definition(self, parent: str, entry: Mapping) -> tuple[str, dict[str, Any]]:
        """The game and definition of the format that ``entry`` extends."""
        if parent not in self._definitions:
            known = ", ".join(self._definitions)
            raise entry.problem(f"extends: no format is called {parent!r}", "extends", known)
        return self._definitions[parent]

    def _from_file(self, path: str, code: str | None) -> Format:
        """A format of the user's own."""
        file = shown_path(path)
        text, _ = read_text(path, limit=LARGEST_FILE, what="a format file")
        entry = load_yaml(text, file)
        own_code = entry.text("format", code or Path(path).stem)
        if own_code in self._definitions:
            raise entry.problem(f"format: {own_code} is the code of a shipped format", "format")
        parent = entry.optional_text("extends")
        if parent is None:
            game = entry.choice("game", self.games)
        else:
            game = self._definition(parent, entry)[0]
            if entry.text("game", game) != game:
                raise entry.problem(f"game: {parent} is a format of {game}", "game")
        defaults = {"title": own_code, "revised": "an unknown day"}
        for key in ("format", "game"):
            entry.entries.pop(key, None)
        if entry.optional_date("revised") is None and parent is None:
            entry = entry.over(defaults)
        known = KnownWords(self.connection, self.games[game])
        for rule in entry.mappings("rules"):
            known.check(rule)
        return parse_format(own_code, self._whole(entry, (own_code,)), self.games[game])

    def of_game(self, game: str) -> list[Format]:
        """The formats of a game that ship."""
        return [self.get(code) for code, (own, _) in self._definitions.items() if own == game]

    def all(self) -> list[Format]:
        """Every format."""
        return [self.get(code) for code in self.codes]

    def default_of(self, game: str) -> Format | None:
        """The format that a game is played in unless another is named."""
        code = self.games[game].definition.get("default_format")
        return self.get(code) if code else None
