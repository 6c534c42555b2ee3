"""What the profiled program pays, beside perf and beside no profiler."""
import re
import statistics
import subprocess
import time

from .core import median, rotated, run


def purefp_cpu(b, prefix, rounds):
    out = subprocess.run([*prefix, b.purefp, str(rounds)], check=True, stdin=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    return float(re.search(r"cpu ([0-9.]+)", out).group(1))


def pp_hop(b, attach):
    busy = subprocess.Popen([b.pp, str(b.seconds / 2)], stdout=subprocess.PIPE, text=True)
    recorder = None
    if attach:
        time.sleep(0.2)
        recorder = subprocess.Popen([*attach, "-p", str(busy.pid)], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    out, _ = busy.communicate()
    if recorder:
        recorder.wait()
    return float(re.search(r"ns_per_hop ([0-9.]+)", out).group(1))


def bench_target(b):
    singe = [b.singe, "record", "-g", "fp", "-F", "999", "-o", b.path("target.rec")]
    perf = ["perf", "record", "-q", "--call-graph", "fp", "-F", "999", "-o", b.path("target.data")]
    runs = {"none": [], "singe": [*singe, "--"], "perf": [*perf, "--"]}
    # Many short runs: what else the machine does changes from second to second.
    work = int(b.seconds * 4000)
    times = 6 * (2 * b.rounds + 1)
    cpu = {name: [] for name in runs}
    for n in range(times):
        for name in rotated(list(runs), n):
            cpu[name].append(purefp_cpu(b, runs[name], work))
    slow = {name: median([a / c for a, c in zip(cpu[name], cpu["none"])])
            for name in ("singe", "perf")}
    noise = statistics.pstdev(cpu["none"]) / statistics.mean(cpu["none"])
    # What two equal programs differ by here is no slow-down.
    b.row(f"fixed work at 999 Hz, slow-down (noise {100 * noise:.1f} %)", f"{slow['singe']:.4f}",
          f"{slow['perf']:.4f}", slow["singe"] / slow["perf"],
          1 + max(0.002, noise / times ** 0.5))
    hops = {name: [] for name in runs}
    runs = {"none": None, "singe": singe, "perf": perf}
    for n in range(b.rounds):
        for name in rotated(list(runs), n):
            hops[name].append(pp_hop(b, runs[name]))
    ours = median([a / c for a, c in zip(hops["singe"], hops["none"])])
    b.row("pipes, CPU per hop at 999 Hz / no profiler", f"{median(hops['singe']):.0f} ns",
          f"{median(hops['none']):.0f} ns", ours, 1.25)
    theirs = median([a / c for a, c in zip(hops["perf"], hops["none"])])
    b.row("  the same under perf record -p", f"{median(hops['perf']):.0f} ns",
          f"{median(hops['none']):.0f} ns", theirs, None)
