"""Recorder CPU per sample, file size and losses, beside perf record."""
import os
import subprocess
import time

from .core import median, perf_counts, rotated, run, said_counts

RECORDERS = {
    "singe": None,
    "perf": [],
    "perf -N -B": ["-N", "-B"],
    "perf -z": ["-z"],
}


def record_once(b, name, pid, freq, seconds):
    """Attaches recorder `name` to pid; returns (CPU seconds, samples, bytes, lost)."""
    if name == "singe":
        path = b.path("bench.rec")
        cpu, said = run([b.singe, "record", "-g", "fp", "--no-resolve", "-F", str(freq), "-p",
                         str(pid), "-d", str(seconds), "-o", path])
        samples, lost = said_counts(said)
    else:
        path = b.path(name.replace(" ", "") + ".data")
        cpu, _ = run(["perf", "record", "-q", *RECORDERS[name], "--call-graph", "fp", "-F",
                      str(freq), "-p", str(pid), "-o", path, "--", "sleep", str(seconds)])
        samples, lost = perf_counts(b, path)
    return cpu, samples, os.path.getsize(path), lost


def recordings(b, freq=49999):
    """Every recorder once a round on the busy C++ program; {name: [result, ...]}."""
    results = {name: [] for name in RECORDERS}
    for n in range(b.rounds):
        for name in rotated(list(RECORDERS), n):
            busy = subprocess.Popen([b.cpp, str(b.seconds + 6)], stdout=subprocess.DEVNULL)
            time.sleep(0.5)
            got = record_once(b, name, busy.pid, freq, b.seconds)
            busy.kill()
            busy.wait()
            results[name].append(got)
            b.counts[name] = got[1]
            cpu, samples, size, lost = got
            print(f"  {name}: {samples} samples, {lost} lost, {cpu:.3f} s CPU, "
                  f"{1e9 * cpu / max(samples, 1):.0f} ns a sample, "
                  f"{size / max(samples, 1):.2f} bytes a sample", flush=True)
    return results


def bench_record(b):
    got = recordings(b)

    def cost(name):
        return [1e9 * cpu / samples for cpu, samples, _, _ in got[name]]

    def size(name):
        return [length / samples for _, samples, length, _ in got[name]]

    def compare(what, pick, peer, unit, limit):
        ours, theirs = pick("singe"), pick(peer)
        ratio = median([a / c for a, c in zip(ours, theirs)])
        b.row(f"{what} / {peer}", f"{median(ours):.3g} {unit}", f"{median(theirs):.3g} {unit}",
              ratio, limit)

    compare("recorder CPU per sample", cost, "perf", "ns", 0.5)
    compare("recorder CPU per sample", cost, "perf -N -B", "ns", 1.0)
    compare("recorder CPU per sample", cost, "perf -z", "ns", None)
    compare("file per sample", size, "perf", "bytes", 1 / 20)
    compare("file per sample", size, "perf -z", "bytes", 1 / 2.5)
    ours = max(lost for _, _, _, lost in got["singe"])
    theirs = max(lost for _, _, _, lost in got["perf"])
    b.row("lost (most in a run)", str(ours), str(theirs), float(ours > theirs), 0)
