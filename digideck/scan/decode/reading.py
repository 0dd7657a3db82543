"""One picture in, the codes that can be read in it out."""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from digideck.scan.decode import engines, locate, stages
from digideck.scan.decode.engines import Read, Sighting
from digideck.scan.decode.locate import Box, Grey, Point, Quad
from digideck.scan.decode.symbologies import Symbology
from digideck.scan.images.libraries import cv2, np

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HALVE_ABOVE = 1600  # pixels of the longer side
_SMALLEST_NEIGHBOUR = 0.4  # length of a box, in lengths of a code that was read
_BLURRED_LONGER = 1.25  # boxes of blurred bars end short of the code
_SMALL_SIZES = (1280, 640, 320, 200)  # pixels of the longer side
_FLATTEST_BOX = 0.45  # length over height; bars are not a tower


@dataclass(frozen=True, slots=True)
class Seen:
    """What is in a picture: the codes that were read, and bars that nothing read."""

    reads: tuple[Read, ...]
    unread: tuple[Box, ...]


def read_picture(
    image: NDArray[np.uint8],
    *,
    zbar: bool = True,
    itf_lengths: Container[int] | None = None,
) -> tuple[Read, ...]:
    """The reads of `look`."""
    return look(image, zbar=zbar, itf_lengths=itf_lengths).reads


def look(
    image: NDArray[np.uint8],
    *,
    zbar: bool = True,
    itf_lengths: Container[int] | None = None,
) -> Seen:
    """The codes in a picture (rows x columns, grey or BGR or BGRA), in the order found.

    Every located code goes through the stages on its own, so that an easy code never
    hides a hard one beside it. ``zbar=False`` leaves ZBar out. An ITF code has
    no check digit and any part of it reads as a shorter one: give the lengths
    of the payloads that are linked as ``itf_lengths``, and others are not read.
    """
    grey = as_grey(image)
    reads = _Reads(itf_lengths)
    half = _halved(grey)
    if half is None:
        reads.add_all(engines.zxing(grey, shrink=False), "zxing", "whole")
        boxes = _boxes(grey, _work_size(grey), most=4)
    else:
        reads.add_all(engines.zxing(half), "zxing", "half", scale=2.0)
        boxes = [box.scaled(2.0) for box in _boxes(half, 2048, most=24)]
        # One code and nothing else in sight is a picture of one card; all others
        # (binder pages, misses) are worth the full size.
        if len(reads.found) + sum(not reads.inside(box) for box in boxes) != 1:
            reads.add_all(engines.zxing(grey), "zxing", "whole")
    for box in [*locate.joined(boxes), *boxes] if half is None else boxes:
        _read_box(grey, box, reads)
    shrunk = []
    if not reads.found and half is None:
        # Blurred bars, whose edges are weak, show where the picture is shrunk.
        for short in _boxes(grey, _work_size(grey) // 2, most=3):
            box = replace(short, length=short.length * _BLURRED_LONGER)
            if not any(locate.same_patch(box, other) for other in boxes):
                shrunk.append(box)
                _read_box(grey, box, reads)
    if not reads.found:
        _last_resort(half if half is not None else grey, grey, reads, zbar)
    unread = [*locate.joined(boxes), *boxes, *shrunk]
    if not reads.found:
        unread += _large_boxes(grey, unread)
    return Seen(
        tuple(read for read in reads.found if not reads.is_half(read)),
        tuple(reads.unread(unread)),
    )


def _read_box(grey: Grey, box: Box, reads: _Reads) -> None:
    """Read what is along ``box``, or check what was read there already."""
    inside = reads.inside(box)
    if not inside:
        if box.length < _SMALLEST_NEIGHBOUR * reads.longest:
            return
        reads.add_found(stages.decode_located(grey, box, reads.accepts))
    elif all(read.symbology is Symbology.ITF for read in inside):
        # Parts of an ITF code pass for shorter ones; the longest is the whole.
        found = stages.decode_located(grey, box, reads.accepts)
        longest = max(len(read.payload) for read in inside)
        if found is not None and len(found.payload) > longest:
            reads.replace(inside, found)
        elif len(inside) > 1:
            reads.replace(inside, None)
    elif len({read.key for read in inside}) > 1 and _share_bars(inside):
        # Lines of one code that were read as two: one of them was misread.
        found = stages.one_of(grey, box, [read.payload for read in inside])
        if found is not None:
            reads.replace(inside, found)
    elif len(inside) == 1 and inside[0].symbology in stages.DOUBTFUL_KINDS:
        other = stages.second_opinion(grey, box, inside[0].payload)
        if other is not None:
            reads.replace(inside, other)


def _share_bars(reads: list[Read]) -> bool:
    """Whether article numbers lie over each other, and not beside each other."""
    first = reads[0]
    return all(
        read.symbology in stages.DOUBTFUL_KINDS
        and _reaches(first.quad, _centre(read.quad), beside=math.inf)
        for read in reads
    )


def bars_of(grey: Grey) -> list[Box]:
    """The bars of a picture, whether they can be read or not, the likeliest to be whole first."""
    boxes = _boxes(grey, _work_size(grey), most=4)
    boxes += locate.joined(boxes)
    return locate.longest_first([*boxes, *_large_boxes(grey, boxes)])


def _large_boxes(grey: Grey, known: list[Box]) -> list[Box]:
    """More boxes, of bars that are wide: their edges are neighbours where they are shrunk."""
    found: list[Box] = []
    for size in _SMALL_SIZES:
        if size < _work_size(grey):
            found += [
                box
                for box in _boxes(grey, size, most=2)
                if box.length >= box.height
                and not any(_covers(other, box) for other in (*known, *found))
            ]
    return found


def _covers(one: Box, other: Box) -> bool:
    """Whether two boxes are so nearly the same that a search of both would find the same."""
    away = math.hypot(one.x - other.x, one.y - other.y)
    return away < 0.2 * one.length and 0.75 < one.length / other.length < 1.33


def _boxes(grey: Grey, work_size: int, *, most: int) -> list[Box]:
    """The located boxes that could be a code."""
    return [
        box
        for box in locate.bar_boxes(grey, work_size=work_size, most=most)
        if box.length >= locate.SHORTEST_BOX and box.length >= _FLATTEST_BOX * box.height
    ]


def as_grey(image: NDArray[np.uint8]) -> Grey:
    """The picture in one channel; what is transparent is white."""
    if image.ndim == 2:
        return image
    if image.shape[2] == 1:
        return image[:, :, 0]
    if image.shape[2] == 4:
        return _on_white(image)
    return np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)


def _on_white(image: NDArray[np.uint8]) -> Grey:
    grey = cv2.cvtColor(image, cv2.COLOR_BGRA2GRAY).astype(np.float32)
    alpha = image[:, :, 3].astype(np.float32) / 255
    return (grey * alpha + 255 * (1 - alpha) + 0.5).astype(np.uint8)


def _halved(grey: Grey) -> Grey | None:
    if max(grey.shape) <= _HALVE_ABOVE:
        return None
    height, width = grey.shape
    return locate.shrunk(grey, width // 2, height // 2)


def _work_size(grey: Grey) -> int:
    """How large to look for bars: they fill small pictures, and are small in large ones."""
    longest = max(grey.shape)
    return 320 if longest <= 800 else longest


def _last_resort(small: Grey, grey: Grey, reads: _Reads, zbar: bool) -> None:
    """Other ways to see the whole picture, for one in which nothing was read."""
    scale = grey.shape[1] / small.shape[1]
    flat: Any = cv2.createCLAHE(3.0, (8, 8)).apply(small)
    smooth: Any = cv2.GaussianBlur(small, (0, 0), 2)
    steps: tuple[tuple[str, str, Callable[[], list[Sighting]]], ...] = (
        ("contrast", "zxing", lambda: engines.zxing(flat)),
        ("qr-light", "zxing", lambda: engines.zxing_qr(small, one_threshold=True)),
        ("qr-smooth", "zxing", lambda: engines.zxing_qr(smooth)),
        ("zbar", "zbar", lambda: engines.zbar(small, matrix=True)),
    )
    for stage, engine, step in steps:
        if engine == "zbar" and not zbar:
            continue
        reads.add_all(step(), engine, stage, scale=scale)
        if reads.found:
            return


class _Reads:
    """The reads of one picture so far."""

    def __init__(self, itf_lengths: Container[int] | None) -> None:
        self.found: list[Read] = []
        self._itf_lengths = itf_lengths

    def accepts(self, seen: Sighting) -> bool:
        """Whether what an engine saw is wanted at all."""
        lengths = self._itf_lengths
        return (
            lengths is None or seen.symbology is not Symbology.ITF or len(seen.payload) in lengths
        )

    def add_all(
        self, sightings: Iterable[Sighting], engine: str, stage: str, scale: float = 1.0
    ) -> None:
        """Take what an engine saw in the whole picture."""
        for seen in sightings:
            quad = _quad(seen.points, scale)
            if quad is not None and self.accepts(seen):
                self.add(Read(seen.symbology, seen.payload, quad, engine, stage))

    def add_found(self, one: Read | None) -> None:
        """Take what was read along one box."""
        if one is not None:
            self.add(one)

    def replace(self, old: list[Read], new: Read | None) -> None:
        """Take ``new`` for what was read there before."""
        self.found = [read for read in self.found if read not in old]
        self.add_found(new)

    def add(self, read: Read) -> None:
        """Take a read, unless it is one that is known, or lies on one."""
        if not any(_same_place(read, other) for other in self.found):
            self.found.append(read)

    @property
    def longest(self) -> float:
        """The length of the longest code that was read; 0 where there is none."""
        return max((_length(read.quad) for read in self.found), default=0.0)

    def unread(self, boxes: Iterable[Box]) -> list[Box]:
        """The boxes that may hold one more code."""
        return [
            box
            for box in boxes
            if box.length >= _SMALLEST_NEIGHBOUR * self.longest and not self.inside(box)
        ]

    def is_half(self, read: Read) -> bool:
        """Whether a UPC-E is the left half of an EAN-13, which it looks exactly like."""
        return read.symbology is Symbology.UPC_E and any(
            other.symbology in stages.DOUBTFUL_KINDS
            and _reaches(other.quad, _centre(read.quad), beside=0.8)
            and _length(read.quad) < 0.75 * _length(other.quad)
            for other in self.found
        )

    def inside(self, box: Box) -> list[Read]:
        """The codes that were read where ``box`` is."""
        return [
            read
            for read in self.found
            if box.holds(_centre(read.quad)) or _reaches(read.quad, (box.x, box.y))
        ]


def _centre(quad: Quad) -> Point:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4


def _reaches(quad: Quad, point: Point, *, beside: float = 0.2) -> bool:
    """Whether ``point`` lies on the line of a code, or ``beside`` times its length off it."""
    (ax, ay), (bx, by) = (_middle(quad[0], quad[3]), _middle(quad[1], quad[2]))
    length = math.hypot(bx - ax, by - ay) or 1.0
    c, s = (bx - ax) / length, (by - ay) / length
    dx, dy = point[0] - ax, point[1] - ay
    return 0 <= dx * c + dy * s <= length and abs(dy * c - dx * s) < beside * length


def _length(quad: Quad) -> float:
    return math.dist(_middle(quad[0], quad[3]), _middle(quad[1], quad[2]))


def _middle(one: Point, other: Point) -> Point:
    return (one[0] + other[0]) / 2, (one[1] + other[1]) / 2


def _same_place(one: Read, other: Read) -> bool:
    """Whether two reads are of one code; payloads that differ may be one misread."""
    distance = math.dist(_centre(one.quad), _centre(other.quad))
    reach = max(math.dist(read.quad[0], read.quad[1]) for read in (one, other))
    if distance >= 0.35 * reach:
        return False
    heights = [math.dist(read.quad[0], read.quad[3]) for read in (one, other)]
    return one.key == other.key or distance < max(0.12 * reach, 0.4 * sum(heights))


def _quad(points: tuple[Point, ...], scale: float) -> Quad | None:
    """Four corners out of what an engine gives."""
    if len(points) != 4:
        if not points:
            return None
        xs, ys = [x for x, _ in points], [y for _, y in points]
        left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
        points = ((left, top), (right, top), (right, bottom), (left, bottom))
    a, b, c, d = ((x * scale, y * scale) for x, y in points)
    return a, b, c, d
