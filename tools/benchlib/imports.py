"""Files of other tools: perf.data beside perf, text beside what it takes to count its words."""
import itertools
import os
import subprocess
import sys
import time

from .core import median, perf_counts, spent


def cpu_of(usage):
    return usage.ru_utime + usage.ru_stime


def folded(b, path, times):
    """(median CPU seconds, most KiB) of a folded report of the file."""
    used = []
    for _ in range(times):
        with open(b.path("import.out"), "wb") as out:
            used.append(spent([b.singe, "report", "-q", "-f", "folded", "-i", path], out)[0])
    return median([cpu_of(u) for u in used]), max(u.ru_maxrss for u in used)


def perf_data(b, path, least, argv, options):
    """Has perf record all CPUs, busy with argv, until there are `least` samples; their number."""
    seconds = 1
    while True:
        busy = [subprocess.Popen([*argv, str(seconds + 60)], stdout=subprocess.DEVNULL)
                for _ in range(os.cpu_count())]
        time.sleep(0.3)
        spent(["perf", "record", "-q", *options, "-p", ",".join(str(p.pid) for p in busy), "-o",
               path, "--", "sleep", f"{seconds:.1f}"])
        for p in busy:
            p.kill()
            p.wait()
        samples = perf_counts(b, path)[0]
        if samples >= least:
            return samples
        if not samples:
            sys.exit("bench: perf took no samples")
        print(f"  {samples} samples in {seconds:.0f} s: again, for longer", flush=True)
        seconds *= 1.2 * least / samples


def import_perf_data(b, data):
    samples = perf_data(b, data, b.samples, [b.cpp], ["--call-graph", "fp", "-F", "49999"])
    ours, kib = folded(b, data, b.rounds)
    with open(b.path("import.out"), "wb") as out:
        collapse, _ = spent(["perf", "script", "report", "stackcollapse", "-i", data], out)
        report, _ = spent(["perf", "report", "--no-inline", "--stdio", "-g", "folded", "-i", data],
                          out)
    what = f"perf.data of {samples} samples to folded"
    for peer, usage, limit in (("perf script report stackcollapse", collapse, 1 / 40),
                               ("perf report -g folded", report, 1 / 3)):
        b.row(f"{what}, CPU / {peer}", f"{ours:.3g} s", f"{cpu_of(usage):.3g} s",
              ours / cpu_of(usage), limit)
    b.row(f"{what}, memory / perf report", f"{kib} KiB", f"{report.ru_maxrss} KiB",
          kib / report.ru_maxrss, 1)


def varied(block, n):
    """The n-th variation of a block of folded stacks: half of it other functions, other counts."""
    lines = block.splitlines(keepends=True)
    for i in range(n % 2, len(lines), 2):
        frames, _, count = lines[i].rpartition(" ")
        frames = frames.split(";")
        frames[(n * 7 + i) % len(frames)] += f"_{(n * 31 + i) % 97}"
        lines[i] = f"{';'.join(frames)} {int(count) + (n * 13 + i) % 1009}\n"
    return "".join(lines)


def grow(path, blocks, size):
    """Writes blocks until there are `size` bytes."""
    with open(path, "w", encoding="utf-8", errors="surrogateescape") as f:
        for block in blocks:
            f.write(block)
            if f.tell() >= size:
                return


def folded_text(b, path):
    """Stacks of two real programs, then variations of them, as of many processes and hosts."""
    text = ""
    for what in (b.cpp, b.deep):
        rec = b.path("import.rec")
        spent([b.singe, "record", "-q", "-g", "fp", "-F", "4999", "-o", rec, "--", what, "4"])
        text += subprocess.run([b.singe, "report", "-q", "-f", "folded", "-i", rec], check=True,
                               capture_output=True, encoding="utf-8",
                               errors="surrogateescape").stdout
        os.unlink(rec)
    grow(path, itertools.chain([text], (varied(text, n) for n in itertools.count())), b.text)


def script_text(b, data, path):
    """What perf script says of a perf.data, over and over until there is enough of it."""
    with open(path, "wb") as out:
        while out.tell() < b.text:
            before = out.tell()
            child = subprocess.Popen(["perf", "script", "--no-inline", "-i", data],
                                     stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for line in child.stdout:
                out.write(line)
                if out.tell() >= b.text and not line.strip():  # samples end so
                    child.kill()
                    break
            child.stdout.close()
            if child.wait() > 0 or out.tell() == before:
                sys.exit("bench: perf script says nothing")


def words(path):
    env = dict(os.environ, LC_ALL="C")
    return cpu_of(spent(["wc", "-w", path], env=env)[0])


def text_row(b, what, path, fmt, limit):
    """Alternates singe and wc -w, which are both slowed by whatever else the machine does."""
    ours, theirs = [], []
    for _ in range(b.rounds):
        theirs.append(words(path))
        with open(b.path("import.out"), "wb") as out:
            usage, _ = spent([b.singe, "report", "-q", "-f", fmt, "-i", path], out)
            ours.append(cpu_of(usage))
    b.row(f"{what} of {os.path.getsize(path) >> 20} MiB to {fmt}, CPU / LC_ALL=C wc -w",
          f"{median(ours):.3g} s", f"{median(theirs):.3g} s",
          median([o / t for o, t in zip(ours, theirs)]), limit)


def import_kept_stacks(b, data):
    cpp = b.compile("cpp-nofp", "cpp.cc", os.environ.get("CXX", "g++"), "-std=c++17",
                    ["-O2", "-pthread"])
    # So many that names and start-up do not count; 8 KiB each.
    samples = perf_data(b, data, b.samples // 20, [cpp], ["--call-graph", "dwarf", "-F", "4999"])
    ours, _ = folded(b, data, b.rounds)
    with open(b.path("import.out"), "wb") as out:
        usage, _ = spent(["perf", "script", "--no-inline", "-i", data], out)
    b.row(f"{samples} kept stacks to folded, CPU / perf script --no-inline", f"{ours:.3g} s",
          f"{cpu_of(usage):.3g} s", ours / cpu_of(usage), 1 / 8)


def bench_import(b):
    data, text = b.path("import.data"), b.path("import.txt")
    try:
        import_perf_data(b, data)
        script_text(b, data, text)
        text_row(b, "perf script text", text, "folded", 0.85)
        os.unlink(data)
        folded_text(b, text)
        text_row(b, "folded text", text, "svg", 3)
        os.unlink(text)
        import_kept_stacks(b, data)
    finally:
        for path in (data, data + ".old", text, b.path("import.out")):
            if os.path.exists(path):
                os.unlink(path)
