"""Profiles: the light along a code, what a code would look like, and how well the two agree."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

from digideck.scan.decode.locate import Floats
from digideck.scan.images.libraries import cv2, np

FINE = 4  # samples a module
QUIET = 2  # modules of quiet zone that are compared at each end
BLURS = (0.5, 0.9, 1.4)  # standard deviations, in modules
GRID = 48  # parts of a code of any kind; of FINE samples each, that is two a module of an EAN-13
SAMPLES = (GRID + 2 * QUIET) * FINE
WINDOW = 9.5  # modules over which brightness and contrast are levelled


@dataclass(frozen=True, slots=True, eq=False)
class Alignment:
    """How a code lies in a profile: weights of `basis`, its direction."""

    curve: Any
    backwards: bool


@dataclass(frozen=True, slots=True)
class Similarity:
    """The correlation of a picture with a code: over all, and at the weakest place."""

    over_all: float
    weakest: float


@functools.cache
def basis(modules: int, fine: int) -> Any:
    """Displacements along a code: its two ends, a bend, an S-bend, a bulge."""
    count = (modules + 2 * QUIET) * fine
    u = (np.arange(count) + 0.5 - QUIET * fine) / (modules * fine)
    arch = 4 * u * (1 - u)
    return np.stack([1 - u, u, arch, arch * (2 * u - 1) * 2.5, arch * arch])


def places(curve: Any, modules: int, fine: int = FINE) -> Any:
    """Where in the profile the samples of a code lie."""
    return curve @ basis(modules, fine)[: curve.shape[-1]]


def picked(flat: Floats, at: Any) -> Any:
    """``flat`` at places between its samples."""
    columns = np.atleast_2d(np.asarray(at, np.float32))
    row = np.asarray(flat, np.float32)[None]
    result: Any = cv2.remap(
        row, columns, np.zeros_like(columns), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    return result.reshape(np.shape(at))


def sampled(flat: Floats, alignment: Alignment, modules: int) -> Any:
    """The profile along ``alignment``, in the direction in which the code reads."""
    row = picked(flat, places(alignment.curve, modules))
    return row[::-1] if alignment.backwards else row


def models(bits: str) -> Any:
    """A whole code under each blur, levelled as profiles are."""
    quiet = "0" * QUIET
    rows = np.stack([rendered(quiet + bits + quiet, blur, FINE) for blur in BLURS])
    return levelled(rows, WINDOW * FINE)


def polished(
    flat: Floats, alignment: Alignment, blurred: Any, modules: int, *, steps: int
) -> tuple[float, Alignment]:
    """``alignment`` bent by least squares until a code fits best, and the misfit that is left.

    ``blurred`` are the `models` of the code, ``modules`` is its width.
    """
    shapes = basis(modules, FINE)
    curve = np.zeros(len(shapes))
    curve[: len(alignment.curve)] = alignment.curve
    limit = 0.02 * abs(curve[1] - curve[0])
    best = (2.0, alignment)
    for _ in range(steps):
        bent = Alignment(curve, alignment.backwards)
        row = sampled(flat, bent, modules)
        _, model = mixed(blurred, row)
        off = row - model
        misfit = float(off @ off) / (float(row @ row) + 1e-9)
        if misfit < best[0]:
            best = (misfit, bent)
        slope = np.gradient(model) * (FINE * modules / (curve[1] - curve[0]))
        if alignment.backwards:
            slope, off = -slope[::-1], off[::-1]
        jacobian = (shapes * slope).T
        normal = jacobian.T @ jacobian
        normal += (0.01 * np.trace(normal) / len(shapes) + 1e-9) * np.eye(len(shapes))
        curve = curve - np.clip(np.linalg.solve(normal, jacobian.T @ off), -limit, limit)
    return best


def unlevelled(row: Any, bits: str) -> tuple[Any, Any]:
    """``row`` as light again, and the weights of the blurs that it is then a mixture of.

    Levelling divides by the local contrast, which the code itself makes
    uneven. Taking ``bits`` for roughly right, that is undone, so that parts
    of codes, which cannot be levelled, may be compared with parts of the row.
    """
    quiet = "0" * QUIET
    light = np.stack([rendered(quiet + bits + quiet, blur, FINE) for blur in BLURS])
    means = local_mean(light, WINDOW * FINE)
    spreads = np.sqrt(local_mean((light - means) ** 2, WINDOW * FINE) + 1e-6)
    weights, _ = mixed((light - means) / spreads, row)
    contrasts = spreads.mean(axis=1)
    mix = weights / contrasts
    main = int(np.argmax(np.abs(weights)))
    return row * (spreads[main] / contrasts[main]) + mix @ means, mix


def similarity(row: Any, blurred: Any) -> Similarity:
    """How well a code, as its `models` show it, explains a sampled profile."""
    model = mixed(blurred, row)[1]
    over_all = float(row @ model / (np.linalg.norm(row) * np.linalg.norm(model) + 1e-9))
    products = smoothed(np.stack([row * model, row * row, model * model]), 3.5 * FINE)
    local = products[0] / np.sqrt(products[1] * products[2] + 1e-9)
    return Similarity(over_all, float(local[QUIET * FINE : -QUIET * FINE].min()))


def monotony(row: Any) -> float:
    """The share of a profile's power that lies about one frequency."""
    waves = np.abs(np.fft.rfft((row - row.mean()) * np.hanning(len(row)))) ** 2
    peak = int(waves.argmax())
    return float(waves[max(0, peak - 2) : peak + 3].sum() / (waves.sum() + 1e-9))


def mixed(blurred: Any, row: Any) -> tuple[Any, Any]:
    """The mixture of blurs that is nearest to ``row``: its weights, and itself."""
    normal = blurred @ blurred.T
    normal += (1e-3 * np.trace(normal) + 1e-9) * np.eye(len(blurred))
    weights = np.linalg.solve(normal, blurred @ row)
    return weights, weights @ blurred


def rendered(bits: str, blur: float, fine: int) -> Any:
    """Modules as light: 1 for white, -1 for a bar, blurred by ``blur`` modules."""
    return rendered_all([bits], blur, fine)[0]


def rendered_all(codes: list[str], blur: float, fine: int) -> Any:
    """Several codes of one length as light, a row each."""
    light = np.array([[1 - 2 * int(bit) for bit in bits] for bits in codes], np.float32)
    return smoothed(np.repeat(light, fine, axis=1), blur * fine)


def levelled(rows: Any, window: float) -> Any:
    """``rows`` without shading: minus the local mean, over the local deviation."""
    off = rows - local_mean(rows, window)
    power = local_mean(off * off, window)
    floor = 1e-4 * (off * off).mean(axis=-1, keepdims=True) + 1e-9
    return off / np.sqrt(power + floor)


def local_mean(rows: Any, window: float) -> Any:
    """``rows`` under a wide window, nearly a Gaussian, at the cost of two box filters."""
    width = max(1, round(window * 1.23)) * 2 + 1  # two boxes of the Gaussian's variance
    once = cv2.blur(
        np.ascontiguousarray(rows, np.float32), (width, 1), borderType=cv2.BORDER_REPLICATE
    )
    return cv2.blur(once, (width, 1), borderType=cv2.BORDER_REPLICATE)


def smoothed(rows: Any, sigma: float) -> Any:
    """``rows`` under a Gaussian along them."""
    return cv2.GaussianBlur(
        np.ascontiguousarray(rows, np.float32),
        (0, 0),
        sigmaX=sigma,
        sigmaY=1e-6,
        borderType=cv2.BORDER_REPLICATE,
    )
