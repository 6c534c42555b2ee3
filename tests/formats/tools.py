#!/usr/bin/env python3
"""The tools that the formats are for read them: go tool pprof, callgrind_annotate, speedscope's schema
and its page in a browser. Runs beside others."""

from readers import *


def said(command, **kwargs):
    done = run(command, timeout=120, **kwargs)
    assert done.returncode == 0, f"{command[0]} ended with {done.returncode}"
    return done.stdout


def test_pprof_top():
    need("go")
    file = render(scene("lines"), "pprof")
    env = dict(os.environ, HOME=os.getcwd(), PPROF_TMPDIR=os.getcwd(), GOFLAGS="-mod=mod")
    top = said(["go", "tool", "pprof", "-top", file], env=env)
    assert "File: app" in top and "Type: cpu-clock_sample" in top, top
    rows = re.findall(r"^\s*(\d+)\s+\S+%\s+\S+%\s+(\d+)\s+\S+%\s+(.*)$", top, re.M)
    weights = {name: (int(flat), int(cum)) for flat, cum, name in rows}
    assert weights["parse"] == (25, 45), top
    assert weights["lex (inline)"] == (20, 20), top
    assert weights["main"] == (5, 90), top
    assert weights["copy"] == (15, 15), top
    peek = said(["go", "tool", "pprof", "-peek", "^parse$", file], env=env)
    assert re.search(r"30 66.67% \|\s+main", peek) and re.search(r"15 33.33% \|\s+LFoo,", peek), peek
    lines = said(["go", "tool", "pprof", "-top", "-lines", file], env=env)
    assert re.search(r"parse /src/app.c:\d+", lines) and re.search(r"lex /src/lex.h:\d+", lines)
    tags = said(["go", "tool", "pprof", "-tags", file], env=env)
    assert "work er;1" in tags and "tid: Total 100.0" in tags.replace(" of 100.0", ""), tags


def without_names(path, out):
    """A pprof profile whose locations have addresses and no lines, as of a profiler without names."""

    def varint(data, at):
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at

    def fields(data):
        at = 0
        while at < len(data):
            begin = at
            tag, at = varint(data, at)
            length, body = varint(data, at)
            at = body if tag & 7 == 0 else body + length
            yield tag >> 3, data[begin:at], data[body:at]

    def number(value):
        return bytes([value & 127 | 128]) + number(value >> 7) if value > 127 else bytes([value])

    whole = b""
    for field, raw, body in fields(gzip.open(path).read()):
        if field in (3, 4):  # Mapping without has_*, Location without Line
            keep = range(1, 7) if field == 3 else range(1, 4)
            body = b"".join(r for f, r, _ in fields(body) if f in keep)
            raw = bytes([field << 3 | 2]) + number(len(body)) + body
        if field != 5:
            whole += raw
    gzip.open(out, "wb").write(whole)


def test_pprof_names_addresses_itself():
    """Mappings say where the code of a file lies: tools find it in the file."""
    need("go")
    with open("named.c", "w") as source:
        source.write("static volatile long sink;\n"
                     "__attribute__((noinline)) void spins(long n) { while (n--) sink += n; }\n"
                     "int main(void) { for (int i = 0; i < 50; i++) spins(4000000); return 0; }\n")
    for how in "-pie", "-no-pie":
        app = compile_c(os.path.abspath("named.c"), "named" + how, how)
        record(command=[app], out="named.rec")
        without_names(render(os.path.abspath("named.rec"), "pprof"), "bare.pb.gz")
        env = dict(os.environ, HOME=os.getcwd(), PPROF_TMPDIR=os.getcwd(), PPROF_BINARY_PATH="/",
                   GOFLAGS="-mod=mod")
        top = said(["go", "tool", "pprof", "-symbolize=local", "-top", "bare.pb.gz"], env=env)
        share = re.search(r"^\s*\d+\s+([\d.]+)%.* spins$", top, re.M)
        assert share and float(share[1]) > 80, top


def test_callgrind_annotate():
    need("callgrind_annotate")
    os.rename(render(scene("lines"), "callgrind"), "callgrind.out.1")
    plain = said(["callgrind_annotate", "--inclusive=yes", "--threshold=100", "callgrind.out.1"])
    assert re.search(r"^100 \(100\.0%\)\s+PROGRAM TOTALS", plain, re.M), plain
    rows = re.findall(r"^\s*(\d+) \([ \d.]+%\)\s+([^:]+):(.*) \[", plain, re.M)
    total = {name: (int(count), file) for count, file, name in rows}
    assert total["parse"] == (45, "/src/app.c"), plain
    assert total["lex"] == (20, "/src/lex.h"), plain
    assert total["_start"][0] == total["main"][0] == 90, plain
    tree = said(["callgrind_annotate", "--tree=both", "--threshold=100", "callgrind.out.1"])
    assert re.search(r"30 \(30.00%\)\s+< .*:main \(30x\)", tree), tree
    assert re.search(r"20 \(20.00%\)\s+>\s+.*:lex \(20x\)", tree), tree


def npm_package(name):
    """The directory of an npm package."""
    places = [os.environ.get("SINGE_NODE_MODULES", ""), os.path.join(BUILD, "node_modules")]
    for place in places + os.environ.get("NODE_PATH", "").split(":"):
        if place and os.path.isdir(os.path.join(place, name)):
            return os.path.join(place, name)
    skip(f"no npm package {name} in NODE_PATH")


def speedscope():
    """The directory of speedscope's page."""
    return os.path.join(npm_package("speedscope"), "dist/release")


def need_jsonschema():
    try:
        import jsonschema
    except ImportError:
        skip("no python3-jsonschema")
    return jsonschema


def test_speedscope_schema():
    jsonschema = need_jsonschema()
    schema = json.load(open(os.path.join(speedscope(), "file-format-schema.json")))
    for name in "lines", "events", "empty":
        jsonschema.validate(json.load(open(render(scene(name), "speedscope"))), schema)


def column(*types):
    return {"type": "array", "items": {"type": list(types)}}


def table(**columns):
    return {
        "type": "object",
        "properties": dict(columns, length={"type": "integer", "minimum": 0}),
        "required": ["length", *columns],
        "additionalProperties": False,
    }


def firefox_schema():
    """The processed format, version 47, as the viewer's types have it (firefox-devtools/profiler,
    src/types/profile.js): what it requires, and nothing beside."""
    text, number, flag = {"type": "string"}, {"type": "number"}, {"type": "boolean"}
    index, or_null = column("integer"), column("integer", "null")
    samples = table(stack=or_null, time=column("number"), weight=column("number"),
                    weightType={"enum": ["samples", "tracing-ms", "bytes"]})
    tables = {
        "samples": samples,
        "markers": table(data=column("null"), name=index, startTime=column("number", "null"),
                         endTime=column("number", "null"), phase=index, category=index),
        "stackTable": table(frame=index, prefix=or_null, category=index, subcategory=index),
        "frameTable": table(address=index, inlineDepth=index, category=or_null, subcategory=or_null,
                            func=index, nativeSymbol=or_null, innerWindowID=or_null,
                            implementation=or_null, line=or_null, column=or_null),
        "funcTable": table(name=index, isJS=column("boolean"), relevantForJS=column("boolean"),
                           resource=index, fileName=or_null, lineNumber=or_null, columnNumber=or_null),
        "resourceTable": table(lib=or_null, name=index, host=or_null, type=index),
        "nativeSymbols": table(libIndex=index, address=index, name=index, functionSize=or_null),
        "stringArray": column("string"),
    }
    facts = {
        "name": text, "isMainThread": flag, "processName": text, "processType": text,
        "processStartupTime": number, "processShutdownTime": {"type": ["number", "null"]},
        "registerTime": number, "unregisterTime": {"type": ["number", "null"]},
        "pausedRanges": {"type": "array", "maxItems": 0}, "pid": text,
        "tid": {"type": ["integer", "string"]},
    }
    thread = {"type": "object", "properties": dict(facts, **tables), "additionalProperties": False,
              "required": [*facts, *tables]}
    category = {
        "type": "object",
        "properties": {
            "name": text,
            # src/types/profile.js, CategoryColor
            "color": {"enum": ["transparent", "purple", "green", "orange", "yellow", "lightblue", "blue",
                               "brown", "magenta", "red", "lightred", "darkgrey", "grey"]},
            "subcategories": {"type": "array", "items": text, "minItems": 1},
        },
        "required": ["name", "color", "subcategories"],
        "additionalProperties": False,
    }
    meta = {
        "interval": {"type": "number", "exclusiveMinimum": 0}, "startTime": number,
        "processType": {"const": 0}, "product": text, "stackwalk": {"enum": [0, 1]},
        "version": {"type": "integer"}, "preprocessedProfileVersion": {"const": 47},
        "markerSchema": {"type": "array"},
        "categories": {"type": "array", "items": category,
                       "contains": {"properties": {"color": {"const": "grey"}}}},
    }
    optional = {
        "importedFrom": text, "oscpu": text, "platform": text, "symbolicated": flag,
        "usesOnlyOneStackType": flag, "doesNotUseFrameImplementation": flag,
        "sourceCodeIsNotOnSearchfox": flag,
    }
    return {
        "type": "object",
        "properties": {
            "meta": {"type": "object", "properties": dict(meta, **optional), "required": [*meta],
                     "additionalProperties": False},
            "libs": {"type": "array", "maxItems": 0},
            "threads": {"type": "array", "items": thread},
        },
        "required": ["meta", "libs", "threads"],
        "additionalProperties": False,
    }


def test_firefox_schema():
    jsonschema = need_jsonschema()
    schema = firefox_schema()
    for name in "lines", "mixed", "events", "empty":
        file = json.load(open(render(scene(name), "firefox")))
        jsonschema.validate(file, schema)
        assert bool(file["threads"]) == (name != "empty")
    # It would see what is wrong.
    del file["meta"]["interval"]
    try:
        jsonschema.validate(file, schema)
    except jsonschema.ValidationError:
        return
    assert False, "the schema lets anything pass"


def test_firefox_lines():
    """Functions know their binary and their file, frames their lines."""
    file = json.load(open(render(scene("lines"), "firefox")))
    names, of = {}, {}
    for thread in file["threads"]:
        strings = thread["stringArray"]
        resources = [strings[row["name"]] for row in rows(thread["resourceTable"])]
        funcs = rows(thread["funcTable"])
        for func in funcs:
            names[strings[func["name"]]] = (resources[func["resource"]] if func["resource"] >= 0 else None,
                                            strings[func["fileName"] or 0])
        for frame in rows(thread["frameTable"]):
            of.setdefault(strings[funcs[frame["func"]]["name"]], set()).add(frame["line"])
    assert names["parse"] == ("app", "/src/app.c") and names["lex"] == ("app", "/src/lex.h"), names
    assert names["write"] == ("libx.so.1", "") and names["[truncated]"] == (None, ""), names
    assert names["copy"] == ("[kernel]", "") and of["copy"] == {None}
    assert all(of["parse"]) and all(of["lex"]), of


def test_speedscope_page():
    """The page itself imports the file, and its table of functions has our numbers."""
    page = speedscope()
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium:
        skip("no chromium")
    driver = os.path.join(os.path.dirname(os.path.abspath(__file__)), "speedscope.mjs")
    file = render(scene("lines"), "speedscope")
    env = dict(os.environ, CHROMIUM=chromium, NODE_PATH=os.path.dirname(npm_package("playwright-core")))
    rows = json.loads(said(["node", driver, os.path.join(page, "index.html"), file], env=env))
    have = {name: (own, total) for name, total, own in rows}
    assert have.get("main") == (5, 90) and have.get("copy") == (15, 15), have
    assert have.get("parse") == (25, 45) and have.get("lex") == (20, 20), have


def test_flamegraph_of_a_difference():
    """flamegraph.pl reads two counts a line by this expression, twice."""
    a, b = scene("lines"), scene("mixed")
    done = run([SINGE, "diff", "-q", "-f", "difffolded", a, b])
    line = re.compile(r"^(.*)\s+?(\d+(?:\.\d*)?)$")
    total = [0, 0]
    for text in done.stdout.splitlines():
        rest, after = line.match(text).groups()
        _, before = line.match(rest).groups()
        total[0] += float(before)
        total[1] += float(after)
    assert total == [100, 100], done.stdout


if __name__ == "__main__":
    run_tests()
