"""The operations with their arguments and results as Markdown, for operations.md."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any

import digideck.operations


def reference() -> str:
    """A section a file of the operations, in the order of their names."""
    text = "\n".join(line for module in _modules() for line in _section(module))
    return text.replace("]]]", "]] ]")  # else it would end cog's own part of the page


def _modules() -> Iterator[ModuleType]:
    for entry in pkgutil.walk_packages(digideck.operations.__path__, "digideck.operations."):
        yield importlib.import_module(entry.name)


def _section(module: ModuleType) -> Iterator[str]:
    found = [value for value in vars(module).values() if _is_own(value, module)]
    functions = [value for value in found if isinstance(value, FunctionType) and _takes_db(value)]
    classes = [value for value in found if isinstance(value, type) and _fields(value)]
    sessions = [value for value in found if isinstance(value, type) and _is_session(value)]
    if not functions and not classes and not sessions:
        return
    yield f"## {module.__name__.removeprefix('digideck.')}\n"
    yield f"{inspect.getdoc(module)}\n"
    for function in functions:
        yield _block(_signature(function), function)
    for session in sessions:
        yield _block(_signature(session).partition(" -> ")[0], session)
        for name, step in vars(session).items():
            if isinstance(step, FunctionType) and not name.startswith("_"):
                yield _block(f"{session.__name__}.{_signature(step)}", step)
    for kind in classes:
        yield _block(_fields(kind), kind)


def _is_own(value: Any, module: ModuleType) -> bool:
    named = isinstance(value, (type, FunctionType)) and value.__module__ == module.__name__
    return named and not value.__name__.startswith("_")


def _takes_db(function: FunctionType) -> bool:
    """Whether it is an operation: what opens the database, not what helps with results."""
    return "db" in inspect.signature(function).parameters


def _is_session(kind: type) -> bool:
    """Whether it is an operation of several steps."""
    return not dataclasses.is_dataclass(kind) and "db" in inspect.signature(kind).parameters


def _block(code: str, what: object) -> str:
    return f"```python\n{code}\n```\n\n{inspect.getdoc(what)}\n"


def _signature(function: FunctionType | type) -> str:
    parts = []
    starred = False
    for parameter in inspect.signature(function).parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
            starred = True
        default = "" if parameter.default is parameter.empty else f" = {_shown(parameter.default)}"
        parts.append(f"{parameter.name}: {parameter.annotation}{default}")
    result = inspect.signature(function).return_annotation
    line = f"{function.__name__}({', '.join(parts)}) -> {result}"
    if len(line) <= 90:
        return line
    listed = "".join(f"    {part},\n" for part in parts)
    return f"{function.__name__}(\n{listed}) -> {result}"


def _shown(default: object) -> str:
    if dataclasses.is_dataclass(default):
        return f"{type(default).__name__}()"
    if isinstance(default, FunctionType):
        return "..."
    return f'"{default}"' if isinstance(default, str) else repr(default)


def _fields(kind: type) -> str:
    """A class as it is written; nothing for one that is no plain value."""
    lines = [f"class {kind.__name__}:"]
    if issubclass(kind, tuple):
        kinds = {name: kind.__annotations__[name].__forward_arg__ for name in kind._fields}
        return "\n".join([*lines, *(f"    {name}: {of}" for name, of in kinds.items())])
    if not dataclasses.is_dataclass(kind):
        return ""
    for entry in dataclasses.fields(kind):
        key = entry.metadata.get("json", entry.name)
        notes = {entry.name: "", None: "  # not in JSON", "": "  # in JSON its fields stand here"}
        note = notes.get(key, f"  # in JSON: {key}")
        lines.append(f"    {entry.name}: {entry.type}{_default(entry)}{note}")
    return "\n".join(lines)


def _default(entry: dataclasses.Field[Any]) -> str:
    if entry.default is not dataclasses.MISSING:
        return f" = {_shown(entry.default)}"
    factory = entry.default_factory
    return "" if factory is dataclasses.MISSING else f" = {getattr(factory, '__name__', '')}()"
