"""``digideck completion``"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any

import typer

from digideck.cli.main import COMMANDS, GROUPS, LazyGroup, root
from digideck.cli.render.output import print_exactly


class Shell(StrEnum):
    """The shells that there is a completion for."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"


# What completes an argument or option, by the word that its help shows for it.
_KINDS = {
    "CARD": "cards",
    "QUERY": "cards",
    "GAME": "games",
    "FORMAT": "formats",
    "FORM": "forms",
    "SET": "sets",
}


@dataclass
class Words:
    """What may follow a command: its options, what completes their values, and its arguments."""

    options: dict[str, str] = field(default_factory=dict)  # option: help
    values: dict[str, str] = field(default_factory=dict)  # option with a value: kind, "" for files
    arguments: str = ""  # kind, "" for files


def run(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh or fish.", metavar="SHELL")],
) -> None:
    r"""\b
    bash: digideck completion bash > ~/.local/share/bash-completion/completions/digideck
    zsh:  digideck completion zsh > a folder of $fpath, as _digideck
    fish: digideck completion fish > ~/.config/fish/completions/digideck.fish

    Completes commands, options, card numbers, set codes, games, formats and forms.
    """
    print_exactly("".join(f"{line}\n" for line in _SCRIPTS[shell](_all_words())))


def _all_words() -> dict[str, Words]:
    """By the words of the command: "show", "deck check"."""
    words: dict[str, Words] = {}
    top = root()
    for name in COMMANDS:
        group = top.get_command(None, name)
        if isinstance(group, LazyGroup):
            for sub in GROUPS[name]:
                words[f"{name} {sub}"] = _words_of(group.get_command(None, sub))
        else:
            words[name] = _words_of(group)
    return words


def _words_of(command: Any) -> Words:
    words = Words()
    for param in command.params:
        metavar = (param.metavar or "").strip("[].")
        kind = _KINDS.get(metavar, "")
        if not param.opts[0].startswith("-"):
            words.arguments = words.arguments or kind
            continue
        help_line = (param.help or "").partition(".")[0].replace("'", "")
        for option in param.opts:
            words.options[option] = help_line
            if not param.is_flag:
                words.values[option] = kind
    words.options["--help"] = "Show the help"
    return words


def _bash(words: dict[str, Words]) -> Iterator[str]:
    yield "_digideck() {"
    yield '    local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}"'
    yield '    local command="${COMP_WORDS[1]}" kind="files"'
    groups = "|".join(GROUPS)
    yield f'    case "$command" in {groups}) command="$command ${{COMP_WORDS[2]}}";; esac'
    yield "    COMPREPLY=()"
    yield "    if [ $COMP_CWORD -eq 1 ]; then"
    yield f'        COMPREPLY=($(compgen -W "{" ".join(COMMANDS)}" -- "$cur")); return'
    yield "    fi"
    for group, commands in GROUPS.items():
        yield f'    if [ $COMP_CWORD -eq 2 ] && [ "${{COMP_WORDS[1]}}" = {group} ]; then'
        yield f'        COMPREPLY=($(compgen -W "{" ".join(commands)}" -- "$cur")); return'
        yield "    fi"
    yield '    case "$command" in'
    for command, found in words.items():
        yield f'        "{command}")'
        yield f"            kind={found.arguments or 'files'}"
        yield '            if [[ "$cur" == -* ]]; then'
        options = " ".join(found.options)
        yield f'                COMPREPLY=($(compgen -W "{options}" -- "$cur")); return'
        yield "            fi"
        yield '            case "$prev" in'
        for option, value_kind in found.values.items():
            yield f"                {option}) kind={value_kind or 'files'};;"
        yield "            esac;;"
    yield "    esac"
    yield '    if [ "$kind" = files ]; then COMPREPLY=($(compgen -f -- "$cur")); return; fi'
    yield "    local IFS=$'\\n'"
    yield '    COMPREPLY=($(digideck __complete "$kind" "$cur" 2>/dev/null))'
    yield "}"
    yield "complete -o filenames -o bashdefault -F _digideck digideck"


def _zsh(words: dict[str, Words]) -> Iterator[str]:
    yield "#compdef digideck"
    yield "_digideck() {"
    yield '    local cur="${words[CURRENT]}" prev="${words[CURRENT-1]}" kind=files'
    yield '    local command="${words[2]}"'
    yield f'    case "$command" in {"|".join(GROUPS)}) command="$command ${{words[3]}}";; esac'
    yield "    if (( CURRENT == 2 )); then"
    yield "        local -a commands=("
    for name, help_line in COMMANDS.items():
        yield f"            {_zsh_entry(name, help_line)}"
    yield "        ); _describe command commands; return"
    yield "    fi"
    for group, commands in GROUPS.items():
        yield f'    if (( CURRENT == 3 )) && [[ "${{words[2]}}" == {group} ]]; then'
        yield "        local -a commands=("
        for name, help_line in commands.items():
            yield f"            {_zsh_entry(name, help_line)}"
        yield "        ); _describe command commands; return"
        yield "    fi"
    yield '    case "$command" in'
    for command, found in words.items():
        yield f'        "{command}")'
        yield f"            kind={found.arguments or 'files'}"
        yield '            if [[ "$cur" == -* ]]; then'
        entries = " ".join(_zsh_entry(name, text) for name, text in found.options.items())
        yield f"                local -a options=({entries}); _describe option options; return"
        yield "            fi"
        yield '            case "$prev" in'
        for option, value_kind in found.values.items():
            yield f"                {option}) kind={value_kind or 'files'};;"
        yield "            esac;;"
    yield "    esac"
    yield "    if [[ $kind == files ]]; then _files; return; fi"
    yield '    compadd -U -- ${(f)"$(digideck __complete $kind "$cur" 2>/dev/null)"}'
    yield "}"
    yield '_digideck "$@"'


def _zsh_entry(name: str, help_line: str) -> str:
    return "'" + f"{name}:{help_line}".replace("'", "") + "'"


def _fish(words: dict[str, Words]) -> Iterator[str]:
    yield "complete -c digideck -f"
    for name, help_line in COMMANDS.items():
        yield f"complete -c digideck -n __fish_use_subcommand -a {name} -d {_quoted(help_line)}"
    for group, commands in GROUPS.items():
        seen = f"__fish_seen_subcommand_from {group}"
        none = " ".join(commands)
        for name, help_line in commands.items():
            condition = f"'{seen}; and not __fish_seen_subcommand_from {none}'"
            yield f"complete -c digideck -n {condition} -a {name} -d {_quoted(help_line)}"
    for command, found in words.items():
        parts = [f"__fish_seen_subcommand_from {word}" for word in command.split()]
        condition = f"'{'; and '.join(parts)}'"
        files = "-F" if not found.arguments else _fish_words(found.arguments)
        yield f"complete -c digideck -n {condition} {files}"
        for option, help_line in found.options.items():
            flag = f"-l {option[2:]}" if option.startswith("--") else f"-s {option[1:]}"
            value = ""
            if option in found.values:
                kind = found.values[option]
                value = f" -r {_fish_words(kind) if kind else '-F'}"
            yield f"complete -c digideck -n {condition} {flag}{value} -d {_quoted(help_line)}"


def _fish_words(kind: str) -> str:
    return f"-a '(digideck __complete {kind} (commandline -ct) 2>/dev/null)'"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "") + "'"


_SCRIPTS = {Shell.BASH: _bash, Shell.ZSH: _zsh, Shell.FISH: _fish}
