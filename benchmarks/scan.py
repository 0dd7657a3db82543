"""How many codes in labelled photos are read, beside plain calls of the two readers.

    python -m benchmarks.scan --photos DIR [--no-zbar] [--synthetic DIR] [--list]

DIR holds pictures and ``manifest.tsv`` (path, source, set, symbology, value,
also_visible; tab-separated). Symbology NEG: no readable code; NEG2D: only codes
of kinds that are not read. ``--synthetic`` names a folder of made card photos:
``manifest_syn.tsv`` (path, source, set, symbology, value) and ``binder.json``
(page -> [[symbology, value], ...]).

CPU time is of reading alone, with OpenCV on one thread; files are decoded before,
and some are read once untimed, so that loading the libraries counts for no reader.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from digideck.core.problems import InputError
from digideck.scan.decode import engines
from digideck.scan.decode.engines import Read
from digideck.scan.decode.reading import read_picture
from digideck.scan.decode.symbologies import Symbology, canonical, link_key
from digideck.scan.images.libraries import cv2
from digideck.scan.images.pictures import open_picture
from digideck.scan.store.links import Barcode, itf_lengths

KINDS = {
    "EAN13": Symbology.EAN_13,
    "EAN8": Symbology.EAN_8,
    "UPCA": Symbology.UPC_A,
    "UPCE": Symbology.UPC_E,
    "CODE128": Symbology.CODE_128,
    "CODE39": Symbology.CODE_39,
    "CODE93": Symbology.CODE_93,
    "ITF": Symbology.ITF,
    "CODABAR": Symbology.CODABAR,
}
Reader = Callable[[Any], list[tuple[str, str]]]


@dataclass(frozen=True)
class Sample:
    """One labelled picture: what may be read in it, and what should be."""

    path: str
    source: str
    symbology: str
    wanted: str
    truths: frozenset[str]


@dataclass
class Tally:
    """What one reader made of some files."""

    files: int = 0
    right: int = 0
    wrong: int = 0
    nothing: int = 0
    seconds: float = 0.0
    lost: list[str] = field(default_factory=list)
    misread: list[str] = field(default_factory=list)

    def add(self, sample: Sample, payloads: Iterable[str], seconds: float) -> None:
        """Count one file; it is wrong where any payload in it is."""
        read = {comparable(payload) for payload in payloads}
        self.files += 1
        self.seconds += seconds
        if read & sample.truths:
            self.right += 1
        else:
            self.lost.append(sample.path)
        if read - sample.truths:
            self.wrong += 1
            self.misread.append(f"{sample.path}: {', '.join(sorted(read - sample.truths))[:60]}")
        self.nothing += not read

    @property
    def milliseconds(self) -> float:
        """CPU time a file."""
        return 1000 * self.seconds / max(self.files, 1)


def comparable(text: str) -> str:
    """QR texts in manifests have their line ends written out."""
    return text.replace("\\n", "\n").replace("\\\\", "\\").replace("\r", "").strip()


def spelled(symbology: str, value: str) -> str:
    """A value of the manifest as payloads are spelled."""
    return canonical(KINDS[symbology], value)[1] if symbology in KINDS else value


def manifest(folder: Path) -> list[Sample]:
    """The labelled pictures of a folder."""
    samples = []
    # Not splitlines(): payloads hold separators that it would take for line ends.
    lines = (folder / "manifest.tsv").read_text("utf-8").split("\n")
    for line in filter(None, lines[1:]):
        path, source, _, symbology, value, *also = line.split("\t")
        wanted = spelled(symbology, value)
        truths = {comparable(wanted), *(also[0].split(";") if also else ())} - {""}
        samples.append(Sample(str(folder / path), source, symbology, wanted, frozenset(truths)))
    return samples


def plain_zxing(image: Any) -> list[tuple[str, str]]:
    """zxing-cpp called as its README calls it, all formats."""
    import zxingcpp

    return [_named(str(one.format), one.text) for one in zxingcpp.read_barcodes(image)]


def plain_zbar(image: Any) -> list[tuple[str, str]]:
    """Pyzbar called as its README calls it."""
    from pyzbar import pyzbar  # type: ignore[import-untyped, unused-ignore]

    return [_named(one.type, one.data.decode("utf-8", "replace")) for one in pyzbar.decode(image)]


def _named(kind: str, text: str) -> tuple[str, str]:
    """An engine's own name of a format and its text, spelled as payloads are."""
    plain = kind.upper().replace("-", "").replace(" ", "").replace("QRCODE", "QR")
    symbology = KINDS.get({"I25": "ITF"}.get(plain, plain))
    return (str(symbology), canonical(symbology, text)[1]) if symbology else (kind, text)


def timed(reader: Callable[[Any], Any], image: Any) -> tuple[Any, float]:
    """What a reader gives, and the CPU seconds it took."""
    start = time.process_time()
    result = reader(image)
    return result, time.process_time() - start


def photos(folder: Path, zbar: bool, listed: bool) -> None:
    """The tables for labelled photos."""
    samples = manifest(folder)
    linked = {
        Barcode(*link_key(KINDS[one.symbology], one.wanted))
        for one in samples
        if one.symbology in KINDS
    }
    readers: dict[str, Reader] = {"zxing-cpp": plain_zxing}
    if engines.zbar_is_there():
        readers["pyzbar"] = plain_zbar
    tallies: dict[str, dict[str, Tally]] = defaultdict(lambda: defaultdict(Tally))
    stages: dict[str, Counter[str]] = defaultdict(Counter)
    believed = Tally()
    warm_up(samples[::20], readers, zbar)
    for sample in samples:
        image = opened(sample.path)
        if image is None:
            continue
        reads, seconds = timed(lambda image: read_picture(image, zbar=zbar), image)
        groups = groups_of(sample)
        for group in groups:
            tallies[group]["digideck"].add(sample, [read.payload for read in reads], seconds)
        for name, reader in readers.items():
            found, took = timed(reader, image)
            for group in groups:
                tallies[group][name].add(sample, [payload for _, payload in found], took)
        if sample.symbology in KINDS:
            count_stages(stages, reads, sample)
            confirmed = read_picture(image, zbar=zbar, itf_lengths=itf_lengths(linked))
            believed.add(sample, [r.payload for r in confirmed if Barcode(*r.key) in linked], 0.0)
    print_table(tallies, ["digideck", *readers])
    print(f"\nwith the {believed.files} true payloads linked, of the 1-D files:")
    print(f"  confirmed right {believed.right}, confirmed wrong {believed.wrong}")
    print_stages(stages)
    if listed:
        for group in ("1-D", "QR", "NEG"):
            tally = tallies[group]["digideck"]
            print(f"\n{group}: lost" if group != "NEG" else "\nNEG: read")
            print("\n".join(f"  {path}" for path in (tally.lost if group != "NEG" else ())))
            print("\n".join(f"  wrong {line}" for line in tally.misread))


def opened(path: str) -> Any:
    """The pixels of a picture; None, which is told, where it cannot be opened."""
    try:
        return open_picture(path).image
    except InputError as failure:
        print(f"not opened: {path}: {failure}")
        return None


def warm_up(samples: list[Sample], readers: dict[str, Reader], zbar: bool) -> None:
    """Read some files untimed: libraries are loaded and tables made at first use."""
    for sample in samples:
        image = opened(sample.path)
        if image is not None:
            read_picture(image, zbar=zbar)
            for reader in readers.values():
                reader(image)


def groups_of(sample: Sample) -> list[str]:
    """The lines of the table that a file counts in."""
    kind = sample.symbology
    if kind in KINDS:
        return ["1-D", kind, f"1-D {sample.source}"]
    return ["NEG2D" if kind.startswith("DATABAR") else kind]


def count_stages(stages: dict[str, Counter[str]], reads: Iterable[Read], sample: Sample) -> None:
    """Which stage won the file, and which stages misread it."""
    won = [read for read in reads if read.payload in sample.truths]
    if won:
        stages["right"][won[0].stage] += 1
    for stage in {read.stage for read in reads if read.payload not in sample.truths}:
        stages["wrong"][stage] += 1


def print_table(tallies: dict[str, dict[str, Tally]], names: list[str]) -> None:
    """Right, wrong payload and nothing a reader; then CPU milliseconds a file."""
    print(f"{'':18}{'files':>6}", *(f"{name + ' r/w/-':>18}{'ms':>7}" for name in names))
    for group in sorted(tallies, key=lambda group: (group not in KINDS, group)):
        columns = []
        for name in names:
            tally = tallies[group][name]
            counts = f"{tally.right}/{tally.wrong}/{tally.nothing}"
            columns.append(f"{counts:>18}{tally.milliseconds:7.1f}")
        print(f"{group:18}{tallies[group][names[0]].files:6}", *columns)


def print_stages(stages: dict[str, Counter[str]]) -> None:
    """What each stage adds."""
    print(f"\n{'stage':14}{'files won':>10}{'misread':>9}")
    for stage, _ in (stages["right"] + stages["wrong"]).most_common():
        print(f"{stage:14}{stages['right'][stage]:10}{stages['wrong'][stage]:9}")


def synthetic(folder: Path, zbar: bool) -> None:
    """The figures for made webcam frames and binder pages."""
    tallies: dict[str, Tally] = defaultdict(Tally)
    stages: dict[str, Counter[str]] = defaultdict(Counter)
    for line in (folder / "manifest_syn.tsv").read_text("utf-8").split("\n"):
        if not line:
            continue
        path, source, _, symbology, value = line.split("\t")
        wanted = spelled(symbology, value)
        sample = Sample(
            located(folder, path), source, symbology, wanted, frozenset({wanted} - {""})
        )
        image = opened(sample.path)
        if image is None:
            continue
        reads, seconds = timed(lambda image: read_picture(image, zbar=zbar), image)
        for group in ("NEG",) if symbology == "NEG" else ("web", symbology):
            tallies[group].add(sample, [read.payload for read in reads], seconds)
        if symbology != "NEG":
            count_stages(stages, reads, sample)
    print(f"\n{'webcam frames':18}{'files':>6}{'right':>7}{'%':>7}{'wrong':>7}{'ms':>8}")
    for group, tally in sorted(tallies.items()):
        share = 100 * tally.right / tally.files
        numbers = f"{tally.files:6}{tally.right:7}{share:7.1f}{tally.wrong:7}"
        print(f"{group:18}{numbers}{tally.milliseconds:8.1f}")
    print_stages(stages)
    binder_pages(folder, zbar)


def binder_pages(folder: Path, zbar: bool) -> None:
    """How many of the codes on whole pages are read."""
    found = wanted = wrong = 0
    seconds = 0.0
    pages = json.loads((folder / "binder.json").read_text("utf-8"))
    for path, codes in pages.items():
        image = opened(located(folder, path))
        if image is None:
            continue
        reads, took = timed(lambda image: read_picture(image, zbar=zbar), image)
        seconds += took
        truths = Counter(spelled(symbology, value) for symbology, value in codes)
        read = Counter(one.payload for one in reads)
        wanted += truths.total()
        found += (truths & read).total()
        wrong += (read - truths).total()
    share = 100 * found / max(wanted, 1)
    each = 1000 * seconds / max(len(pages), 1)
    print(
        f"\nbinder pages: {found} of {wanted} codes ({share:.1f} %), "
        f"{wrong} wrong, {each:.0f} ms a page"
    )


def located(folder: Path, path: str) -> str:
    """A path of a manifest, whether it is written from there or from here."""
    return path if Path(path).exists() else str(folder.joinpath(*Path(path).parts[-2:]))


def main(arguments: list[str] | None = None) -> int:
    """Parse the command line and print the tables."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scan", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--photos", type=Path, metavar="DIR")
    parser.add_argument("--synthetic", type=Path, metavar="DIR")
    parser.add_argument("--no-zbar", action="store_true", help="leave ZBar out")
    parser.add_argument("--list", action="store_true", help="name the files that are lost")
    options = parser.parse_args(arguments)
    if not options.photos and not options.synthetic:
        parser.error("name --photos or --synthetic")
    cv2.setNumThreads(1)
    zbar = not options.no_zbar and engines.zbar_is_there()
    print(f"OpenCV {cv2.__version__}, ZBar is used: {'yes' if zbar else 'no'}\n")
    if options.photos:
        photos(options.photos, zbar, options.list)
    if options.synthetic:
        synthetic(options.synthetic, zbar)
    return 0


if __name__ == "__main__":
    sys.exit(main())
