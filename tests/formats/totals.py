#!/usr/bin/env python3
"""One recording has the same totals, and the same functions the same weights, in every format.
Runs beside others."""

from readers import *

FUNCTIONS = ["_start", "main", "parse", "lex", "write", "sys_write", "copy", "LFoo,"]
FUNCTIONS += ["operator new(unsigned long)", "[truncated]", "softirq", "[libx.so.1]"]


def compare(recording):
    want = read_folded(render(recording, "folded"))
    # folded alone changes a name: "memset 16" would read as a count
    assert want.of("memset_16") == (8, 8)
    functions = FUNCTIONS + ["memset 16"]
    want.self["memset 16"], want.total["memset 16"] = want.of("memset_16")
    assert want.whole == 100 and want.of("parse") == (25, 45)
    pprof = Pprof(render(recording, "pprof")).weights("cpu-clock_sample")
    same("pprof", pprof, want, functions)
    speedscope = render(recording, "speedscope")
    same("speedscope, merged", read_speedscope(speedscope, True), want, functions)
    same("speedscope, by thread", read_speedscope(speedscope, False), want, functions)
    same("firefox", read_firefox(render(recording, "firefox")), want, functions)
    same("callgrind", read_callgrind(render(recording, "callgrind")), want, functions)
    same("perf-script", read_perf_script(render(recording, "perf-script")), want, functions)
    # The last is no code: a table of functions does not weigh it.
    coded = [name for name in functions if name != "[truncated]"]
    same("json", read_json(render(recording, "json")), want, coded)


def test_names_only():
    compare(scene("mixed"))


def test_with_lines():
    compare(scene("lines"))


def test_periods():
    recording = scene("events")
    options = ["--event", "cycles:u"]
    want = read_folded(render(recording, "folded", *options))
    assert want.whole == 3500000 and want.of("hot") == (3500000, 3500000)
    functions = ["_start", "main", "hot", "cold"]
    pprof = Pprof(render(recording, "pprof", *options))
    same("pprof", pprof.weights("cycles:u_event"), want, functions)
    assert pprof.strings[one(pprof.bytes, 14)] == "cycles:u_event"
    assert pprof.weights("cycles:u_sample").whole == 2
    # The other event is there as well, and never added.
    assert pprof.weights("cpu-clock_sample").of("cold") == (3, 3)
    assert pprof.weights("cpu-clock_sample").of("hot") == (0, 0)
    same("json", read_json(render(recording, "json", *options)), want, functions)
    callgrind = render(recording, "callgrind", *options)
    same("callgrind", read_callgrind(callgrind), want, functions)
    assert read_callgrind(callgrind, 1).whole == 2
    speedscope = render(recording, "speedscope", *options)
    same("speedscope", read_speedscope(speedscope, True), want, functions)
    firefox = render(recording, "firefox", *options)
    same("firefox", read_firefox(firefox), want, functions)
    thread = json.load(open(firefox))["threads"][0]
    assert thread["samples"]["weightType"] == "samples" and thread["samples"]["length"] == 2
    script = read_perf_script(render(recording, "perf-script"), "cycles:u", by_period=True)
    same("perf-script", script, want, functions)


def test_weights_of_time():
    """Nanoseconds are the viewer's milliseconds."""
    recording = scene("mixed")
    firefox = render(recording, "firefox", "--weight", "period")
    samples = json.load(open(firefox))["threads"][0]["samples"]
    assert samples["weightType"] == "tracing-ms" and set(samples["weight"]) == {1}, samples
    assert read_firefox(firefox).whole == 100


def test_folded_counts():
    """A line of folded stacks is one sample of so much weight."""
    with open("stacks.folded", "w") as text:
        text.write("app;main;hot 70\napp;main 30\nother;run 5\n")
    file = os.path.abspath("stacks.folded")
    want = read_folded(render(file, "folded"))
    assert want.whole == 105
    same("firefox", read_firefox(render(file, "firefox")), want, ["main", "hot", "run"])
    same("speedscope", read_speedscope(render(file, "speedscope"), False), want, ["main", "hot", "run"])


def test_filters_hold_everywhere():
    recording = scene("lines")
    options = ["--tid", "101", "--hide", "^main$"]
    want = read_folded(render(recording, "folded", *options))
    assert want.whole == 45 and want.of("main") == (0, 0)
    functions = ["_start", "LFoo,", "parse", "softirq", "lex"]
    pprof = Pprof(render(recording, "pprof", *options)).weights("cpu-clock_sample")
    same("pprof", pprof, want, functions)
    same("firefox", read_firefox(render(recording, "firefox", *options)), want, functions)
    same("callgrind", read_callgrind(render(recording, "callgrind", *options)), want, functions)
    script = read_perf_script(render(recording, "perf-script", *options))
    same("perf-script", script, want, functions)
    speedscope = render(recording, "speedscope", *options)
    same("speedscope", read_speedscope(speedscope, False), want, functions)


def test_nothing():
    recording = scene("empty")
    assert Pprof(render(recording, "pprof")).weights("cpu-clock_sample").whole == 0
    assert read_speedscope(render(recording, "speedscope"), True).whole == 0
    assert read_firefox(render(recording, "firefox")).whole == 0
    assert read_callgrind(render(recording, "callgrind")).whole == 0
    assert read_json(render(recording, "json")).whole == 0
    assert os.path.getsize(render(recording, "perf-script")) == 0


def test_what_pprof_knows_beside():
    pprof = Pprof(render(scene("lines"), "pprof"))
    name = ("thread", "work er;1")
    assert (("comm", "app"), ("pid", 100), name, ("tid", 101)) in pprof.labels()
    first = pprof.mappings[0]
    assert pprof.strings[one(first, 5)] == "/bin/app"
    assert one(first, 1) and one(first, 2) < one(first, 3)
    # An inlined call and the function it is in are two lines of one place: innermost first.
    chains = [
        [(pprof.functions[one(line, 1)], one(line, 2)) for line in many(location, 4)]
        for location in pprof.locations.values()
    ]
    inlined = [chain for chain in chains if len(chain) == 2]
    assert len(inlined) == 1 and [name for name, _ in inlined[0]] == ["lex", "parse"], chains
    assert all(line for _, line in inlined[0])
    places = [(one(l, 2), one(l, 3)) for l in pprof.locations.values() if one(l, 3)]
    assert len(set(places)) == len(places)


def test_intervals():
    report = json.load(open(render(scene("mixed"), "json")))
    parse = next(f for f in report["functions"] if f["name"] == "parse")
    # Wilson's interval of 45 in 100.
    total = parse["total"]
    assert (total["samples"], total["percent"]) == (45, 45)
    assert abs(total["low"] - 35.6145) < 0.001 and abs(total["high"] - 54.7554) < 0.001, total
    callers = {report["functions"][c["function"]]["name"]: c["weight"] for c in parse["callers"]}
    assert callers == {"main": 30, "LFoo,": 15}


if __name__ == "__main__":
    run_tests()
