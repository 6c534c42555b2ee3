#!/usr/bin/env python3
"""One run, seen by singe and by perf at once: the same stacks in the same shares; and the shares are
those that the program measured itself, within three standard errors."""

from e2e import *

HZ = 1999


def from_main(folded):
    """Counts by stack from main inward: further out, perf names less."""
    counts = {}
    for frames, count in folded.stacks:
        if "main" in frames and not any(f.startswith("[") for f in frames[frames.index("main"):]):
            stack = ";".join(frames[frames.index("main"):])
            counts[stack] = counts.get(stack, 0) + count
    return counts


def user_part(counts):
    """Interrupts add kernel frames to a few samples; what they interrupted is what counts."""
    merged = {}
    for stack, count in counts.items():
        frames = stack.split(";")[:3]
        merged[";".join(frames)] = merged.get(";".join(frames), 0) + count
    return merged


def both(app):
    with started([app, "30"]) as target:
        perf = subprocess.Popen(
            ["perf", "record", "-q", "-e", "cpu-clock:u", "-F", str(HZ), "--call-graph", "fp", "-o", "perf.data",
             "-p", str(target.pid), "--", "sleep", "5"], stderr=subprocess.PIPE, text=True)
        line = [SINGE, "record", "-e", "cpu-clock:u", "-F", str(HZ), "-g", "fp", "-p", str(target.pid), "-d", "5"]
        done = run(line, timeout=60)
        problem = perf.communicate(timeout=60)[1]
    assert done.returncode == 0, done.stderr
    if perf.returncode:
        skip(f"perf record: {problem.strip()}")
    script = run(["perf", "script", "report", "stackcollapse", "-i", "perf.data"])
    if script.returncode or not script.stdout:
        skip("perf script report stackcollapse does not run here")
    return user_part(from_main(report())), user_part(from_main(Folded(script.stdout)))


def test_same_stacks_as_perf():
    need("perf")
    ours, theirs = both(compile_c("shares.c", "shares"))
    top = lambda counts: sorted(counts, key=counts.get, reverse=True)[:20]
    n, m = sum(ours.values()), sum(theirs.values())
    assert n > 1000 and m > 1000, f"{n} and {m} samples"
    assert set(top(ours)) == set(top(theirs)), f"{top(ours)}\n{top(theirs)}"
    for stack in top(ours):
        p, q = ours[stack] / n, theirs[stack] / m
        error = math.sqrt(p * (1 - p) / n + q * (1 - q) / m)
        assert abs(p - q) <= 4 * error, f"{stack}: {p:.4f} and {q:.4f}"


def test_known_shares():
    app = compile_c("shares.c", "shares")
    line = [SINGE, "record", "-e", "cpu-clock:u", "-F", str(HZ), "-g", "fp", "--", app, "4"]
    done = run(line, env=environment("truth"), timeout=60)
    assert done.returncode == 0, done.stderr
    counts = user_part(from_main(report()))
    truth = Truth()
    n = sum(counts.values())
    outside = []
    for name in truth.seconds:
        want = truth.share(name)
        have = counts.get("main;" + name.replace(",", ";"), 0) / n
        error = math.sqrt(want * (1 - want) / n)
        if abs(have - want) > 3 * error:
            outside.append(f"{name}: {have:.4f}, not {want:.4f} ± {error:.4f}")
    # Of twenty, one passes three standard errors by chance in a run of nineteen.
    assert len(outside) <= 1, outside


if __name__ == "__main__":
    run_tests()
