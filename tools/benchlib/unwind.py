"""Whole stacks of programs without frame pointers, beside perf record --call-graph dwarf."""
import json
import os
import re
import subprocess
import sys
import time

from .core import median, perf_counts, rotated, run, said_counts

UNWINDERS = {
    "singe": None,
    "perf": [],
    "perf -z": ["-z"],
}


def unwound_once(b, name, argv, freq, seconds):
    """Runs argv under recorder `name`, attached; (CPU seconds, samples, bytes, lost)."""
    busy = subprocess.Popen([*argv[:1], str(seconds + 6), *argv[1:]], stdout=subprocess.DEVNULL)
    time.sleep(0.3)
    path = b.path("unwind-" + name.replace(" ", "") + (".data" if UNWINDERS[name] is not None
                                                       else ".rec"))
    if name == "singe":
        cpu, said = run([b.singe, "record", "-g", "auto", "--no-resolve", "-F", str(freq), "-p",
                         str(busy.pid), "-d", str(seconds), "-o", path])
        samples, lost = said_counts(said)
    else:
        cpu, _ = run(["perf", "record", "-q", *UNWINDERS[name], "--call-graph", "dwarf", "-F",
                      str(freq), "-p", str(busy.pid), "-o", path, "--", "sleep", str(seconds)])
        samples, lost = perf_counts(b, path)
    busy.kill()
    busy.wait()
    return cpu, samples, os.path.getsize(path), lost


def unwind_recordings(b, what, argv, freq, limits):
    """A row a promise: CPU beside perf, file beside perf and beside perf -z, losses."""
    got = {name: [] for name in UNWINDERS}
    for n in range(b.rounds):
        for name in rotated(list(UNWINDERS), n):
            got[name].append(unwound_once(b, name, argv, freq, b.seconds))
            if not got[name][-1][1]:
                sys.exit(f"bench: {name} took no samples of {what}")
    cost = {name: [1e9 * r[0] / max(r[1], 1) for r in runs] for name, runs in got.items()}
    size = {name: [r[2] / max(r[1], 1) for r in runs] for name, runs in got.items()}
    for label, values, peer, unit, limit in (
            ("recorder CPU per sample", cost, "perf", "ns", limits[0]),
            ("file per sample", size, "perf", "bytes", limits[1]),
            ("file per sample", size, "perf -z", "bytes", limits[2])):
        ratio = median([a / c for a, c in zip(values["singe"], values[peer])])
        b.row(f"{what}, {freq} Hz: {label} / {peer}", f"{median(values['singe']):.4g} {unit}",
              f"{median(values[peer]):.4g} {unit}", ratio, limit)
    lost = {name: max(r[3] for r in runs) for name, runs in got.items()}
    # Where perf -z loses some itself, the machine was too busy to promise anything.
    b.row(f"{what}, {freq} Hz: lost (most in a run)", str(lost["singe"]), str(lost["perf -z"]),
          float(lost["singe"]), 0 if not lost["perf -z"] else None)


def bench_unwind(b):
    cxx, cc = os.environ.get("CXX", "g++"), os.environ.get("CC", "cc")
    cpp = b.compile("cpp-nofp", "cpp.cc", cxx, "-std=c++17", ["-O2", "-pthread"])
    frames = b.compile("frames", "frames.c", cc, "-std=gnu11", ["-O2", "-pthread"])
    for freq in (999, 4999):
        unwind_recordings(b, "C++", [cpp], freq, (1 / 8, 1 / 900, 1 / 18))
        unwind_recordings(b, "60 frames", [frames, "60"], freq, (1 / 5, 1 / 500, 1 / 10))
    engines = os.path.join(b.build, "tests/e2e/engines")
    if os.path.exists(engines):
        for what, argv in (("C++", [cpp, "2"]), ("60 frames", [frames, "2", "60"])):
            run([b.singe, "record", "-q", "-g", "dwarf", "--keep-stacks", "-F", "1999", "-o",
                 b.path("kept.rec"), "--", *argv])
            text = subprocess.run([engines, "-b", b.path("kept.rec")], check=True,
                                  capture_output=True, text=True).stdout
            ns = float(re.search(r"ns-a-frame ([0-9.]+)", text).group(1))
            b.row(f"{what}: unwinding, ns a frame", f"{ns:.1f} ns", "60 ns", ns / 60, 1)
    else:
        print("  (make check builds tests/e2e/engines, which times the walker)")
    rec, data = b.path("report.rec"), b.path("report.data")
    # As many samples as it takes for start-up not to count; perf's file is large: 8 KiB a sample.
    for path, argv in ((rec, [b.singe, "record", "-q", "-F", "9999", "-o", rec]),
                       (data, ["perf", "record", "-q", "--call-graph", "dwarf", "-F", "9999", "-o",
                               data])):
        run([*argv, "--", cpp, str(int(b.seconds))])
    theirs, _ = run(["perf", "script", "report", "stackcollapse", "--no-inline", "-i", data])
    with open(b.path("report.out"), "wb") as out:
        ours = [run([b.singe, "report", "-q", "-f", "folded", "-i", rec], out)[0]
                for _ in range(3)]
    said = subprocess.run([b.singe, "info", "--json", rec], check=True, capture_output=True,
                          text=True).stdout
    n = json.loads(said)["totals"]["samples"]
    n_theirs = perf_counts(b, data)[0]
    os.unlink(data)
    ours_us, theirs_us = 1e6 * median(ours) / n, 1e6 * theirs / max(n_theirs, 1)
    b.row(f"report CPU per sample ({n} samples) / perf script report stackcollapse",
          f"{ours_us:.3g} us", f"{theirs_us:.3g} us", ours_us / theirs_us, 1 / 50)
