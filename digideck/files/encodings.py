"""Which encoding a text is in: by its mark, as told, else UTF-8. Others are only suggested."""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, NamedTuple

from digideck.core.codes import Code
from digideck.core.problems import InputError, input_error

SAMPLE = 65_536  # bytes that tell what kind of file it is
CHUNK = 1 << 20
_MARK = "by its byte order mark"
_BOMS = (  # UTF-32's before UTF-16's, which one of them begins with
    (codecs.BOM_UTF32_LE, "utf-32", f"UTF-32 (little-endian, {_MARK})"),
    (codecs.BOM_UTF32_BE, "utf-32", f"UTF-32 (big-endian, {_MARK})"),
    (codecs.BOM_UTF8, "utf-8-sig", "UTF-8 with a byte order mark"),
    (codecs.BOM_UTF16_LE, "utf-16", f"UTF-16 (little-endian, {_MARK})"),
    (codecs.BOM_UTF16_BE, "utf-16", f"UTF-16 (big-endian, {_MARK})"),
)
_JAPANESE = ("cp932", "euc-jp")
_WIDE = ("utf-16", "utf-32")  # whose letters have NUL bytes
_BY_END = tuple(f"{name}-{end}" for name in _WIDE for end in ("le", "be"))
_FULL_KANA = re.compile(r"[ぁ-ヿ]")
_HALF_KANA = re.compile(r"[｡-ﾟ]")
# A voicing mark stands behind what it can voice, a small kana and a long vowel behind another.
_HALF_WORD = re.compile(
    r"(?<![｡-ﾟ])(?:(?:(?<=[A-Z])･)?"
    r"(?:(?:[ｳｶ-ﾄﾊ-ﾎ]ﾞ|[ﾊ-ﾎ]ﾟ|[ｱ-ﾝ])[ｧ-ｰ]*(?:･(?=[A-Zｱ-ﾝ]))?)+|[｡-･])(?![｡-ﾟ])"
)
_USUAL = re.compile(r"[\t\r\n -~\u3000-ヿ\uff00-\uffef]")
_WIDE_LETTER = re.compile(r"[\u3000-鿿\uff00-\uffef]")  # in UTF-8 never by chance
_UTF_8_AS_LATIN = re.compile(r"[ÂÃ][\u00a0-¿]")
_KANJI = re.compile(r"[一-鿿]")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
# One such letter within a Latin word is an accent or an apostrophe of another encoding.
_ALONE = re.compile(
    r"(?<=[A-Za-z])[^\x00-\x7f](?![^\x00-\x7f])|(?<![^\x00-\x7f])[^\x00-\x7f](?=[A-Za-z])"
    r"|(?<![^\x00-\x7f])[｡-ﾟ](?![^\x00-\x7f])"
)


class Encoding(NamedTuple):
    """Python's name of an encoding, and how it came about, in words."""

    name: str
    words: str


def encoding_by_mark(data: bytes) -> Encoding | None:
    """The encoding that a byte order mark at the beginning tells."""
    return next((Encoding(name, words) for bom, name, words in _BOMS if data.startswith(bom)), None)


def encoding_of(file: IO[bytes], shown: str, named: str | None, declared: str | None) -> Encoding:
    """Which encoding all bytes of ``file`` are in. Nothing is guessed, only suggested."""
    sample = file.read(SAMPLE)
    found = encoding_by_mark(sample)
    if found is None:
        taken = named or declared or "utf-8"
        why = " as told" if named else " as the file declares" if declared else ""
        found = Encoding(_known(taken, sample, shown), taken.upper() + why)
    _try_all(file, found.name, shown)
    return found


def _known(encoding: str, sample: bytes, shown: str) -> str:
    """Python's name for the encoding of a file without a mark. Raises InputError for none."""
    try:
        "a".encode(encoding)  # refuses what is no encoding of text, such as "hex"
    except (LookupError, ValueError):
        raise input_error(
            Code.UNKNOWN_ENCODING,
            f"no encoding is called {encoding!r}",
            file=shown,
            allowed="utf-8, utf-16, cp932, euc-jp, cp1252 and Python's other names",
            next_step="one of: utf-8, utf-16-le, utf-16-be, cp932 (Shift_JIS), euc-jp, cp1252",
        ) from None
    name = codecs.lookup(encoding).name
    if name not in _WIDE:
        return encoding
    return _likeliest(sample, (f"{name}-le", f"{name}-be")) or f"{name}-le"


def _try_all(file: IO[bytes], encoding: str, shown: str) -> None:
    """Decode the whole file for nothing, so that a wrong byte is found before any row is."""
    decoder = codecs.getincrementaldecoder(encoding)()
    wide = codecs.lookup(encoding).name.startswith(_WIDE)
    file.seek(0)
    offset = lines = 0
    while True:
        chunk = file.read(CHUNK)
        pending = len(decoder.getstate()[0])
        if not wide and b"\0" in chunk:
            place = chunk.index(0)
            line = lines + chunk.count(b"\n", 0, place) + 1
            raise _not_text(file, encoding, f"NUL byte at offset {offset + place}", shown, line)
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            line = lines + chunk.count(b"\n", 0, max(0, error.start - pending)) + 1
            place = offset - pending + error.start
            raise _wrong_byte(file, encoding, place, shown, line) from None
        if wide and "\0" in text:
            raise _not_text(file, encoding, "it has NUL characters", shown, None)
        if not chunk:
            return
        offset += len(chunk)
        lines += chunk.count(b"\n")


def _not_text(file: IO[bytes], tried: str, what: str, shown: str, line: int | None) -> InputError:
    file.seek(0)
    guess = _likeliest(file.read(SAMPLE), _BY_END)
    step = "check that this is the file you meant, and save it as text"
    if guess and guess != codecs.lookup(tried).name:
        name = guess[:6].upper()
        step = f"if it is {name} text without a byte order mark, add --encoding {guess}"
    return input_error(
        Code.NOT_TEXT, f"not a text file: {what}", file=shown, line=line, next_step=step
    )


def _likeliest(sample: bytes, encodings: Iterable[str]) -> str | None:
    """The one of ``encodings`` in which ``sample`` is mostly usual letters; None for none."""
    texts = {name: _decoded(sample, name) for name in encodings}
    usual = {
        name: 2 * len(_USUAL.findall(text)) + len(_KANJI.findall(text))
        for name, text in texts.items()
    }
    best = max(usual, key=lambda name: usual[name])
    return best if usual[best] > len(texts[best]) else None


def _decoded(sample: bytes, encoding: str) -> str:
    """``sample``, maybe cut short, as text; empty where that is none or has control characters."""
    text = ""
    with suppress(UnicodeDecodeError):
        text = codecs.getincrementaldecoder(encoding)().decode(sample)
    kinds = (unicodedata.category(char) for char in text if char not in "\t\r\n")
    return "" if any(kind in ("Cc", "Cn", "Co", "Cs") for kind in kinds) else text


def _wrong_byte(file: IO[bytes], encoding: str, offset: int, shown: str, line: int) -> InputError:
    file.seek(offset)
    found = file.read(1)
    byte = f"byte 0x{found[0]:02X}" if found else "the end of the file"
    fitting = " or ".join(f"--encoding {name}" for name in _fitting(file, encoding))
    step = f"name the file's encoding with --encoding; {', '.join(_JAPANESE)} do not fit either"
    file.seek(0)
    before = file.read(min(offset, SAMPLE)).decode(encoding, "ignore")
    if encoding.startswith("utf-8") and _WIDE_LETTER.search(before):
        step = "what stands before it is UTF-8: the file is damaged there, save it again"
    elif fitting:
        step = f"name the file's encoding; its bytes would fit {fitting}"
    message = f"{byte} at offset {offset} is not {encoding}"
    return input_error(Code.WRONG_ENCODING, message, file=shown, line=line, next_step=step)


def _fitting(file: IO[bytes], tried: str) -> list[str]:
    """Encodings in which the bytes at hand would be text, the likelier first."""
    file.seek(0)
    sample = file.read(8 * SAMPLE)
    texts = {name: _decoded(sample, name) for name in ("utf-8", *_JAPANESE, "cp1252")}
    texts.pop(tried.removesuffix("-sig"), None)
    if texts.get("utf-8"):
        return ["utf-8"]
    japanese = {name: _kana(texts[name]) for name in _JAPANESE if _is_japanese(texts.get(name, ""))}
    if japanese:  # kanji alone, or half-width kana alone, may be either
        best = max(japanese.values())
        return [name for name in japanese if japanese[name] == best or best <= 0]
    latin = texts.get("cp1252", "")
    runs = _FOREIGN.findall(latin)
    long = sum(len(run) > 2 for run in runs)
    fits = runs and 2 * long <= len(runs) and not _UTF_8_AS_LATIN.search(latin)
    return ["cp1252"] if fits else []


def _is_japanese(text: str) -> bool:
    """Whether what is not ASCII in ``text`` are words, and no accents within Latin ones."""
    half = len(re.findall(r"[｡-ﾟ]+", text)) - len(_HALF_WORD.findall(text))
    return bool(text) and 2 * (len(_ALONE.findall(text)) + half) <= len(_FOREIGN.findall(text))


def _kana(text: str) -> int:
    """How much of ``text`` is kana; half-width ones that make no word speak against it."""
    words = sum(len(word) for word in _HALF_WORD.findall(text) if set(word) & set("ﾝﾞﾟｰ"))
    return len(_FULL_KANA.findall(text)) + 3 * words - 2 * len(_HALF_KANA.findall(text))
