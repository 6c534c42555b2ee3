#!/usr/bin/env python3
"""Go programs, stripped or not, are unwound whole, deeper than the copy of the stack too; where they
change stacks, stacks end. Runs beside others."""

from kept import *

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


def build_go(text, *flags, **env):
    need("go")
    with open("app.go", "w") as f:
        f.write(text)
    env = dict(os.environ, GOCACHE=os.path.abspath("cache"), GO111MODULE="off", **env)
    if run(["go", "build", *flags, "app.go"], env=env).returncode:
        skip("go cannot build here")


def expect_whole(*flags, graph):
    build_go(DEEP, *flags)
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


GO = """
package main

import (
	"fmt"
	"sort"
	"time"
)

func main() {
	begun, sum := time.Now(), 0
	words := make(chan []string)
	go func() {
		for {
			v := []string{}
			for i := 0; i < 500; i++ {
				v = append(v, fmt.Sprint(i * 7919 % 1009))
			}
			words <- v
		}
	}()
	for time.Since(begun) < 2*time.Second {
		v := <-words
		sort.Strings(v)
		sum += len(v)
	}
	fmt.Println(sum)
}
"""


def test_go():
    build_go(GO)
    keep(["./app"])
    switched = 0
    # Above a call on the system's stack lies what earlier calls left there: no callers. Up to
    # gosave_systemstack_switch the stack is still the caller's, and so it is where the kernel
    # interrupts a function that is about to switch: neither has Go's dot in its name.
    for frames, _ in report(file="kept.rec").stacks:
        for outer, frame, inner in zip(frames, frames[1:], frames[2:]):
            if "." not in inner:
                continue
            if re.match(r"runtime\.(mcall|systemstack)(\.|$)", frame):
                switched += 1
                assert outer == "[truncated]", frames
    assert switched > 5, switched


CGO = """
package main

/*
extern int called(int);
static double in_c(int n) { volatile double s = 0; for (int i = 0; i < n; i++) s += i; return s; }
static int through_c(int n) { int s = 0; while (n--) s += called(n); return s; }
*/
import "C"
import "time"

//export called
func called(n C.int) C.int {
	s := n
	for i := C.int(0); i < 20000; i++ { s = s*31 + i }
	return s
}

func main() {
	for start := time.Now(); time.Since(start) < 2*time.Second; {
		C.in_c(100000)
		C.through_c(5)
	}
}
"""


def test_go_with_c():
    need("gcc")
    build_go(CGO, CGO_ENABLED="1")
    keep(["./app"])
    folded = report(file="kept.rec")
    # C runs on the system's stack; above are remains of earlier calls.
    in_c = folded.only(lambda f: "in_c" in f)
    expect_share("cut below asmcgocall", in_c.count(
        lambda f: f[f.index("[truncated]") + 1].startswith("runtime.asmcgocall")
        if "[truncated]" in f else False), in_c.total(), 1)
    # Go called by C runs on the goroutine's, which holds all of its callers.
    in_go = folded.only(lambda f: "main.called" in f)
    expect_share("the goroutine below cgocallback", in_go.count(
        lambda f: "main.main" in f and any(n.startswith("runtime.goexit") for n in f)),
        in_go.total(), 1)


if __name__ == "__main__":
    run_tests()
