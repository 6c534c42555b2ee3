"""What end-to-end tests share: build a workload, record it, read folded stacks, compare shares.

A test is a script with functions named test_*; run_tests() runs them in order, each in a directory
of its own. Shares of samples are compared with shares of CPU time that the workload measured itself
(tests/workloads/burn.h), within four standard errors and three percent."""

import contextlib
import inspect
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

TOP = os.environ.get("TOP", os.path.abspath(os.path.join(os.path.dirname(__file__), "../..")))
SINGE = os.environ.get("SINGE", os.path.join(TOP, "build/src/singe"))
CC = shlex.split(os.environ.get("CC", "cc"))
WORKLOADS = os.path.join(TOP, "tests/workloads")
RATE = 999


class Skip(Exception):
    """The machine does not let this be tested; the text says why."""


def skip(reason):
    raise Skip(reason)


def need_root():
    if os.geteuid():
        skip("needs root")


def need(program):
    if not shutil.which(program):
        skip(f"needs {program}")


def compile_c(source, out, *flags):
    """Builds tests/workloads/SOURCE into OUT (with a default of -O1 and frame pointers)."""
    command = CC + ["-std=gnu11", "-O1", "-g", "-fno-omit-frame-pointer"]
    command += ["-fno-optimize-sibling-calls", f"-I{WORKLOADS}", os.path.join(WORKLOADS, source)]
    command += ["-o", out, "-pthread", *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, f"{shlex.join(command)}:\n{done.stderr}"
    return os.path.abspath(out)


def run(command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", **kwargs)
    print("$", shlex.join(map(str, command)), file=sys.stderr)
    sys.stderr.write(done.stderr)
    return done


def environment(truth):
    env = dict(os.environ, TRUTH=os.path.abspath(truth))
    for name in list(env):
        if name.startswith(("LD_", "ASAN_", "UBSAN_")):
            del env[name]
    return env


class Truth:
    """CPU seconds by function, as the workload wrote them."""

    def __init__(self, path="truth"):
        self.seconds = {}
        self.threads = {}
        with open(path) as lines:
            for line in lines:
                name, seconds, tid = line.split()
                self.seconds[name] = self.seconds.get(name, 0) + float(seconds)
                self.threads[int(tid)] = self.threads.get(int(tid), 0) + float(seconds)

    def total(self):
        return sum(self.seconds.values())

    def share(self, name):
        return self.seconds[name] / self.total()


class Folded:
    """Folded stacks: a list of (frames, count), the first frame being the group."""

    def __init__(self, text, messages=""):
        self.messages = messages  # what the reporter said beside them
        self.stacks = []
        for line in text.splitlines():
            stack, _, count = line.rpartition(" ")
            self.stacks.append((stack.split(";"), int(count)))

    def total(self):
        return sum(count for _, count in self.stacks)

    def count(self, match):
        """Samples of the stacks that hold a frame of this name (or that a function accepts)."""
        fits = match if callable(match) else lambda frames: match in frames
        return sum(count for frames, count in self.stacks if fits(frames))

    def only(self, match):
        part = Folded("")
        part.stacks = [(f, c) for f, c in self.stacks if match(f)]
        return part

    def groups(self):
        return {frames[0] for frames, _ in self.stacks}

    def names(self):
        return {name for frames, _ in self.stacks for name in frames[1:]}


def expect_share(what, count, total, want):
    """`count` of `total` samples are the share `want`, as far as chance allows."""
    assert total >= 50, f"{what}: only {total} samples"
    error = math.sqrt(max(want * (1 - want), 0.01) / total)
    have = count / total
    assert abs(have - want) <= 4 * error + 0.03, f"{what}: {have:.3f} of {total}, not {want:.3f}"


def expect_truth(folded, truth, *names):
    """Each function has its share of CPU time, and together they are nearly everything."""
    total = folded.total()
    for name in names or truth.seconds:
        expect_share(name, folded.count(name), total, truth.share(name))


def record(*arguments, command=None, out="singe.rec", truth="truth", rate=RATE):
    """Records; the target's exit status must be 0."""
    line = [SINGE, "record", "-e", "cpu-clock", "-F", str(rate), "-g", "-o", out, *arguments]
    if command:
        line += ["--", *map(str, command)]
    done = run(line, env=environment(truth), timeout=120)
    if done.returncode and re.search("perf_event_paranoid|not permitted", done.stderr, re.I):
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, f"record ended with {done.returncode}"
    return done


def report(*arguments, file="singe.rec"):
    done = run([SINGE, "report", file, "-f", "folded", *arguments], timeout=120)
    assert done.returncode == 0, f"report ended with {done.returncode}"
    return Folded(done.stdout, done.stderr)


@contextlib.contextmanager
def started(command, truth="truth", ready=True, **kwargs):
    """A running workload; waits for its "ready"."""
    process = subprocess.Popen(
        list(map(str, command)), stdout=subprocess.PIPE, text=True, env=environment(truth), **kwargs
    )
    try:
        if ready:
            line = process.stdout.readline()
            assert line == "ready\n", f"{command}: {line!r}"
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


def wait_until(what, condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"timed out: {what}"
        time.sleep(0.02)


def run_tests():
    """Runs every test_* function of the script. Exit 77 if all were skipped."""
    main = sys.modules["__main__"]
    tests = [f for n, f in inspect.getmembers(main, inspect.isfunction) if n.startswith("test_")]
    tests.sort(key=lambda f: f.__code__.co_firstlineno)
    if sys.argv[1:]:
        tests = [f for f in tests if f.__name__ in sys.argv[1:]]
    failed = skipped = 0
    for test in tests:
        home = os.getcwd()
        with tempfile.TemporaryDirectory(prefix="singe-e2e-") as place:
            os.chdir(place)
            print("# ", test.__name__, sep="", file=sys.stderr)
            try:
                test()
                print("ok", test.__name__)
            except Skip as reason:
                skipped += 1
                print(f"skip {test.__name__}: {reason}")
            except (AssertionError, KeyError, subprocess.TimeoutExpired) as problem:
                failed += 1
                print(f"FAIL {test.__name__}: {problem}")
            finally:
                os.chdir(home)
    sys.exit(1 if failed else 77 if tests and skipped == len(tests) else 0)
