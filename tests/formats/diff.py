#!/usr/bin/env python3
"""Differences of real recordings: a known change is found, equal runs have none."""

from readers import *


def said(*arguments, status=0):
    done = run([SINGE, "diff", "-q", *arguments], timeout=120)
    assert done.returncode == status, f"diff ended with {done.returncode}, not {status}"
    return done.stdout


def program():
    """Does so much work in each of three functions, given in thousands of rounds."""
    with open("work.c", "w") as source:
        source.write(
            """#include <stdint.h>
#include <stdlib.h>
static volatile uint64_t sink;
#define WORK(name, op) \\
	__attribute__((noinline)) void name(uint64_t n) { for (; n; n--) sink op n; sink++; }
WORK(adds, +=) WORK(mixes, ^=) WORK(joins, |=)
int main(int argc, char **argv)
{
	for (int i = 0; argc == 4 && i < 100; i++) {
		adds(strtoul(argv[1], NULL, 10) * 1000);
		mixes(strtoul(argv[2], NULL, 10) * 1000);
		joins(strtoul(argv[3], NULL, 10) * 1000);
	}
	return 0;
}
"""
        )
    return compile_c(os.path.abspath("work.c"), "work")


def sampled(app, name, *rounds):
    record(command=[app, *rounds], out=name)
    return os.path.abspath(name)


def functions(*arguments):
    report = json.loads(said("-f", "json", *arguments))
    assert report["format"] == "singe-diff" and report["version"] == 1
    return report, {function["name"]: function for function in report["functions"]}


def test_known_change():
    app = program()
    before = sampled(app, "before.rec", 1500, 1500, 600)
    after = sampled(app, "after.rec", 1500, 600, 1500)
    report, changed = functions(before, after)
    assert report["before"]["samples"] >= 100, report["before"]
    mixes, joins = changed["mixes"], changed["joins"]
    assert mixes["self"]["significant"] and mixes["self"]["change"] < 0
    assert joins["self"]["significant"] and joins["self"]["change"] > 0
    for side in "before", "after":
        value = joins["total"][side]
        assert 0 <= value["low"] <= value["percent"] <= value["high"] <= 100, value
    # Every level up has it.
    nodes = report["nodes"]
    for node in nodes[1:]:
        parent = nodes[node["parent"]]["total"]
        for side in "before", "after":
            assert parent[side]["samples"] >= node["total"][side]["samples"]
    text = said(before, after)
    first = next(line for line in text.splitlines() if not line.startswith("#"))
    assert first.endswith(" joins"), text
    said("--fail-over", "5%", before, after, status=3)
    said("--fail-over", "90%", before, after)
    said("-o", "d.svg", before, after)
    svg = open("d.svg").read()
    assert re.search(r'<title>joins\n.*?<rect class="r\d"', svg, re.S)
    assert re.search(r'<title>mixes\n.*?<rect class="b\d"', svg, re.S)


def test_files_of_other_tools():
    """A perf.data, perf script's text, folded stacks, and a mixture say what the recordings say (of
    functions whose names are theirs alone: ld.so has a _start as well, and text has only names)."""
    app = program()
    pair = [sampled(app, f"{side}.rec", *rounds) for side, rounds in
            (("before", ("900", "900", "400")), ("after", ("900", "400", "900")))]

    def values(report):
        return {name: (f["self"]["change"], f["self"]["significant"], f["total"]["change"],
                       f["self"]["before"]["samples"], f["self"]["after"]["samples"])
                for name, f in report[1].items() if name in ("adds", "mixes", "joins", "main")}

    want = values(functions(*pair))
    assert want["mixes"][1] and want["joins"][1], want
    kinds = {}
    for kind in "data", "perf-script", "folded":
        kinds[kind] = []
        for file in pair:
            out = file.replace(".rec", "." + kind)
            if kind == "data":
                assert run([SINGE, "convert", "-q", file, "-o", out]).returncode == 0
            else:
                os.rename(render(file, kind), out)
            kinds[kind].append(out)
    for before, after in (*kinds.values(), (pair[0], kinds["folded"][1]),
                          (kinds["perf-script"][0], kinds["data"][1])):
        have = values(functions(before, after))
        odd = set(have.items()) ^ set(want.items())
        assert not odd, f"{before}, {after}: {sorted(odd)}"
        text = run([SINGE, "diff", before, after])
        first = next(line for line in text.stdout.splitlines() if not line.startswith("#"))
        assert first.endswith(" joins"), text.stdout
        assert "  without" not in text.stderr, text.stderr
    said("--fail-over", "5%", *kinds["folded"], status=3)
    said("--fail-over", "5%", *kinds["data"], status=3)
    lines = said("-f", "difffolded", *kinds["folded"]).splitlines()
    assert sum(int(line.split()[-1]) for line in lines) == sum(
        count for _, count in Folded(open(kinds["folded"][1]).read()).stacks)


def test_ten_pairs_of_equal_runs():
    app = program()
    flagged = []
    for pair in range(10):
        a, b = (sampled(app, f"{name}{pair}.rec", 500, 500, 200) for name in "ab")
        report, changed = functions(a, b)
        values = [(f["name"], f[kind]) for f in report["functions"] for kind in ("total", "self")]
        values += [(n["name"], n["total"]) for n in report["nodes"]]
        flagged += [name for name, value in values if value["significant"]]
    # A function and its node are one frame.
    assert len(set(flagged)) <= 1, flagged
    names = [[f"{side}{pair}.rec" for pair in range(10)] for side in "ab"]
    text = said(*names[0], "vs", *names[1])
    assert "Welch's t-test" in text
    assert re.search("# [01] of ", text), text


def test_program_of_another_name():
    before, after = scene("mixed"), scene("lines")
    text = said(before, after)
    assert "# 0 of " in text, text
    assert "--fail-over" not in said("--fail-over", "0", before, after)


def test_normalized():
    recording = scene("mixed")
    report, _ = functions("--normalize", "10,5", recording, recording)
    # Half the work took as much.
    assert report["whole"]["after"]["percent"] == 200, report["whole"]
    report, _ = functions("--normalize", "time", recording, recording)
    assert report["whole"]["after"]["percent"] == 100 and not report["whole"]["significant"]


def test_misuse():
    recording = scene("mixed")
    for line in (
        [recording],
        [recording, recording, recording],
        ["vs", recording],
        ["--normalize", "0", recording, recording],
        ["--fail-over", "many", recording, recording],
        ["-f", "pdf", recording, recording],
        ["-f", "json", "--limit", "3", recording, recording],
        ["-o", "name", recording, recording],
    ):
        said(*line, status=2)
    said(recording, "no-such.rec", status=1)
    said("-f", "svg", "-o", recording, recording, scene("lines"), status=1)
    said("-f", "svg", "-o", recording, scene("lines"), recording, status=1)


if __name__ == "__main__":
    run_tests()
