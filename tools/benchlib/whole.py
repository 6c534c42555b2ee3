"""Share of complete stacks of real programs, beside perf script on the same program."""
import json
import os
import shutil
import subprocess

from .core import run

PYTHON = """
import json, re, time

def descend(depth):
    return descend(depth - 1) if depth else sum(i * i for i in range(200))

end = time.time() + 8
while time.time() < end:
    text = json.dumps({"numbers": list(range(150)), "text": "x" * 100})
    for _ in range(20):
        json.loads(text)
    re.findall(r"(\\w+)\\s*:", text)
    sorted(range(500), key=lambda x: -x)
    descend(10)
"""

NODE = """
const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2);
const end = Date.now() + 8000;
for (let sum = 0; Date.now() < end;) {
	sum += fib(18);
	const read = JSON.parse(JSON.stringify({ numbers: [1, 2, 3], text: "x".repeat(50) }));
	sum += read.numbers.map(x => x * 2).reduce((a, b) => a + b);
	"a1b2c3".replace(/\\d/g, m => m + 1);
	[5, 3, 1].sort((a, b) => a - b);
}
"""

RUST = """
use std::collections::BTreeMap;
fn fold(n: u64) -> u64 { if n < 2 { n } else { fold(n - 1) ^ fold(n - 2).rotate_left(3) } }
fn words(n: u64) -> usize {
    let mut map: BTreeMap<String, u64> = BTreeMap::new();
    for i in 0..n { *map.entry(format!("{}", i * 7919 % 1009)).or_default() += i; }
    map.values().filter(|v| **v % 2 == 0).count()
}
fn main() {
    let begun = std::time::Instant::now();
    let mut sum = 0;
    while begun.elapsed().as_secs() < 6 { sum += fold(20) as usize % 3 + words(2000); }
    println!("{sum}");
}
"""


def whole_share(b, what, argv, mode):
    """Share of complete stacks, by singe and by perf script on the same program."""
    rec, data = b.path("whole.rec"), b.path("whole.data")
    run([b.singe, "record", "-e", "cpu-clock:u", "-g", mode, "-F", "1999", "-o", rec, "--", *argv])
    text, _ = subprocess.Popen([b.singe, "info", "--json", rec], stdout=subprocess.PIPE,
                               text=True).communicate()
    verdicts = json.loads(text)["stacks"]["verdicts"]
    ours = 100 * verdicts["complete"] / max(sum(verdicts.values()), 1)
    run(["perf", "record", "-q", "-e", "cpu-clock:u", "--call-graph", mode.replace("auto", "dwarf"),
         "-F", "1999", "-o", data, "--", *argv])
    text = subprocess.run(["perf", "script", "--no-inline", "-F", "ip,sym", "-i", data], check=True,
                          capture_output=True, text=True, errors="replace").stdout
    stacks = [s.strip().splitlines() for s in text.split("\n\n") if s.strip()]
    roots = ("_start", "clone3", "__clone3", "clone", "__clone")
    whole = sum(s[-1].split()[-1].split("+")[0] in roots for s in stacks)
    theirs = 100 * whole / max(len(stacks), 1)
    b.row(f"{what}, -g {mode}: stacks that are not whole / 0.5 %", f"{ours:.2f} %",
          f"{theirs:.2f} %", (100 - ours) / 0.5, 1)
    b.row(f"{what}, -g {mode}: points below perf script", f"{ours:.2f} %", f"{theirs:.2f} %",
          theirs - ours, 0.2)


def programs(b):
    """(what, argv) of each program there is a compiler or an interpreter for."""
    cxx = os.environ.get("CXX", "g++")
    plain = ["-O2", "-pthread"]
    clang = ["-fsized-deallocation"]  # the workload's own allocator must be told sizes
    builds = [("g++", cxx, []), ("clang++", "clang++", clang),
              ("lld", "clang++", [*clang, "-fuse-ld=lld"]), ("static-pie", cxx, ["-static-pie"])]
    for what, compiler, flags in builds:
        if shutil.which(compiler):
            yield what, [b.compile(f"whole-{what}", "cpp.cc", compiler, "-std=c++17",
                                   [*plain, *flags]), "6"]
    yield "deep", [b.deep, "6"]
    yield "frame pointers, memcpy and memset", [b.purefp, "20000"]
    for what, tool, source, name in (("python3", "/usr/bin/python3", PYTHON, "whole.py"),
                                     ("node", "node", NODE, "whole.js")):
        if shutil.which(tool):
            with open(b.path(name), "w") as f:
                f.write(source)
            yield what, [tool, b.path(name)]
    if shutil.which("rustc"):
        with open(b.path("whole.rs"), "w") as f:
            f.write(RUST)
        subprocess.run(["rustc", "-O", "-o", b.path("whole-rust"), b.path("whole.rs")], check=True)
        yield "rustc -O", [b.path("whole-rust")]


def bench_whole(b):
    for what, argv in programs(b):
        for mode in ("auto", "dwarf"):
            whole_share(b, what, argv, mode)
