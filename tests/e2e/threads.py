#!/usr/bin/env python3
"""Threads: short ones, renamed ones, and many that were there before."""

from e2e import *


def test_short_threads():
    app = compile_c("threads.c", "threads")
    record(command=[app, "short", "40"])
    folded, truth = report("--by", "tid"), Truth()
    expect_share("in_short_thread", folded.count("in_short_thread"), folded.total(), 1)
    tids = {int(g.rpartition("/")[2]) for g in folded.groups()}
    missed = set(truth.threads) - tids
    assert not missed, f"{len(missed)} of 40 threads have no sample"


def test_comm_changes():
    app = compile_c("threads.c", "threads")
    record(command=[app, "rename"])
    folded, truth = report("--by", "tid"), Truth()
    expect_truth(folded, truth, "phase_one", "phase_two", "phase_thread")
    want = {"phase_one": "first", "phase_two": "second", "phase_thread": "the worker"}
    for frames, _ in folded.stacks:
        for phase, comm in want.items():
            if phase in frames:
                assert frames[0].replace("_", " ").startswith(comm + "-"), frames


def test_attach_to_fifty_threads():
    app = compile_c("threads.c", "threads")
    with started([app, "pool", "50", "0.12"]) as target:
        record("-p", str(target.pid))
        target.wait()
    folded, truth = report("--by", "tid"), Truth()
    samples = {}
    for frames, count in folded.stacks:
        if "in_pool" in frames:
            tid = int(frames[0].rpartition("/")[2])
            samples[tid] = samples.get(tid, 0) + count
    expect_share("in_pool", sum(samples.values()), folded.total(), 1)
    assert len(truth.threads) == 50
    missed = set(truth.threads) - set(samples)
    assert not missed, f"{len(missed)} threads have no sample"
    # Some of their time passed before the recorder was there: never more samples than time, give or
    # take chance.
    for tid, seconds in truth.threads.items():
        most = seconds * RATE
        assert samples[tid] <= most + 4 * math.sqrt(most) + 1, f"{tid}: {samples[tid]} of {most}"


def test_exec_by_another_thread():
    """The thread takes over the number of the main thread, which is gone."""
    app = compile_c("threads.c", "threads", "-no-pie")
    image = compile_c("image.c", "image", "-DNAME=in_image", "-no-pie")
    record(command=[app, "exec", image, "0.3"])
    expect_truth(report(), Truth(), "in_short_thread", "phase_one", "in_image")


def test_exec_by_another_thread_attached():
    app = compile_c("threads.c", "threads", "-no-pie")
    image = compile_c("image.c", "image", "-DNAME=in_image", "-no-pie")
    with started([app, "exec", image, "0.4"]) as target:
        record("-p", str(target.pid))
        target.wait()
    folded = report()
    expect_share("in_image", folded.count("in_image"), 400, Truth().seconds["in_image"] / 0.4)
    assert folded.count("in_short_thread") > 50


if __name__ == "__main__":
    run_tests()
