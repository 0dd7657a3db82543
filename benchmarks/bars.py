"""How many bars that nothing reads are matched to the right known code.

    python -m benchmarks.bars --photos DIR [--synthetic DIR] [--known 10000] [--list]

DIR holds ``manifest.tsv`` as for benchmarks.scan. The known codes are the true ones of
the EAN-13 and UPC-A files and as many others as --known says, of which half share the
first seven digits of a true one. "Left out" leaves the photo's own codes out of the
known ones: whatever is matched then is wrong. Milliseconds are CPU time, locating included.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.scan import Sample, manifest
from digideck.scan.enrol import enrol
from digideck.scan.links import Code
from digideck.scan.matching import TRUSTED, KnownBars, Match, matches, reaches
from digideck.scan.pictures import Picture, open_picture, opencv
from digideck.scan.profile_text import text_of
from digideck.scan.reading import as_grey, bars_of, look
from digideck.scan.symbologies import Symbology, ean_check_digit

ARTICLES = ("EAN13", "UPCA")
OTHERS = ("EAN8", "UPCE", "CODE128", "CODE39", "CODE93", "ITF", "CODABAR", "QR")


@dataclass
class Group:
    """What came of the files of one kind."""

    files: int = 0
    read: int = 0
    right: int = 0
    trusted: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def article_codes(samples: list[Sample], count: int) -> list[Code]:
    """The true codes and ``count`` others, half of them near a true one."""
    true = sorted({truth for one in samples if one.symbology in ARTICLES for truth in one.truths})
    true = [payload for payload in true if len(payload) == 13 and payload.isdecimal()]
    chance = random.Random(1)
    codes = dict.fromkeys(true)
    while len(codes) < len(true) + count:
        begin = chance.choice(true)[:7] if len(codes) % 2 else ""
        digits = begin + "".join(chance.choice("0123456789") for _ in range(12 - len(begin)))
        codes[digits + str(ean_check_digit(digits))] = None
    return [Code("EAN-13", payload) for payload in codes]


def opened(path: str) -> Any:
    """The picture in grey; None where it cannot be opened."""
    picture = open_picture(path)
    return as_grey(picture.image) if isinstance(picture, Picture) else None


def articles(folder: Path, count: int, listed: bool) -> None:
    """The tables for the EAN-13 and UPC-A files, and for all others."""
    samples = manifest(folder)
    codes = article_codes(samples, count)
    started = time.process_time()
    known = KnownBars(codes)
    print(f"{len(codes):,} known codes, made in {time.process_time() - started:.2f} s CPU")
    groups: dict[str, Group] = defaultdict(Group)
    for one in samples:
        grey = opened(one.path)
        if grey is None:
            continue
        group = groups[one.symbology]
        group.files += 1
        seen = look(grey)
        if one.symbology in ARTICLES:
            _article(group, one, grey, seen, known)
        elif not seen.reads or one.symbology in OTHERS:
            found, seconds = _timed(grey, seen.unread, known)
            group.seconds.append(seconds)
            group.wrong += [f"{one.path}: {_said(match)}" for match in found]
    print(f"{'':12}{'files':>6}{'read':>6}{'matched':>8}{'wrong':>6}{'left out':>9}{'lost':>6}"
          f"{'ms mean':>9}{'median':>8}")  # fmt: skip
    for name, group in groups.items():
        times = [1000 * seconds for seconds in group.seconds] or [0.0]
        print(
            f"{name:12}{group.files:6}{group.read:6}{group.right:8}{len(group.wrong):6}"
            f"{len(group.left_out):9}{len(group.lost):6}{statistics.mean(times):9.1f}"
            f"{statistics.median(times):8.1f}"
        )
    both = [groups[name] for name in ARTICLES]
    files = sum(group.files for group in both)
    read, right = sum(group.read for group in both), sum(group.right for group in both)
    print(
        f"EAN-13 and UPC-A: read {100 * read / files:.1f} %, "
        f"with matching {100 * (read + right) / files:.1f} %, of {right} matches "
        f"{sum(group.trusted for group in both)} trusted"
    )
    for name, group in groups.items():
        for word in ("wrong", "left_out", *(("lost",) if listed else ())):
            for line in getattr(group, word):
                print(f"  {name} {word}: {line}")


def _article(group: Group, one: Sample, grey: Any, seen: Any, known: KnownBars) -> None:
    if any(read.payload in one.truths for read in seen.reads):
        group.read += 1
        return
    found, seconds = _timed(grey, seen.unread, known)
    group.seconds.append(seconds)
    right = [match for match in found if match.code.payload in one.truths]
    group.right += bool(right)
    group.trusted += any(reaches(TRUSTED, match) for match in right)
    group.wrong += [f"{one.path}: {_said(match)}" for match in found if match not in right]
    if not right:
        group.lost.append(one.path)
    without = known.without(Code("EAN-13", payload) for payload in one.truths)
    again, _ = _timed(grey, seen.unread, without)
    group.left_out += [f"{one.path}: {_said(match)}" for match in again]


def _timed(grey: Any, boxes: Iterable[Any], known: KnownBars) -> tuple[list[Match], float]:
    start = time.process_time()
    found = matches(grey, list(boxes), known)
    return found, time.process_time() - start


def _said(match: Match) -> str:
    return (
        f"{match.code.payload} likeness {match.likeness:.3f} margin {match.margin:.3f} "
        f"weakest {match.weakest:.2f}"
    )


def frames(folder: Path, count: int) -> None:
    """Made webcam frames of Code 128: read, matched, wrong."""
    from benchmarks.scan import KINDS, located, spelled

    rows = [
        line.split("\t") for line in (folder / "manifest_syn.tsv").read_text().split("\n") if line
    ]
    wanted = [
        (located(folder, row[0]), spelled(row[3], row[4])) for row in rows if row[3] == "CODE128"
    ]
    chance = random.Random(2)
    codes = dict.fromkeys(payload for _, payload in wanted)
    true = list(codes)
    while len(codes) < len(true) + count:
        text = chance.choice(true)
        kept = len(text) - 4 if len(codes) % 2 else 0
        codes[text[:kept] + "".join(_like(chance, char) for char in text[kept:])] = None
    known = KnownBars([Code(str(KINDS["CODE128"]), payload) for payload in codes])
    read = right = wrong = left_out = 0
    seconds = []
    for path, payload in wanted:
        grey = opened(path)
        seen = look(grey)
        if any(one.payload == payload for one in seen.reads):
            read += 1
            continue
        found, took = _timed(grey, seen.unread, known)
        seconds.append(took)
        hit = any(match.code.payload == payload for match in found)
        right += hit
        wrong += sum(match.code.payload != payload for match in found)
        for match in found:
            if match.code.payload != payload:
                print(f"  wrong {path}: {payload}, {_said(match)}")
        without = known.without([Code(str(KINDS["CODE128"]), payload)])
        left_out += len(matches(grey, seen.unread, without))
    print(
        f"\nCode 128 frames: {len(wanted)}, read {read}, matched {right}, wrong {wrong}, "
        f"left out {left_out}: {100 * (read + right) / max(1, len(wanted)):.1f} %, "
        f"{1000 * statistics.mean(seconds or [0]):.0f} ms a missed frame"
    )


def _like(chance: random.Random, char: str) -> str:
    return chance.choice("0123456789" if char.isdecimal() else "ABCDEFGHJKLMNPRSTUVWXYZ")


def enrolling(folder: Path) -> None:
    """One photo of each code enrolled, the others recognised, as if nothing could be decoded."""
    by_code: dict[str, list[tuple[float, str, Any]]] = defaultdict(list)
    for one in manifest(folder):
        if one.symbology not in (*ARTICLES, *OTHERS[:-1]):
            continue
        grey = opened(one.path)
        boxes = bars_of(grey) if grey is not None else ()
        enrolled = next(filter(None, (enrol(grey, box) for box in boxes)), None)
        by_code[one.wanted].append((enrolled.sharpness if enrolled else 0.0, one.path, enrolled))
    photographed = {code: photos for code, photos in by_code.items() if len(photos) > 1}
    names = {}
    for code, photos in photographed.items():
        best = max(photos, key=lambda photo: photo[0])
        if best[2] is not None:
            names[text_of(best[2].samples)] = (code, best[1])
    known = KnownBars([Code(str(Symbology.PROFILE), text) for text in names])
    right = wrong = none = false = 0
    for code, photos in photographed.items():
        for _, path, _ in photos:
            if any(source == path for _, source in names.values()):
                continue
            grey = opened(path)
            boxes = bars_of(grey) if grey is not None else ()
            found = {names[match.code.payload][0] for match in matches(grey, boxes, known)}
            right += code in found
            none += not found
            wrong += bool(found - {code})
            own = [Code("profile", text) for text, (name, _) in names.items() if name == code]
            false += bool(matches(grey, boxes, known.without(own)))
    total = right + wrong + none
    print(
        f"\nenrolled from one photo: {len(names)} codes; of the {total} other photos "
        f"{right} right ({100 * right / max(1, total):.1f} %), {wrong} wrong, {none} nothing; "
        f"left out: {false}"
    )


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bars", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--photos", type=Path, metavar="DIR", required=True)
    parser.add_argument("--synthetic", type=Path, metavar="DIR")
    parser.add_argument("--known", type=int, default=10_000, metavar="N")
    parser.add_argument("--list", action="store_true", help="name the files that are lost")
    parser.add_argument("--enrol", action="store_true", help="enrolled profiles too")
    options = parser.parse_args(arguments)
    opencv().setNumThreads(1)
    articles(options.photos, options.known, options.list)
    if options.synthetic:
        frames(options.synthetic, options.known)
    if options.enrol:
        enrolling(options.photos)
    return 0


if __name__ == "__main__":
    sys.exit(main())
