"""How many bars that nothing reads are matched to the right known code.

    python -m benchmarks.bars --photos DIR [--synthetic DIR] [--known 10000] [--list]

Three tables. The EAN-13 and UPC-A files of DIR (with ``manifest.tsv`` as for
benchmarks.scan), with their true codes known and as many others as --known says, of which
half share the first seven digits of a true one. Webcam frames of Code 128, of --synthetic or
made here. And bars of all kinds enrolled from one, two and three photos, as if nothing could
be decoded. "Left out" leaves the photo's own code out of the known ones: whatever is matched
then is wrong. Milliseconds are the CPU time that matching adds to a picture.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.frames import frames as made_frames
from benchmarks.scan import Sample, located, manifest, spelled
from digideck.core.problems import InputError
from digideck.scan.decode.reading import as_grey, bars_of, look
from digideck.scan.decode.symbologies import Symbology, ean_check_digit
from digideck.scan.images.libraries import cv2
from digideck.scan.images.pictures import open_picture
from digideck.scan.match.enrol import Enrolled, enrol
from digideck.scan.match.known_bars import KnownBars
from digideck.scan.match.matching import AUTO_CONFIRM, Match, matches, nearest, reaches
from digideck.scan.store.links import Barcode
from digideck.scan.store.profile_text import text_of

ARTICLES = ("EAN13", "UPCA")
OTHERS = ("EAN8", "UPCE", "CODE128", "CODE39", "CODE93", "ITF", "CODABAR", "QR")
FRAMED_CARDS, FRAMES_SEED = 60, 7


@dataclass
class Group:
    """What came of the files of one kind."""

    files: int = 0
    read: int = 0
    right: int = 0
    trusted: int = 0
    trusted_wrong: int = 0
    wrong: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def add(self, name: str, right: Sequence[Match], wrong: Sequence[Match]) -> None:
        """Count the matches of a picture."""
        self.right += bool(right)
        self.trusted += any(reaches(AUTO_CONFIRM, match) for match in right)
        self.trusted_wrong += any(reaches(AUTO_CONFIRM, match) for match in wrong)
        self.wrong += [f"{name}: {_said(match)}" for match in wrong]
        if not right:
            self.lost.append(name)


def known_bars(codes: Iterable[Barcode]) -> KnownBars:
    """Codes of a card each."""
    return KnownBars({code: (place,) for place, code in enumerate(codes)})


def article_codes(samples: list[Sample], count: int) -> list[Barcode]:
    """The true codes and ``count`` others, half of them near a true one."""
    true = sorted({truth for one in samples if one.symbology in ARTICLES for truth in one.truths})
    true = [payload for payload in true if len(payload) == 13 and payload.isdecimal()]
    chance = random.Random(1)
    codes = dict.fromkeys(true)
    while len(codes) < len(true) + count:
        begin = chance.choice(true)[:7] if len(codes) % 2 else ""
        digits = begin + "".join(chance.choice("0123456789") for _ in range(12 - len(begin)))
        codes[digits + str(ean_check_digit(digits))] = None
    return [Barcode("EAN-13", payload) for payload in codes]


def opened(path: str) -> Any:
    """The picture in grey; None where it cannot be opened."""
    try:
        return as_grey(open_picture(path).image)
    except InputError:
        return None


def articles(folder: Path, count: int, listed: bool) -> None:
    """The tables for the EAN-13 and UPC-A files, and for all others."""
    samples = manifest(folder)
    codes = article_codes(samples, count)
    started = time.process_time()
    known = known_bars(codes)
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
    print_table(groups, listed)
    both = [groups[name] for name in ARTICLES]
    files = sum(group.files for group in both)
    read, right = sum(group.read for group in both), sum(group.right for group in both)
    print(
        f"EAN-13 and UPC-A: read {100 * read / files:.1f} %, "
        f"with matching {100 * (read + right) / files:.1f} %"
    )


def print_table(groups: dict[str, Group], listed: bool) -> None:
    """What came of each kind, and the files that were matched wrongly."""
    print(f"\n{'':12}{'files':>6}{'read':>6}{'matched':>8}{'trusted':>8}{'wrong':>6}{'trusted':>8}"
          f"{'left out':>9}{'lost':>6}{'ms mean':>9}{'median':>8}")  # fmt: skip
    for name, group in groups.items():
        times = [1000 * seconds for seconds in group.seconds] or [0.0]
        print(
            f"{name:12}{group.files:6}{group.read:6}{group.right:8}{group.trusted:8}"
            f"{len(group.wrong):6}{group.trusted_wrong:8}{len(group.left_out):9}"
            f"{len(group.lost):6}{statistics.mean(times):9.1f}{statistics.median(times):8.1f}"
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
    group.add(one.path, right, [match for match in found if match not in right])
    without = known.without(Barcode("EAN-13", payload) for payload in one.truths)
    again, _ = _timed(grey, seen.unread, without)
    group.left_out += [f"{one.path}: {_said(match)}" for match in again]


def _timed(grey: Any, boxes: Iterable[Any], known: KnownBars) -> tuple[list[Match], float]:
    start = time.process_time()
    found = matches(grey, list(boxes), known)
    return found, time.process_time() - start


def _said(match: Match) -> str:
    return (
        f"{match.code.short} similarity {match.similarity:.3f} margin {match.margin:.3f} "
        f"weakest {match.weakest:.2f}"
    )


def frames(folder: Path | None, count: int, listed: bool) -> None:
    """The table for webcam frames of Code 128, of a folder or made here."""
    wanted = list(_stored_frames(folder) if folder else made_frames(FRAMED_CARDS, FRAMES_SEED))
    chance = random.Random(2)
    codes = dict.fromkeys(payload for payload, _ in wanted)
    true = list(codes)
    while len(codes) < len(true) + count:
        text = chance.choice(true)
        kept = len(text) - 4 if len(codes) % 2 else 0
        codes[text[:kept] + "".join(_like(chance, char) for char in text[kept:])] = None
    kind = str(Symbology.CODE_128)
    known = known_bars(Barcode(kind, payload) for payload in codes)
    group = Group()
    for number, (payload, grey) in enumerate(wanted):
        group.files += 1
        seen = look(grey)
        if any(one.payload == payload for one in seen.reads):
            group.read += 1
            continue
        found, took = _timed(grey, seen.unread, known)
        group.seconds.append(took)
        right = [match for match in found if match.code.payload == payload]
        name = f"frame {number} of {payload}"
        group.add(name, right, [match for match in found if match not in right])
        again = matches(grey, seen.unread, known.without([Barcode(kind, payload)]))
        group.left_out += [f"{name}: {_said(match)}" for match in again]
    print_table({"frames": group}, listed)
    print(
        f"Code 128 frames: read {100 * group.read / group.files:.1f} %, "
        f"with matching {100 * (group.read + group.right) / group.files:.1f} %"
    )


def _stored_frames(folder: Path) -> Iterable[tuple[str, Any]]:
    for line in filter(None, (folder / "manifest_syn.tsv").read_text("utf-8").split("\n")):
        path, _, _, kind, value = line.split("\t")
        if kind == "CODE128":
            yield spelled(kind, value), opened(located(folder, path))


def _like(chance: random.Random, char: str) -> str:
    return chance.choice("0123456789" if char.isdecimal() else "ABCDEFGHJKLMNPRSTUVWXYZ")


def enrolling(folder: Path, listed: bool) -> None:
    """The table for codes of which the one, two and three sharpest photos are enrolled."""
    by_code: dict[str, list[tuple[Sample, Any, Any]]] = defaultdict(list)
    for one in manifest(folder):
        if one.symbology in (*ARTICLES, *OTHERS[:-1]):
            grey = opened(one.path)
            boxes = bars_of(grey) if grey is not None else ()
            profile = next(filter(None, (enrol(grey, box) for box in boxes)), None)
            by_code[one.wanted].append((one, grey, profile))
    by_code = {code: photos for code, photos in by_code.items() if len(photos) > 1}
    similarities(
        {code: [photo[2] for photo in photos if photo[2]] for code, photos in by_code.items()}
    )
    for count in (1, 2, 3):
        names: dict[Barcode, tuple[str, str]] = {}  # the code and the photo of each profile
        for wanted, photos in by_code.items():
            sharp = [photo for photo in photos if photo[2] is not None and photo[2].sharp]
            sharp.sort(key=lambda photo: -photo[2].sharpness)
            for sample, _, profile in sharp[:count]:
                names[Barcode("profile", text_of(profile.samples))] = wanted, sample.path
        places = {wanted: place for place, wanted in enumerate(by_code)}
        known = KnownBars({code: (places[wanted],) for code, (wanted, _) in names.items()})
        group = Group()
        enrolled = {path for _, path in names.values()}
        for wanted, photos in by_code.items():
            without = known.without(code for code, (name, _) in names.items() if name == wanted)
            for sample, grey, _ in photos:
                if sample.path in enrolled or grey is None:
                    continue
                group.files += 1
                boxes = bars_of(grey)
                found, took = _timed(grey, boxes, known)
                group.seconds.append(took)
                right = [match for match in found if names[match.code][0] == wanted]
                group.add(sample.path, right, [match for match in found if match not in right])
                again = matches(grey, boxes, without)
                group.left_out += [f"{sample.path}: {_said(match)}" for match in again]
        print_table({f"{count} enrolled": group}, listed)
        print(
            f"{len(names)} profiles of {len(by_code)} codes: {group.right} of {group.files} other "
            f"photos matched rightly ({100 * group.right / max(1, group.files):.1f} %)"
        )


def similarities(profiles: dict[str, list[Enrolled]]) -> None:
    """How much the sharpest profile of each code is like the others', and like its own others."""
    codes = {name: Barcode("profile", text_of(max(found, key=lambda one: one.sharpness).samples))
             for name, found in profiles.items() if found}  # fmt: skip
    known = KnownBars({code: (place,) for place, code in enumerate(codes.values())},
                      fewest_rivals=0)  # fmt: skip
    same, different = [], []
    for name, code in codes.items():
        alone = known.without(set(codes.values()) - {code})
        others = known.without([code])
        for one in profiles[name]:
            for like, among in ((same, alone), (different, others)):
                found = nearest(one.samples, among)
                if found is not None and one.code != code:
                    like.append(found[1])
    print(
        f"\nprofiles of {len(codes)} codes: those of one code are alike by "
        f"{statistics.median(same):.2f} (median), different ones by {max(different):.2f} at most"
    )


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.bars", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--photos", type=Path, metavar="DIR", required=True)
    parser.add_argument("--synthetic", type=Path, metavar="DIR")
    parser.add_argument("--known", type=int, default=10_000, metavar="N")
    parser.add_argument("--list", action="store_true", help="name the files that are lost")
    options = parser.parse_args(arguments)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the workers of a scan do
    cv2.setNumThreads(1)
    articles(options.photos, options.known, options.list)
    frames(options.synthetic, options.known, options.list)
    enrolling(options.photos, options.list)
    return 0


if __name__ == "__main__":
    sys.exit(main())
