"""Worker processes that die take one job with them and no more."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

import pytest

from digideck.core.workers import Died, each


def doubler(settings: int) -> Callable[[int], int]:
    def work(job: int) -> int:
        if job == -9:
            os.kill(os.getpid(), signal.SIGKILL)
        if job < 0:
            os._exit(-job)
        return job * settings

    return work


def never(settings: int) -> Callable[[int], int]:
    os._exit(5)


@pytest.mark.parametrize("workers", [1, 3])
def test_every_job_is_answered_once(workers: int) -> None:
    assert sorted(each(range(20), doubler, 2, workers)) == [2 * n for n in range(20)]


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_a_process_that_is_killed_loses_its_job_alone() -> None:
    jobs = [1, -9, 2, 3, -4, 5, -9]
    answers = list(each(jobs, doubler, 2, 2))
    assert sorted(one for one in answers if isinstance(one, int)) == [2, 4, 6, 10]
    died = sorted((one for one in answers if isinstance(one, Died)), key=lambda one: one.job)
    assert died == [Died(-9, "SIGKILL"), Died(-9, "SIGKILL"), Died(-4, "exit code 4")]


def test_processes_that_never_come_up_are_an_error() -> None:
    with pytest.raises(RuntimeError, match="exit code 5"):
        list(each([1, 2], never, 2, 2))


def test_no_jobs_no_processes() -> None:
    assert list(each([], never, 2, 2)) == []
