#!/usr/bin/env python3
"""Stacks deeper than the kernel follows are marked, and only those."""

from e2e import *


def kernel_limit():
    with open("/proc/sys/kernel/perf_event_max_stack") as f:
        return int(f.read())


def test_beyond_the_limit():
    app = compile_c("recurse.c", "recurse")
    record("--call-graph", "fp", command=[app, str(kernel_limit() + 100)])
    folded = report()
    assert "depth limit" in folded.messages
    folded = folded.only(lambda f: "at_the_bottom" in f)
    expect_share("[truncated]", folded.count("[truncated]"), folded.total(), 1)
    for frames, _ in folded.stacks:
        assert frames[1] == "[truncated]", frames[:3]


def test_below_the_limit():
    app = compile_c("recurse.c", "recurse")
    record("--call-graph", "fp", command=[app, str(kernel_limit() - 40)])
    folded = report()
    assert "depth limit" not in folded.messages
    folded = folded.only(lambda f: "at_the_bottom" in f)
    assert folded.count("[truncated]") == 0
    expect_share("main", folded.count("main"), folded.total(), 1)


def test_beyond_the_limit_by_cfi():
    app = compile_c("recurse.c", "recurse")
    record("--call-graph", "dwarf,65528", command=[app, str(kernel_limit() + 100)])
    folded = report()
    assert "depth limit" not in folded.messages
    folded = folded.only(lambda f: "at_the_bottom" in f)
    assert folded.count("[truncated]") == 0
    expect_share("main", folded.count("main"), folded.total(), 1)


if __name__ == "__main__":
    run_tests()
