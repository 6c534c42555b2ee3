#!/usr/bin/env python3
"""Code that comes late, and code that takes the place of other code."""

from e2e import *


def code_page(name):
    flags = ["-shared", "-fPIC", "-nostdlib", f"-DNAME={name}", f"-Wl,-e,{name}"]
    return compile_c("codepage.c", name + ".so", *flags)


def test_mapping_over_mapping():
    app = compile_c("mapover.c", "mapover")
    record(command=[app, code_page("hot_a"), code_page("hot_b")])
    folded, truth = report(), Truth()
    expect_truth(folded, truth, "hot_a", "hot_b")
    assert not folded.count(lambda f: "hot_a" in f and "hot_b" in f)


def test_late_dlopen():
    app = compile_c("lateload.c", "lateload", "-ldl")
    record(command=[app, code_page("hot_late")])
    folded, truth = report(), Truth()
    expect_truth(folded, truth, "before_load", "hot_late")


def test_late_dlopen_attached():
    app = compile_c("lateload.c", "lateload", "-ldl")
    with started([app, code_page("hot_late")]) as target:
        record("-p", str(target.pid))
        target.wait()
    folded = report()
    late, early = folded.count("hot_late"), folded.count("before_load")
    assert early > 50
    # All of the late part was recorded, whatever of the early one was.
    expect_share("hot_late", late, 400, Truth().seconds["hot_late"] / 0.4)
    expect_share("named", late + early, folded.total(), 1)


if __name__ == "__main__":
    run_tests()
