#!/usr/bin/env python3
"""Go programs, stripped or not, are unwound whole, deeper than the copy of the stack too. Runs beside
others."""

from e2e import *

DEPTH = 100  # below the 127 frames that the kernel follows
DEEP = """
package main

import "time"

var sum int

//go:noinline
func bottom() {
	for i := 0; i < 1000000; i++ {
		sum += i ^ sum
	}
}

//go:noinline
func deep(n int) int {
	var room [40]int
	room[n%%40] = n
	if n == 0 {
		bottom()
		return room[0]
	}
	return deep(n-1) + room[n%%40]
}

func main() {
	for begun := time.Now(); time.Since(begun) < time.Second; {
		deep(%d)
	}
}
""" % (DEPTH - 1)


def build(*flags):
    need("go")
    with open("app.go", "w") as f:
        f.write(DEEP)
    env = dict(os.environ, GOCACHE=os.path.abspath("cache"), GO111MODULE="off")
    if run(["go", "build", *flags, "app.go"], env=env).returncode:
        skip("go cannot build here")


def expect_whole(*flags, graph):
    build(*flags)
    record("--call-graph", graph, command=["./app"])
    folded = report("--no-inlines").only(lambda f: "main.bottom" in f)
    assert folded.total() > 200, folded.total()
    expect_share("main.main", folded.count("main.main"), folded.total(), 1)
    for frames, _ in folded.stacks:
        if "main.main" in frames:
            assert frames.count("main.deep") == DEPTH, frames
            assert frames[1].startswith("runtime.goexit"), frames


def test_copied_whole():
    expect_whole(graph="dwarf,65528")


def test_copied_whole_stripped():
    expect_whole("-ldflags=-s -w", graph="dwarf,65528")


def test_deeper_than_the_copy():
    expect_whole(graph="auto")


def test_deeper_than_the_copy_stripped():
    expect_whole("-ldflags=-s -w", graph="auto")


def test_position_independent_stripped():
    expect_whole("-buildmode=pie", "-ldflags=-s -w", graph="auto")


if __name__ == "__main__":
    run_tests()
