"""A live preview as a page on this computer: frames with the found codes, the last cards."""

from __future__ import annotations

import json
import threading
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ADDRESS = "127.0.0.1"
MOST_CARDS = 10
_BOUNDARY = "frame"
_KEEP_ALIVE_SECONDS = 1.0

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>digideck scan camera</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.4 system-ui, sans-serif; margin: 1rem; display: flex; flex-wrap: wrap;
  gap: 1.5rem; }
img { max-width: 100%; width: 60rem; background: #888; border-radius: 6px; }
main { flex: 3 1 30rem; } aside { flex: 1 1 16rem; }
h1 { font-size: 1.1rem; margin: 0 0 .5rem; }
ol { padding-left: 1.5rem; margin: 0; } li { overflow-wrap: anywhere; margin: .2rem 0; }
.open { color: #b06000; } @media (prefers-color-scheme: dark) { .open { color: #ffb74d; } }
</style>
</head>
<body>
<main><img id="frames" src="/frames" alt="What the camera sees"></main>
<aside><h1 id="state">Waiting for cards</h1><ol id="cards" reversed></ol></aside>
<script>
const list = document.getElementById("cards"), state = document.getElementById("state");
async function show() {
  try {
    const answer = await (await fetch("/cards")).json();
    list.start = answer.total;
    list.replaceChildren(...answer.cards.map(card => {
      const item = document.createElement("li");
      item.textContent = card.text;
      if (!card.linked) item.className = "open";
      return item;
    }));
    state.textContent = answer.total ? answer.total + (answer.total == 1 ? " card" : " cards")
                                     : "Waiting for cards";
    setTimeout(show, 500);
  } catch { state.textContent += ": ended"; }
}
show();
</script>
</body>
</html>
"""


class Preview:
    """Serves the page until `close`. ``port`` 0 takes a free one; raises OSError."""

    def __init__(self, port: int = 0) -> None:
        self._changed = threading.Condition()
        self._frame: bytes = b""
        self._number = 0
        self._viewers = 0
        self._closed = False
        self._cards: deque[dict[str, Any]] = deque(maxlen=MOST_CARDS)
        self._total = 0
        self._server = ThreadingHTTPServer((ADDRESS, port), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1 alone."""
        return int(self._server.server_address[1])

    @property
    def address(self) -> str:
        """What to open in a browser."""
        return f"http://{ADDRESS}:{self.port}/"

    def show(self, jpeg: Callable[[], bytes]) -> None:
        """The newest frame; it is not made while nobody looks."""
        if not self._viewers:
            return
        data = jpeg()
        with self._changed:
            self._frame = data
            self._number += 1
            self._changed.notify_all()

    def add(self, text: str, *, linked: bool) -> None:
        """One more card in the list."""
        with self._changed:
            self._cards.appendleft({"text": text, "linked": linked})
            self._total += 1

    def cards(self) -> dict[str, Any]:
        """The last cards, the newest first, and how many there were in all."""
        with self._changed:
            return {"total": self._total, "cards": list(self._cards)}

    def close(self) -> None:
        """Stop serving."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=5)

    def frames(self) -> Any:
        """JPEGs as they come, for one viewer; the newest again where none comes."""
        with self._changed:
            self._viewers += 1
        try:
            seen = 0
            while True:
                with self._changed:
                    if self._number == seen and not self._closed:
                        self._changed.wait(_KEEP_ALIVE_SECONDS)
                    if self._closed:
                        return
                    seen, data = self._number, self._frame
                if data:
                    yield data
        finally:
            with self._changed:
                self._viewers -= 1


def _handler(preview: Preview) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        server_version = "digideck"
        timeout = 30

        def do_GET(self) -> None:
            # A page elsewhere must not see the camera through a name it points here.
            host = self.headers.get("Host", "").rpartition(":")[0] or self.headers.get("Host", "")
            if host not in (ADDRESS, "localhost"):
                self._answer(b"only for this computer\n", "text/plain", HTTPStatus.FORBIDDEN)
            elif self.path == "/":
                self._answer(_PAGE.encode(), "text/html; charset=utf-8")
            elif self.path == "/cards":
                body = json.dumps(preview.cards(), ensure_ascii=False).encode()
                self._answer(body, "application/json")
            elif self.path == "/frames":
                self._stream()
            else:
                self._answer(b"no such page\n", "text/plain", HTTPStatus.NOT_FOUND)

        def _answer(self, body: bytes, kind: str, status: HTTPStatus = HTTPStatus.OK) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(body)

        def _stream(self) -> None:
            self.close_connection = True
            self.send_response(HTTPStatus.OK)
            self.send_header("Content-Type", f"multipart/x-mixed-replace; boundary={_BOUNDARY}")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            try:
                for data in preview.frames():
                    head = f"--{_BOUNDARY}\r\nContent-Type: image/jpeg\r\n"
                    self.wfile.write(f"{head}Content-Length: {len(data)}\r\n\r\n".encode())
                    self.wfile.write(data + b"\r\n")
            except OSError:
                return  # the viewer has closed the page

        def log_message(self, format: str, *args: Any) -> None:
            """Say nothing: the terminal is for the cards."""

    return Handler
