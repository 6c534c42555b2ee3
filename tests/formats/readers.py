"""Readers of every format, written from the formats' own descriptions: each gives a Weights, so that
one recording can be compared through all of them."""

import gzip
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../e2e"))
from e2e import *  # noqa: E402,F403

BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))


def scene(name):
    """A recording of stacks that tests/support/scene.c writes down."""
    file = os.path.abspath(name + ".rec")
    subprocess.run([os.path.join(BUILD, "tests/support/scene"), name, file], check=True)
    return file


def render(recording, format, *options):
    out = os.path.abspath("out." + format)
    done = run([SINGE, "report", "-q", "-i", recording, "-f", format, "-o", out, *options])
    assert done.returncode == 0, f"report -f {format} ended with {done.returncode}"
    return out


class Weights:
    """Self and total of each function; a function counts once a stack, whatever the recursion."""

    def __init__(self):
        self.whole = 0
        self.self = {}
        self.total = {}

    def add(self, stack, weight):
        """`stack`: outermost first."""
        self.whole += weight
        if stack:
            self.self[stack[-1]] = self.self.get(stack[-1], 0) + weight
        for name in set(stack):
            self.total[name] = self.total.get(name, 0) + weight

    def of(self, name):
        return self.self.get(name, 0), self.total.get(name, 0)


def read_folded(path):
    weights = Weights()
    for frames, count in Folded(open(path).read()).stacks:
        weights.add(frames, count)
    return weights


# What perf script prints, by the expressions of stackcollapse-perf.pl.
EVENT = re.compile(r"^(\S.+?)\s+(\d+)/*(\d+)*\s+")
PERIOD = re.compile(r":\s*(\d+)*\s+(\S+):\s*$")
FRAME = re.compile(r"^\s*(\w+)\s*(.+) \((\S*)\)")


def read_perf_script(path, event=None, by_period=False):
    weights = Weights()
    stack, period, wanted = None, 0, False
    for line in open(path):
        line = line.rstrip("\n")
        if not line:
            if stack is not None and wanted:
                weights.add(stack[::-1], period if by_period else 1)
            stack = None
        elif EVENT.match(line):
            found = PERIOD.search(line)
            assert found, line
            stack, period = [], int(found[1])
            wanted = event is None or found[2] == event
        else:
            found = FRAME.match(line)
            assert found and stack is not None, line
            stack.append(found[2])
    assert stack is None, "the last sample has no blank line behind it"
    return weights


def read_json(path):
    weights = Weights()
    report = json.load(open(path))
    assert report["format"] == "singe-report" and report["version"] == 1
    weights.whole = report["total"]["weight"]
    for function in report["functions"]:
        if function["kind"] != "group" and "total" in function:
            name = function["name"]
            weights.self[name] = function["self"]["weight"]
            weights.total[name] = function["total"]["weight"]
    nodes = report["nodes"]
    assert sum(node["self"] for node in nodes) == nodes[0]["total"] == weights.whole
    return weights


def read_speedscope(path, merged):
    """All threads together, or the sum of the profiles of each."""
    file = json.load(open(path))
    names = [frame["name"] for frame in file["shared"]["frames"]]
    weights = Weights()
    for profile in file["profiles"][:1] if merged else file["profiles"][1:]:
        assert len(profile["samples"]) == len(profile["weights"])
        assert sum(profile["weights"]) == profile["endValue"]
        for stack, weight in zip(profile["samples"], profile["weights"]):
            weights.add([names[i] for i in stack], weight)
    return weights


def rows(table):
    """A table of columns as a list of dictionaries."""
    columns = {name: column for name, column in table.items() if isinstance(column, list)}
    for name, column in columns.items():
        assert len(column) == table["length"], f"{name}: {len(column)} of {table['length']} rows"
    return [{name: column[i] for name, column in columns.items()} for i in range(table["length"])]


def read_firefox(path):
    """Checks on the way that what rows refer to is there."""
    file = json.load(open(path))
    weights = Weights()
    for thread in file["threads"]:
        strings = thread["stringArray"]
        resources, funcs = rows(thread["resourceTable"]), rows(thread["funcTable"])
        frames, stacks = rows(thread["frameTable"]), rows(thread["stackTable"])
        assert all(strings[resource["name"]] for resource in resources)
        assert all(func["resource"] in range(-1, len(resources)) for func in funcs)
        assert all(func["fileName"] is None or strings[func["fileName"]] for func in funcs)
        paths = []
        for i, stack in enumerate(stacks):
            prefix, frame = stack["prefix"], frames[stack["frame"]]
            assert prefix is None or prefix < i
            assert stack["category"] == frame["category"] < len(file["meta"]["categories"])
            name = strings[funcs[frame["func"]]["name"]]
            paths.append((paths[prefix] if prefix is not None else []) + [name])
        last = -1
        for sample in rows(thread["samples"]):
            assert sample["time"] >= last
            last = sample["time"]
            stack = sample["stack"]
            weights.add(paths[stack] if stack is not None else [], sample["weight"])
    return weights


def fields(message):
    """(number, value) of a protobuf message: int for varints, bytes for what has a length."""
    at = 0

    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        tag = varint()
        if tag & 7 == 0:
            yield tag >> 3, varint()
        else:
            assert tag & 7 == 2, f"wire type {tag & 7}"
            length = varint()
            yield tag >> 3, message[at : at + length]
            at += length
            assert at <= len(message)


def packed(message):
    """Numbers of a packed field: read as the values of fields without tags."""
    numbers, value, shift = [], 0, 0
    for byte in message:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers


def many(message, number):
    return [value for field, value in fields(message) if field == number]


def one(message, number, default=0):
    return (many(message, number) or [default])[-1]


class Pprof:
    def __init__(self, path):
        self.bytes = gzip.open(path).read()
        self.strings = [s.decode() for s in many(self.bytes, 6)]
        assert self.strings[0] == ""
        self.types = [self.strings[one(t, 1)] for t in many(self.bytes, 1)]
        self.functions = {one(f, 1): self.strings[one(f, 2)] for f in many(self.bytes, 5)}
        self.locations = {one(l, 1): l for l in many(self.bytes, 4)}
        self.mappings = many(self.bytes, 3)
        assert 0 not in self.functions and 0 not in self.locations

    def weights(self, type):
        column = self.types.index(type)
        weights = Weights()
        for sample in many(self.bytes, 2):
            stack = []
            for id in packed(one(sample, 1, b"")):
                for line in many(self.locations[id], 4):
                    stack.append(self.functions[one(line, 1)])
            weights.add(stack[::-1], packed(one(sample, 2))[column])
        return weights

    def labels(self):
        """The sets of labels that samples have."""
        return {
            tuple(
                sorted(
                    (self.strings[one(l, 1)], self.strings[one(l, 2)] or one(l, 3))
                    for l in many(sample, 3)
                )
            )
            for sample in many(self.bytes, 2)
        }


def read_callgrind(path, column=0):
    """Inclusive as callgrind_annotate has it: a function's own cost and that of the calls out of it."""
    weights, names, function, call = Weights(), {}, None, False
    summary = None
    for line in open(path):
        line = line.rstrip("\n")
        name = re.match(r"(c?fn|c?ob|c?f[lie])=\((\d+)\)(?: (.*))?$", line)
        if name:
            kind = "fn" if name[1].endswith("fn") else "ob" if name[1].endswith("ob") else "fl"
            if name[3]:
                assert (kind, name[2]) not in names, line
                names[kind, name[2]] = name[3]
            if name[1] == "fn":
                function = names[kind, name[2]]
        elif line.startswith("calls="):
            call = True
        elif line.startswith("summary:"):
            summary = int(line.split()[1 + column])
        elif re.match(r"\d", line):
            cost = int(line.split()[1 + column])
            weights.total[function] = weights.total.get(function, 0) + cost
            if not call:
                weights.self[function] = weights.self.get(function, 0) + cost
                weights.whole += cost
            call = False
    assert summary == weights.whole, f"summary {summary}, costs {weights.whole}"
    return weights


def same(what, have, want, functions):
    assert have.whole == want.whole, f"{what}: {have.whole} in all, not {want.whole}"
    for name in functions:
        assert have.of(name) == want.of(name), f"{what}: {name} {have.of(name)}, not {want.of(name)}"
