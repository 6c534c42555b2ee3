#!/usr/bin/env python3
"""What a function's lines and instructions cost, on a program that knows: hotline.c spends three,
one and two sixths of its time on three lines, the last of them inlined from another file."""

from e2e import *

SHARES = {("hotline.c", "three of six"): 3 / 6, ("hotline.c", "one of six"): 1 / 6, ("hotline.h", "two of six"): 2 / 6}


def recorded(*flags):
    app = compile_c("hotline.c", "app", "-O2", "-Wl,--build-id", *flags)
    record(command=[app])
    return app


def listing(*arguments):
    done = run([SINGE, "report", "singe.rec", *arguments], timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def source_lines(text):
    """[(file, line number or "?", samples, text)] of lines with samples."""
    rows, file = [], None
    for line in text.splitlines():
        if line.startswith("# /"):
            file = os.path.basename(line[2:].split(",")[0])
        found = re.match(r" *[\d.]+ % +[\d.]+ % +(\d+) +(\d+|\?)(?:  (.*))?$", line)
        if found:
            rows.append((file, found[2], int(found[1]), found[3] or ""))
    return rows


def self_samples(name, *arguments):
    folded = report("--by", "none", *arguments)
    return folded.count(lambda frames: frames[-1] == name)


def test_known_lines():
    recorded()
    rows = source_lines(listing("--source", "hot"))
    total = sum(samples for _, _, samples, _ in rows)
    for (file, mark), share in SHARES.items():
        here = [s for f, _, s, text in rows if f == file and mark in text]
        assert len(here) == 1, rows
        expect_share(mark, here[0], total, share)


def test_total_is_self():
    """All lines together: what the function has without inlined calls, whatever is asked for."""
    recorded()
    want = self_samples("hot", "--no-inlines")
    for arguments in ([], ["--no-inlines"]):
        rows = source_lines(listing("--source", "hot", *arguments))
        assert sum(samples for _, _, samples, _ in rows) == want, rows
    files = {file for file, _, _, _ in source_lines(listing("--source", "hot", "--no-inlines"))}
    assert files == {"hotline.c"}, files


def test_inlined_function():
    recorded()
    rows = source_lines(listing("--source", "inlined"))
    assert {file for file, _, _, _ in rows} == {"hotline.h"}, rows
    assert sum(samples for _, _, samples, _ in rows) == self_samples("inlined")


def test_filters_hold():
    recorded()
    want = self_samples("hot", "--no-inlines", "--time", ",0.2")
    rows = source_lines(listing("--source", "hot", "--time", ",0.2"))
    assert 0 < sum(samples for _, _, samples, _ in rows) == want


def test_source_not_here():
    """Numbers alone, and the file named once as missing; a file written since is told."""
    shutil.copytree(WORKLOADS, "src")
    line = CC + ["-O2", "-g", "-Isrc", os.path.abspath("src/hotline.c"), "-o", "app"]
    assert run(line).returncode == 0
    record(command=[os.path.abspath("app")])
    before = source_lines(listing("--source", "hot"))
    assert all(text for _, _, _, text in before), before
    later = time.time() + 100
    os.utime("src/hotline.c", (later, later))
    assert listing("--source", "hot").count("(changed since it was recorded") == 1
    os.unlink("src/hotline.c")
    after = listing("--source", "hot")
    rows = source_lines(after)
    assert [row[:3] for row in rows] == [row[:3] for row in before]
    assert not any(text for file, _, _, text in rows if file == "hotline.c"), rows
    assert after.count("#   " + os.path.abspath("src/hotline.c")) == 1, after


def test_no_lines():
    """One line for what is not known, which is still everything."""
    recorded("-g0")
    text = listing("--source", "hot")
    rows = source_lines(text)
    assert [row[1] for row in rows] == ["?"], text
    assert rows[0][2] == self_samples("hot")


def test_usage():
    recorded()
    for arguments, status in {
        ("--source", "nosuch"): 1,
        ("--source", "hot", "--lines"): 2,
        ("--source", "hot", "--hide", "x"): 2,
        ("--source", "hot", "-f", "svg"): 2,
        ("--source", "hot", "--callers", "hot"): 2,
        ("--source", "hot", "-f", "text"): 0,
    }.items():
        done = run([SINGE, "report", "singe.rec", *arguments])
        assert done.returncode == status, (arguments, done.returncode)
        assert bool(done.stdout) == (status == 0), arguments


if __name__ == "__main__":
    run_tests()
