"""What the flame graph costs over folded output."""
import subprocess

from .core import median, run


def bench_svg(b):
    rec = b.path("deep.rec")
    busy = subprocess.Popen([b.deep, "30"], stdout=subprocess.DEVNULL)
    run([b.singe, "record", "-g", "fp", "-F", "4999", "-p", str(busy.pid), "-d", "8", "-o", rec])
    busy.kill()
    busy.wait()
    frames = set()
    out = subprocess.run([b.singe, "report", "-f", "folded", "-i", rec], check=True,
                         capture_output=True, text=True).stdout
    for line in out.splitlines():
        prefix = 0
        for frame in line.rpartition(" ")[0].split(";"):
            prefix = hash((prefix, frame))
            frames.add(prefix)
    unit = len(frames) / 100000
    costs = {"svg": [], "folded": []}
    for _ in range(b.rounds * 2 + 1):
        for fmt, values in costs.items():
            with open(b.path("deep." + fmt), "wb") as f:
                values.append(1e3 * run([b.singe, "report", "-f", fmt, "-i", rec], f)[0] / unit)
    added = median([s - f for s, f in zip(costs["svg"], costs["folded"])])
    b.row(f"svg over folded, ms per 100,000 frames ({len(frames)} frames)", f"{added:.3g} ms",
          "50 ms", added / 50, 1)
    b.row("all of report -f svg, ms per 100,000 frames", f"{median(costs['svg']):.3g} ms", "",
          median(costs["svg"]) / 50, None)
