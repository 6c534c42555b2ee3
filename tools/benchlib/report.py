"""Folded output, beside perf script report stackcollapse and perf report."""
from .core import median, run
from .record import recordings


def bench_report(b):
    rec, data = b.path("bench.rec"), b.path("perf.data")
    if not b.counts:
        rounds, b.rounds = b.rounds, 1
        recordings(b)
        b.rounds = rounds
    samples, their_samples = b.counts["singe"], b.counts["perf"]

    def per_sample(argv, n, times):
        values = []
        for _ in range(times):
            with open(b.path("report.out"), "wb") as out:
                values.append(1e6 * run(argv, out)[0] / n)
        return median(values)

    ours = per_sample([b.singe, "report", "-f", "folded", "-i", rec], samples, b.rounds * 2 + 1)
    for what, argv, limit, times in (
            ("perf report -g folded", ["perf", "report", "--no-inline", "--stdio", "-g", "folded",
                                       "-i", data], 1 / 8, b.rounds),
            ("perf script report stackcollapse", ["perf", "script", "report", "stackcollapse",
                                                  "-i", data], 1 / 110, 1)):
        theirs = per_sample(argv, their_samples, times)
        b.row(f"folded CPU per sample / {what}", f"{ours:.3g} us", f"{theirs:.3g} us",
              ours / theirs, limit)
