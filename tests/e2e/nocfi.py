#!/usr/bin/env python3
"""Programs whose functions have neither CFI nor a frame pointer. Runs beside others."""

from kept import *


def own_calls(command):
    keep(command)
    stacks = report("--no-inlines", file="kept.rec").stacks
    pairs = {pair for frames, _ in stacks for pair in zip(frames[1:], frames[2:])}
    return {p for p in pairs if {*p} <= {"main", "thread", "level", "start_thread"}}


def test_without_cfi():
    """Neither CFI nor frame pointers: the instructions say where a function returns to."""
    if os.uname().machine != "x86_64":
        skip("only x86-64's instructions are known")
    for flags in ["-O2"], ["-Os", "-fcf-protection=full"], ["-O0", "-fomit-frame-pointer"]:
        real = own_calls([build("frames.c", "cc", *flags), SECONDS])
        flags = [*flags, "-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
        assert own_calls([build("frames.c", "cc", *flags), SECONDS]) <= real
        n = engines()
        assert n["rows-complete"] >= 0.995 * n["stacks"] >= 100, n


if __name__ == "__main__":
    run_tests()
