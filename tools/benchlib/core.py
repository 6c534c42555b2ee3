"""What every section of tools/bench uses: the table of ratios, programs, counts of samples."""
import ctypes
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# Without -g: perf script would spend its time on inlined calls, which singe is not asked for here.
WORKLOAD_FLAGS = ["-O2", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls",
                  "-pthread"]


class Bench:
    def __init__(self, args):
        self.build = os.path.abspath(args.build)
        self.singe = os.path.join(self.build, "src/singe")
        self.dir = os.path.join(self.build, "bench")
        self.rounds = args.rounds
        self.seconds = args.seconds
        self.samples = args.samples
        self.text = args.text << 20
        self.rows = []
        self.counts = {}  # samples in the last file of each recorder
        os.makedirs(self.dir, exist_ok=True)
        # perf's cache of binaries is not the user's, and is as empty as at a first time.
        os.environ["PERF_BUILDID_DIR"] = self.path("buildid")
        self.cpp = self.compile("cpp", "cpp.cc", os.environ.get("CXX", "g++"), "-std=c++17")
        cc = os.environ.get("CC", "cc")
        self.pp = self.compile("pp", "pp.c", cc, "-std=gnu11")
        self.deep = self.compile("deep", "deep.c", cc, "-std=gnu11")
        self.purefp = self.compile("purefp", "purefp.c", cc, "-std=gnu11")

    def path(self, name):
        return os.path.join(self.dir, name)

    def compile(self, name, source, compiler, standard, flags=tuple(WORKLOAD_FLAGS)):
        out = self.path(name)
        subprocess.run([compiler, standard, *flags, "-o", out,
                        os.path.join(TOP, "tests/workloads", source)], check=True)
        return out

    def row(self, what, ours, peer, ratio, limit):
        ok = limit is None or ratio <= limit
        self.rows.append((what, ours, peer, f"{ratio:.4g}",
                          "" if limit is None else f"{limit:.4g}",
                          "" if limit is None else "yes" if ok else "NO"))
        print("  " + " | ".join(self.rows[-1]), flush=True)

    def table(self):
        head = ("what", "ours", "peer", "ratio", "limit", "ok?")
        width = [max(len(r[i]) for r in [head, *self.rows]) for i in range(len(head))]
        print()
        for r in [head, tuple("-" * w for w in width), *self.rows]:
            print(" | ".join(c.ljust(w) for c, w in zip(r, width)).rstrip())
        return all(r[5] != "NO" for r in self.rows)


def spent(argv, stdout=subprocess.DEVNULL, env=None):
    """Runs argv; returns (what it and the children it waited for used, stderr)."""
    with tempfile.TemporaryFile() as err:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=err,
                                 env=env)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        err.seek(0)
        text = err.read().decode(errors="replace")
    if child.returncode != 0:
        sys.exit(f"bench: {' '.join(argv)}: exit {child.returncode}\n{text}")
    return usage, text


def run(argv, stdout=subprocess.DEVNULL):
    """Runs argv; returns (CPU seconds of it and of the children it waited for, stderr)."""
    usage, text = spent(argv, stdout)
    return usage.ru_utime + usage.ru_stime, text


def run_with_orphans(argv):
    """run(), and what helpers used that it left behind without waiting for them."""
    PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    cpu, text = run(argv)
    while True:
        try:
            usage = os.wait4(-1, 0)[2]
        except ChildProcessError:
            return cpu, text
        cpu += usage.ru_utime + usage.ru_stime


def median(values):
    return statistics.median(values)


def rotated(items, n):
    n %= len(items)
    return items[n:] + items[:n]


def perf_counts(b, path):
    """(samples, lost) in a perf.data."""
    got = subprocess.run(["perf", "report", "--stats", "-i", path], capture_output=True, text=True)
    if got.returncode or "failed to process" in got.stderr:
        # perf 6.1 cannot read some of its own -z files: a record that spans two blocks.
        info = subprocess.run([b.singe, "info", "--json", path], check=True, capture_output=True)
        totals = json.loads(info.stdout)["totals"]
        return totals["samples"], totals["lost"]
    def count(kind):
        found = re.search(rf"^\s*{kind} events:\s+(\d+)", got.stdout, re.M)
        return int(found.group(1)) if found else 0
    lost = re.search(r"Total Lost Samples:\s*(\d+)", got.stdout)
    return count("SAMPLE"), max(count("LOST"), count("LOST_SAMPLES"),
                                int(lost.group(1)) if lost else 0)


def said_counts(text):
    """(samples, lost) as `singe record` says at its end."""
    found = [re.search(pattern, text, re.M) for pattern in
             (r"^singe: ([0-9,]+) samples? of", r"^singe: lost ([0-9,]+) samples?")]
    if not all(found):
        sys.exit(f"bench: no totals in:\n{text}")
    return tuple(int(f.group(1).replace(",", "")) for f in found)
