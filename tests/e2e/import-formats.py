#!/usr/bin/env python3
"""Files of other tools: a corpus of them, recordings that perf makes here, and back to perf.
Runs beside others."""

from e2e import *

CORPUS = os.environ.get("SINGE_CORPUS", os.path.join(TOP, "../shared/corpus"))

# stackcollapse-perf.pl's options in ours, as singe-report(1) maps them.
SCRIPT_OPTIONS = {
    "pid": ["--by", "pid", "--mark", "i"],
    "tid": ["--by", "tid", "--mark", "i"],
    "kernel": ["--mark", "k,i"],
    "jit": ["--mark", "j,i"],
    "all": ["--mark", "k,j,i"],
    "addrs": ["--addrs", "--mark", "i"],
}


def corpus(folder):
    path = os.path.join(CORPUS, folder)
    if not os.path.isdir(path):
        skip(f"no corpus in {CORPUS} (SINGE_CORPUS)")
    return path


def singe(*args, **kwargs):
    done = run([SINGE, *args], **kwargs)
    assert done.returncode == 0, done.stderr
    return done.stdout


def folded_lines(*args):
    return sorted(singe("report", "-q", "-f", "folded", *args).splitlines())


def test_record_counts():
    folder = corpus("perf-data")
    with open(os.path.join(folder, "expected.tsv")) as table:
        rows = [line.split() for line in table][1:]
    assert len(rows) > 10
    for name, *want in rows:
        n = {}
        for line in singe("report", "-q", "--dump=records", os.path.join(folder, name)).splitlines():
            kind, count = line.split()
            n[kind] = n.get(kind, 0) + int(count)
        got = [sum(n.values()), n.get("SAMPLE", 0), n.get("MMAP", 0) + n.get("MMAP2", 0)]
        got += [n.get(kind, 0) for kind in ("COMM", "FORK", "EXIT")]
        assert got == [int(w) for w in want], (name, got, want)


def test_perf_script_like_stackcollapse():
    folder = corpus("perf-script")
    texts = [name for name in os.listdir(folder) if name.endswith(".txt")]
    assert texts
    for name in texts:
        for option, ours in SCRIPT_OPTIONS.items():
            path = os.path.join(folder, "results", f"{name[:-4]}-collapsed-{option}.txt")
            with open(path, errors="surrogateescape") as f:
                want = sorted(f.read().splitlines())
            got = folded_lines("--weight", "period", *ours, os.path.join(folder, name))
            assert got == want, (name, option, set(got) ^ set(want))


def perf_record(out, *options):
    need("perf")
    app = os.path.abspath("hotspots")
    if not os.path.exists(app):
        compile_c("hotspots.c", app)
    with open(out, "wb") as f:
        done = subprocess.run(["perf", "record", "-q", *options, "--", app], stdout=f,
                              stderr=subprocess.PIPE)
    if done.returncode:
        skip(f"perf record: {done.stderr.decode(errors='replace').splitlines()[-1:]}")


def collapsed(path):
    """{(function, …): samples} by perf's own script."""
    done = run(["perf", "script", "report", "stackcollapse", "-i", path])
    stacks = {}
    for line in done.stdout.splitlines():
        stack, _, count = line.rpartition(" ")
        stacks[tuple(stack.split(";"))] = int(count)
    return stacks


def named(stack):
    """Names that both have: those of the workload."""
    return tuple(name for name in stack if re.fullmatch(r"main|calls_two|hot_\w+", name))


def by_names(stacks):
    sums = {}
    for stack, n in stacks.items():
        sums[named(stack)] = sums.get(named(stack), 0) + n
    return sums


def ours(path, *options):
    stacks = {}
    for line in folded_lines("--weight", "samples", "--no-inlines", *options, path):
        stack, _, count = line.rpartition(" ")
        stacks[tuple(stack.split(";"))] = int(count)
    return stacks


def expect_agreement(path, perf_path=None):
    want, got = by_names(collapsed(perf_path or path)), by_names(ours(path))
    top = [stack for stack in want if want[stack] > 5]
    assert top, want
    assert sum(want.values()) == sum(got.values()), (want, got)
    for stack in top:
        assert got.get(stack) == want[stack], (stack, want[stack], got)


def test_fresh_perf_recordings():
    need_root()
    for options in (["-g"], ["-g", "-z"], ["-g", "-e", "cpu-clock", "--switch-events"]):
        perf_record(os.devnull, "-F", "499", "-o", "perf.data", *options)
        expect_agreement("perf.data")


def test_pipe_mode():
    need_root()
    perf_record("pipe.data", "-F", "499", "-g", "-o", "-")
    expect_agreement("pipe.data")
    with open("pipe.data", "rb") as f:
        piped = singe("report", "-q", "-f", "folded", "-", stdin=f)
    assert piped == singe("report", "-q", "-f", "folded", "pipe.data")
    cat = f"cat pipe.data | {shlex.quote(SINGE)} report -q -f folded -"
    assert run(["sh", "-c", cat]).stdout == piped


def test_file_through_a_pipe():
    need_root()
    perf_record(os.devnull, "-F", "499", "-g", "-o", "perf.data")
    cat = f"cat perf.data | {shlex.quote(SINGE)} report -q -f folded -"
    assert run(["sh", "-c", cat]).stdout == singe("report", "-q", "-f", "folded", "perf.data")


def test_events_are_not_summed():
    need_root()
    perf_record(os.devnull, "-F", "499", "-g", "-e", "cpu-clock,page-faults", "-o", "perf.data")
    done = run([SINGE, "report", "-f", "folded", "perf.data"])
    assert "page-faults" in done.stderr
    faults = singe("report", "-q", "-f", "folded", "--event", "page-faults", "perf.data")
    assert faults and faults != done.stdout


def raw_chains(path):
    """{(tid, microseconds): addresses} as the kernel wrote them; perf's own versions disagree on
    what to print of them."""
    chains = {}
    for line in run(["perf", "script", "-D", "-i", path]).stdout.splitlines():
        head = re.match(r"(?:\d+ )?(\d+) 0x\w+ \[0x\w+\]: PERF_RECORD_SAMPLE\(.*\): \d+/(\d+): ", line)
        frame = re.match(r"\.+ +\d+: ([0-9a-f]{16})$", line)
        if head:
            chain = chains.setdefault((head[2], int(head[1]) // 1000), [])
        elif frame and int(frame[1], 16) < 2**64 - 4095:  # PERF_CONTEXT_*
            chain.append(int(frame[1], 16))
    return chains


def test_addresses_are_those_of_the_samples():
    need_root()
    perf_record(os.devnull, "-F", "499", "-g", "-o", "perf.data")
    want = raw_chains("perf.data")
    assert len(want) > 50 and all(want.values()), want
    singe("convert", "-q", "perf.data", "-o", "out.rec")
    for path in "perf.data", "out.rec":
        text = singe("report", "-q", "--no-inlines", "-f", "perf-script", path)
        got = {}
        for sample in text.strip("\n").split("\n\n"):
            head, *frames = sample.split("\n")
            tid, seconds, fraction = re.search(r"/(\d+)(?: \[\d+\])? (\d+)\.(\d{6}):", head).groups()
            places = [int(frame.split()[0], 16) for frame in frames if "[truncated]" not in frame]
            got[tid, int(seconds + fraction)] = places
        assert got.keys() == want.keys(), path
        differ = [(sample, want[sample], got[sample]) for sample in want if got[sample] != want[sample]]
        assert not differ, (path, len(differ), differ[:3])


def test_stack_copies_are_unwound():
    need_root()
    perf_record(os.devnull, "-F", "499", "--call-graph", "dwarf,8192", "-o", "perf.data")
    stacks = ours("perf.data")
    total = sum(stacks.values())
    complete = sum(n for stack, n in stacks.items() if "main" in stack)
    assert complete >= 0.9 * total, stacks
    assert by_names(stacks) == by_names(ours("perf.data", "--unwinder", "libunwind"))


def test_convert_keeps_what_a_report_shows():
    need_root()
    perf_record(os.devnull, "-F", "499", "-g", "-o", "perf.data")
    singe("convert", "-q", "perf.data", "-o", "out.rec")
    singe("convert", "-q", "perf.data", "-o", "out.data")
    want = folded_lines("perf.data")
    assert folded_lines("out.rec") == want
    assert folded_lines("out.data") == want
    assert os.path.getsize("out.rec") * 3 < os.path.getsize("perf.data")
    expect_agreement("perf.data", "out.data")
    assert "main" in run(["perf", "report", "-i", "out.data", "--stdio"]).stdout


def test_stack_copies_shrink():
    need_root()
    perf_record(os.devnull, "-F", "499", "--call-graph", "dwarf,8192", "-o", "perf.data")
    singe("convert", "-q", "perf.data", "-o", "out.rec")
    assert os.path.getsize("out.rec") * 20 < os.path.getsize("perf.data")


def test_merge():
    need_root()
    perf_record(os.devnull, "-F", "499", "-g", "-o", "perf.data")
    with open("b.folded", "w") as f:
        f.write("web;main;f 3\nweb;main;g 4\n")
    with open("a.folded", "w") as f:
        f.write("web;main;f 5\n")
    singe("convert", "-q", "a.folded", "b.folded", "perf.data", "-o", "all.rec")
    assert folded_lines("--by", "origin", "all.rec") == [
        "a.folded;main;f 5", "b.folded;main;f 3", "b.folded;main;g 4"]
    assert folded_lines("--origin", "b.folded", "all.rec") == ["web;main;f 3", "web;main;g 4"]
    host = os.uname().nodename
    clock = [line for line in run([SINGE, "info", "all.rec"]).stdout.splitlines()
             if "cpu-clock" in line or "cycles" in line]
    event = clock[0].split()[0]
    samples = folded_lines("--by", "origin", "--event", event, "all.rec")
    assert all(line.startswith(host + ";") for line in samples), samples
    done = run([SINGE, "convert", "a.folded", "-o", "out.data"])
    assert done.returncode == 1 and "no place in perf.data" in done.stderr
    assert not os.path.exists("out.data")


def in_namespace(function, out):
    """A recording of one program, whose numbers and addresses are those of any other made so."""
    for program in "unshare", "setarch":
        need(program)
    os.mkdir(function)
    with open("app.c", "w") as f:
        f.write("static volatile long sink;\n"
                f"__attribute__((noinline)) void {function}(void)\n"
                "{ for (long i = 0; i < 150000000; i++) sink += i; }\n"
                f"int main(void) {{ {function}(); return 0; }}\n")
    app = compile_c(os.path.abspath("app.c"), function + "/app")
    done = run(["unshare", "-pf", "--mount-proc", "setarch", "-R", SINGE, "record", "-q", "-e", "cpu-clock",
                "-F", "499", "-g", "-o", out, "--", app])
    if done.returncode and re.search("unshare|setarch|not permitted", done.stderr):
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr


def chains(path, *options):
    """{function that runs: {(pid, addresses): samples}}"""
    found = {}
    for sample in singe("report", "-q", "-f", "perf-script", *options, path).strip("\n").split("\n\n"):
        head, *frames = sample.split("\n")
        key = re.search(r" (\d+)/", head)[1], tuple(frame.split()[0] for frame in frames)
        counts = found.setdefault(frames[0].split()[1], {})
        counts[key] = counts.get(key, 0) + 1
    return found


def test_equal_numbers_of_two_hosts():
    need_root()
    functions = "burn_one", "burn_two"
    for function in functions:
        in_namespace(function, function + ".rec")
    one, two = (chains(function + ".rec") for function in functions)
    pid = next(iter(one["burn_one"]))[0]
    assert all(key[0] == pid for key in two["burn_two"]), "the test needs equal numbers"
    # Another process of that number, at that address, of another program.
    singe("convert", "-q", "burn_one.rec", "burn_two.rec", "-o", "both.rec")
    singe("convert", "-q", "both.rec", "-o", "again.data")
    singe("convert", "-q", "burn_one.rec", "burn_two.rec", "-o", "both.data")
    other = str(int(pid) + 4194304)
    for path in "both.rec", "again.data", "both.data":
        both = chains(path)
        assert both["burn_one"] == one["burn_one"], path
        assert both["burn_two"] == {(other, places): n for (_, places), n in two["burn_two"].items()}, path
        groups = {line.split(";")[0] for line in folded_lines("--by", "pid", path)}
        assert len(groups) == 2, (path, groups)
    # Three, one of them a merge, and one of them twice.
    singe("convert", "-q", "both.rec", "burn_one.rec", "burn_two.rec", "-o", "all.rec")
    lines = folded_lines("--by", "pid", "all.rec")
    assert len({line.split(";")[0] for line in lines}) == 4, lines
    assert sum(int(line.split()[-1]) for line in lines) == 2 * sum(
        n for counts in (*one.values(), *two.values()) for n in counts.values())


def test_what_is_no_input():
    with open("x", "w") as f:
        f.write("no stacks\nin here\n")
    done = run([SINGE, "report", "x"])
    assert done.returncode == 1 and "neither perf script's nor folded" in done.stderr, done.stderr
    with open("y", "wb") as f:
        f.write(b"PERFILE2" + b"\0" * 40)
    done = run([SINGE, "report", "y"])
    assert done.returncode == 1 and "offset" in done.stderr, done.stderr


if __name__ == "__main__":
    run_tests()
