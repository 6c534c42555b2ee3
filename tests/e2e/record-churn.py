#!/usr/bin/env python3
"""Two hundred threads a second come and go: none is missed, none counted twice."""

from e2e import *

HZ = 4999
SECONDS = 5


def churn(*attach):
    """Samples by thread, and each thread's CPU seconds and time of birth, of those that were born
    well after attaching and ended well before the end."""
    app = compile_c("churn.c", "churn", "-O2")
    with open("threads", "w") as out:
        # 12 lines of descent, 2 ms of CPU a thread.
        target = subprocess.Popen([app, str(SECONDS), "12", "4000"], stdout=out)
        time.sleep(0.3)
        record("-p", str(target.pid), "--no-resolve", *attach, rate=HZ)
        assert target.wait() == 0
    samples = {}
    for frames, count in report("--by", "tid").stacks:
        tid = frames[0].rpartition("/")[2]
        if tid == "?":  # the last moments of a task that has lost its number
            continue
        tid = int(tid)
        samples[tid] = samples.get(tid, 0) + count
    with open("threads") as lines:
        threads = [tuple(map(int, line.split())) for line in lines]
    first = min(born for _, _, born in threads)
    return samples, [(tid, cpu / 1e9) for tid, cpu, born in threads if born > first + 1e9]


def expect_all_once(samples, threads):
    bad = []
    total = expected = 0
    for tid, seconds in threads:
        want = seconds * HZ
        have = samples.get(tid, 0)
        total += have
        expected += want
        if abs(have - want) > 3 * math.sqrt(want) + 1:
            bad.append((tid, have, round(want, 1)))
    assert len(threads) > 100, f"only {len(threads)} threads"
    # Three standard errors are passed by chance once in 370.
    assert len(bad) <= 1 + len(threads) / 100, f"{len(bad)} of {len(threads)}: {bad[:5]}"
    assert abs(total / expected - 1) < 0.1, f"{total} samples, {expected:.0f} expected"


def test_threads():
    expect_all_once(*churn("--attach", "threads"))


def test_system():
    need_root()
    expect_all_once(*churn("--attach", "system"))


if __name__ == "__main__":
    run_tests()
