#!/usr/bin/env python3
"""Callers of code that keeps no frame. Where the calls of a program are known, no more than half a
percent of its samples may lack one; by frame pointers alone, most do."""

from e2e import *

MOST_LOST = 0.005
# tests/workloads/leaves.c: whom each of its functions calls; None is the C library.
CALLS = {
    "main": {"run_rounds"},
    "run_rounds": {"clear_block", "copy_block", "copy_records", "sum_block"},
    "clear_block": {None},
    "copy_block": {None},
    "copy_records": {"copy_record"},
    "copy_record": {None},
    "sum_block": {"mix"},
    "mix": set(),
}


def is_whole(frames):
    """The stack leads from main to its leaf by the calls that there are."""
    if "main" not in frames:
        return False
    inner = frames[frames.index("main"):]
    if len(inner) > 1 and "clock_gettime" in inner[1]:
        return True
    calls = {"main"}
    for name in inner:
        # A stub of the linker's and the function it goes to are never on the stack together.
        callee = name if name in CALLS else None
        if callee not in calls:
            return False
        calls = CALLS.get(callee, set())
    return True


def lost(app, graph):
    """The share of samples without a caller that is known, and of those in the C library."""
    line = [SINGE, "record", "-e", "cpu-clock:u", "-F", "1999", "-g", graph, "--", app, "1"]
    done = run(line, timeout=60)
    if done.returncode and re.search("perf_event_paranoid|not permitted", done.stderr, re.I):
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, f"record ended with {done.returncode}"
    everything = report()
    work = everything.only(lambda f: any(name in CALLS for name in f))
    assert work.total() >= 0.98 * everything.total() >= 500, everything.stacks
    leaves = work.only(lambda f: f[-1] not in CALLS)
    assert leaves.total() >= 0.3 * work.total(), f"{leaves.total()} of {work.total()} in leaves"
    shares = [1 - part.count(is_whole) / part.total() for part in (work, leaves)]
    print(f"#   {graph}: {100 * shares[0]:.2f} % of {work.total()} samples lack a caller, "
          f"{100 * shares[1]:.2f} % of {leaves.total()} in the C library")
    return shares


def build(*flags):
    return compile_c("leaves.c", "leaves", "-O2", "-g0", *flags)


def expect_callers(app, *graphs):
    for graph in graphs:
        share, share_of_leaves = lost(app, graph)
        assert share <= MOST_LOST, f"{graph}: {100 * share:.2f} % lack a caller"
        assert share_of_leaves <= MOST_LOST, f"{graph}: {100 * share_of_leaves:.2f} % of leaves"


def test_leaves():
    expect_callers(build(), "auto", "dwarf")


def test_frame_pointers_lose_them():
    share, share_of_leaves = lost(build(), "fp")
    assert share > MOST_LOST and share_of_leaves > 0.95, "the check would pass whatever comes out"


def test_leaves_static():
    expect_callers(build("-static"), "auto")


def test_leaves_behind_a_plt_without_cfi():
    need("ld.lld")
    expect_callers(build("-fuse-ld=lld"), "auto", "dwarf")


def test_leaves_called_from_code_without_frame_pointers():
    expect_callers(build("-fomit-frame-pointer"), "auto", "dwarf")


if __name__ == "__main__":
    run_tests()
