"""Names, inlined calls and lines of addresses in a large binary, beside the symbolizers."""
import os
import random
import re
import subprocess
import sys
import time

from .core import median, rotated, run, run_with_orphans

UNIT = """
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>
namespace unit@ {
template <int N> struct Rec { static inline int go(int x) { return Rec<N - 1>::go(x * N + @) ^ x; } };
template <> struct Rec<0> { static int go(int x) { return x; } };
template <class T> struct Box { T v; T get() const { return v; } };
std::map<std::string, std::vector<int>> m;
std::map<std::string, std::function<int(int)>> f;
int work(const std::string &s, int k) {
  for (int i = 0; i < k; i++) m[s].push_back(Rec<9>::go(k + i));
  std::sort(m[s].begin(), m[s].end(), [](int a, int b) { return (a ^ @) < (b ^ @); });
  f[s] = [k](int x) { return x * k + @; };
  std::regex re("a+b*@");
  std::smatch mt;
  std::stringstream ss;
  ss << s << k << std::regex_search(s, mt, re);
  Box<std::string> b{ss.str()};
  std::vector<std::shared_ptr<Box<double>>> bs;
  for (int j = 0; j < k; j++) bs.push_back(std::make_shared<Box<double>>());
  std::stable_sort(bs.begin(), bs.end(), [](auto &x, auto &y) { return x->get() < y->get(); });
  return (int)b.get().size() + f[s](k) + (int)bs.size();
}
}
int work@(const std::string &s, int k) { return unit@::work(s, k); }
"""


def debug_bytes(path):
    total = 0
    out = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    for line in out.replace("[ ", "[").splitlines():
        words = line.split()
        if len(words) > 5 and words[1].startswith(".debug_"):
            total += int(words[5], 16)
    return total


def large_binary(b, least=50 << 20):
    """Units of C++ with many inlined calls until there are `least` bytes of DWARF."""
    path = b.path("large")
    n = 48
    if not os.path.exists(path) or debug_bytes(path) < least:
        names = range(n)
        for i in names:
            with open(b.path(f"unit{i}.cc"), "w") as f:
                f.write(UNIT.replace("@", str(i)))
        with open(b.path("main.cc"), "w") as f:
            f.write("#include <string>\n")
            f.write("".join(f"int work{i}(const std::string &, int);\n" for i in names))
            f.write("int main(int c, char **v) { int r = 0; for (int k = 0; k < 4000; k++) {\n")
            f.write("".join(f"r += work{i}(v[0], c + k % 9);\n" for i in names))
            f.write("} return r == 1; }\n")
        cxx = os.environ.get("CXX", "g++")
        units = ["main", *(f"unit{i}" for i in names)]
        for at in range(0, len(units), os.cpu_count()):
            jobs = [subprocess.Popen([cxx, "-std=c++17", "-O2", "-g", "-c", b.path(u + ".cc"),
                                      "-o", b.path(u + ".o")])
                    for u in units[at:at + os.cpu_count()]]
            if any(job.wait() for job in jobs):
                sys.exit("bench: the large program does not compile")
        subprocess.run([cxx, "-o", path, *(b.path(u + ".o") for u in units)], check=True)
    size = debug_bytes(path)
    if size < least:
        sys.exit(f"bench: only {size >> 20} MiB of debug information")
    return path


def text_range(path):
    out = subprocess.run(["readelf", "-SW", path], check=True, capture_output=True, text=True).stdout
    words = re.search(r"\] \.text .*", out)[0].split()
    return int(words[3], 16), int(words[5], 16)


def measured(argv, addresses, path):
    """(CPU seconds, wall seconds, KiB at most) of a program that reads addresses."""
    with open(path, "w") as f:
        f.write("\n".join(map(hex, addresses)) + "\n")
    with open(path) as questions, open(os.devnull, "wb") as out:
        start = time.monotonic()
        child = subprocess.Popen(argv, stdin=questions, stdout=out, stderr=out)
        _, status, usage = os.wait4(child.pid, 0)
    if status:
        sys.exit(f"bench: {' '.join(argv)} failed")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start, usage.ru_maxrss


def bench_symbols(b):
    large = large_binary(b)
    start, size = text_range(large)
    chance = random.Random(1)
    many = [chance.randrange(start, start + size) for _ in range(20000)]
    few = [start + size // 3 + chance.randrange(30000) for _ in range(500)]
    ours = os.path.join(b.build, "tests/support/names-of")
    programs = {"singe": [ours, large], "addr2line": ["addr2line", "-afi", "-e", large],
                "llvm-symbolizer": ["llvm-symbolizer", "--obj=" + large]}
    got = {(name, what): [] for name in programs for what in ("many", "few")}
    for n in range(b.rounds):
        for name in rotated(list(programs), n):
            for what, addresses in (("many", many), ("few", few)):
                got[name, what].append(measured(programs[name], addresses, b.path("addresses")))

    def compare(title, what, at, peer, unit, limit):
        mine = median([g[at] for g in got["singe", what]])
        theirs = median([g[at] for g in got[peer, what]])
        b.row(f"{title} / {peer}", f"{mine:.3g} {unit}", f"{theirs:.3g} {unit}", mine / theirs, limit)

    compare("20,000 addresses, CPU", "many", 0, "addr2line", "s", 1 / 3.5)
    compare("20,000 addresses, CPU", "many", 0, "llvm-symbolizer", "s", 0.9)
    compare("20,000 addresses, wall", "many", 1, "llvm-symbolizer", "s", 0.6)
    compare("20,000 addresses, memory", "many", 2, "llvm-symbolizer", "KiB", 0.6)
    compare("500 addresses in few units, CPU", "few", 0, "addr2line", "s", 1 / 15)

    rec, data = b.path("large.rec"), b.path("large.data")
    run([b.singe, "record", "-q", "--no-resolve", "-g", "dwarf", "-F", "999", "-o", rec, "-d", "4",
         "--", large])
    # perf ends as its command does.
    run(["perf", "record", "-q", "--call-graph", "dwarf", "-F", "999", "-o", data, "--", "sh", "-c",
         'timeout -s INT 4 "$0"; exit 0', large])
    mine = run([b.singe, "resolve", "-q", rec])[0] + run([b.singe, "report", "-q", "-f", "folded",
                                                          rec])[0]
    theirs = run_with_orphans(["perf", "script", "--inline", "-i", data])[0]  # its addr2line too
    b.row("resolve + report, CPU / perf script --inline", f"{mine:.3g} s", f"{theirs:.3g} s",
          mine / theirs, 1 / 20)
    bare = b.path("bare.rec")
    run([b.singe, "record", "-q", "--no-resolve", "-g", "dwarf", "-F", "999", "-o", bare, "-d", "4",
         "--", large])
    os.rename(large, large + ".away")
    try:
        named = median([run([b.singe, "report", "-q", "-f", "folded", rec])[0] for _ in range(15)])
        without = median([run([b.singe, "report", "-q", "-f", "folded", bare])[0]
                          for _ in range(15)])
    finally:
        os.rename(large + ".away", large)
    b.row("second report of a file with names / without", f"{1e3 * named:.3g} ms",
          f"{1e3 * without:.3g} ms", named / without, 1.2)
