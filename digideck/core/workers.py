"""Worker processes that may die: each has one picture in hand, and only that is lost."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing import connection as mp_connection
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Generic, TypeVar

Job = TypeVar("Job")
MOST_DEATHS_IDLE = 3  # of workers that die before they have a job: something else is wrong


@dataclass(frozen=True, slots=True)
class Died(Generic[Job]):
    """A job whose process ended before it answered. ``how``: "SIGKILL", "exit code 3"."""

    job: Job
    how: str


class _Process(Generic[Job]):
    """A process with the pipe to it and the job it has in hand."""

    def __init__(self, make: Callable[[Any], Callable[[Any], Any]], settings: Any) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        for _ in range(MOST_DEATHS_IDLE + 1):
            self.process = context.Process(
                target=_serve, args=(theirs, make, settings), daemon=True
            )
            with _interrupts_ignored(), suppress(BrokenPipeError):  # Ctrl-C is for the parent
                self.process.start()
                break  # else it was killed before it had read what it is to do
        else:
            raise RuntimeError("worker processes end at once")
        theirs.close()
        self.job: Job | None = None
        self.ready = False

    def give(self, job: Job) -> None:
        self.job = job
        self.pipe.send(job)

    def end(self) -> None:
        self.pipe.close()
        self.process.join(timeout=1)
        if self.process.is_alive():
            self.process.terminate()
            self.process.join()
        self.process.close()

    def how_it_ended(self) -> str:
        self.process.join(timeout=10)
        code = self.process.exitcode
        if code is not None and code < 0:
            return _signal_name(-code)
        return f"exit code {code}"


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def limit_memory(more: int) -> None:
    """Let this process take ``more`` bytes than it has, where the system can hold it to that.

    Beyond, Python raises MemoryError and libraries fail: one job is lost, not the machine.
    """
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (wanted, most))
    except (ImportError, OSError, ValueError):
        return


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # not the main thread, which Ctrl-C does not reach either
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _serve(pipe: Any, make: Callable[[Any], Callable[[Any], Any]], settings: Any) -> None:
    """The life of a worker: jobs in, answers out, until the pipe is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # which a parent may have caught before it forked
    try:
        work = make(settings)
        pipe.send(None)
        while True:
            pipe.send(work(pipe.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return  # the parent has ended, one way or another


def each(
    jobs: Sequence[Job],
    make: Callable[[Any], Callable[[Job], Any]],
    settings: Any,
    workers: int,
) -> Iterator[Any]:
    """The answers to ``jobs`` as they come, from ``workers`` processes.

    ``make(settings)`` gives each process its function of a job. A job whose process
    dies is answered by `Died`, and another process takes its place. Raises
    RuntimeError where processes cannot be started at all.
    """
    waiting = iter(jobs)
    pool = [_Process[Job](make, settings) for _ in range(min(workers, len(jobs)))]
    deaths_idle = 0
    left = len(jobs)
    try:
        while left:
            by_pipe = {one.pipe: one for one in pool}
            for pipe in mp_connection.wait(list(by_pipe)):
                one = by_pipe[pipe]  # type: ignore[index]
                try:
                    answer = one.pipe.recv()
                except (EOFError, OSError):
                    how = one.how_it_ended()
                    pool.remove(one)
                    job = one.job
                    one.end()
                    if job is None:
                        deaths_idle += 1
                        if deaths_idle > MOST_DEATHS_IDLE:
                            raise RuntimeError(f"worker processes end at once: {how}") from None
                    if left > (job is not None):
                        pool.append(_Process(make, settings))
                    if job is not None:
                        left -= 1
                        yield Died(job, how)
                    continue
                was_ready, one.ready = one.ready, True
                one.job = None
                job = next(waiting, None)
                if job is not None:  # before the answer is dealt with, so that it goes on reading
                    _hand(one, job)
                if was_ready:
                    left -= 1
                    yield answer
    finally:
        for one in pool:
            one.end()


def _hand(one: _Process[Job], job: Job) -> None:
    with suppress(OSError):  # it has died meanwhile: its pipe says so, and the job is in its hand
        one.give(job)
