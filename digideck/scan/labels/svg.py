"""A sheet of labels as SVG. SVG has no pages: a file a sheet."""

from __future__ import annotations

from xml.sax.saxutils import escape

from digideck.scan.labels.layout import LabelPage, Rectangle, TextLine


def as_svg(page: LabelPage) -> str:
    """``page`` in its true size."""
    width, height = page.size
    boxes = "".join(map(_box, page.boxes))
    texts = "".join(map(_text, page.texts))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}mm" height="{height:g}mm" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="Helvetica, Arial, sans-serif">\n'
        f'<g shape-rendering="crispEdges">\n{boxes}</g>\n{texts}</svg>\n'
    )


def _box(box: Rectangle) -> str:
    place = f'x="{box.x:.3f}" y="{box.y:.3f}"'
    return f'<rect {place} width="{box.width:.3f}" height="{box.height:.3f}"/>\n'


def _text(line: TextLine) -> str:
    anchor = ' text-anchor="middle"' if line.centred else ""
    weight = ' font-weight="bold"' if line.bold else ""
    place = f'x="{line.x:.3f}" y="{line.y:.3f}" font-size="{line.size:.2f}"'
    return f"<text {place}{anchor}{weight}>{escape(line.text)}</text>\n"
