#!/usr/bin/env python3
"""Function, inlined calls, file and line of some 20,000 addresses of large programs by gcc, clang and
rustc, DWARF 4 and 5, and of smaller ones with split DWARF: as llvm-symbolizer has them. Every
difference has to fall into one of the classes of explain() below; one that does not fails the test.
Runs beside others."""

import random

from e2e import *

NAMES_OF = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "tests/support/names-of")
N = 4400  # addresses a program
ENV = {**os.environ, "DEBUGINFOD_URLS": ""}
RUST = """
use std::collections::{BTreeMap, HashMap};
use std::fmt::Debug;
trait Shape { fn area(&self) -> f64; }
struct Square(f64);
struct Circle(f64);
impl Shape for Square { fn area(&self) -> f64 { self.0 * self.0 } }
impl Shape for Circle { fn area(&self) -> f64 { self.0 * self.0 * 3.14 } }
#[inline(never)]
fn count<T: Ord + Debug + Clone>(of: &[T]) -> Vec<String> {
    let mut m = BTreeMap::new();
    for x in of { *m.entry(x.clone()).or_insert(0u64) += 1; }
    let mut v: Vec<_> = m.into_iter().map(|(k, n)| format!("{:?} {}", k, n)).collect();
    v.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    v
}
fn main() {
    let n = std::env::args().count() as u64;
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Square(n as f64)), Box::new(Circle(2.0))];
    let mut h: HashMap<String, u64> = HashMap::new();
    for i in 0..n * 100 { *h.entry(format!("{}", i % 17)).or_default() += i; }
    let words: Vec<String> = h.keys().cloned().collect();
    println!("{:?} {:?} {}", count(&words), count(&[n, 2, n]),
             shapes.iter().map(|s| s.area()).sum::<f64>());
    let t = std::thread::spawn(move || std::fs::read_to_string("/dev/null").map(|s| s.len() as u64 + n));
    println!("{:?}", t.join().unwrap());
}
"""
# Two units with sections of their own for each function and for cold parts: the skeletons have lists
# of ranges, and so have functions and inlined calls.
SPLIT_HEADER = """
#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>
template <class T> inline T checked(const std::vector<T> &v, size_t i)
{
	if (__builtin_expect(i >= v.size(), 0))
		throw std::out_of_range("no element " + std::to_string(i));
	return v[i];
}
template <class K, class V> V &counted(std::map<K, V> &m, const K &key)
{
	auto at = m.find(key);
	if (at == m.end())
		at = m.emplace(key, V()).first;
	return ++at->second;
}
std::map<std::string, int> words(const std::string &text);
std::vector<int> sorted(std::vector<int> v);
"""
SPLIT = {
    "words.cc": SPLIT_HEADER + """
std::map<std::string, int> words(const std::string &text)
{
	std::map<std::string, int> found;
	for (size_t at = 0, end; at < text.size(); at = end + 1) {
		end = std::min(text.find(' ', at), text.size());
		counted(found, text.substr(at, end - at));
	}
	return found;
}
std::vector<int> sorted(std::vector<int> v)
{
	std::sort(v.begin(), v.end(), [](int a, int b) { return a % 10 < b % 10; });
	v.erase(std::unique(v.begin(), v.end()), v.end());
	return v;
}
""",
    "main.cc": SPLIT_HEADER + """
static int sum(const std::vector<int> &v, size_t n)
{
	int total = 0;
	for (size_t i = 0; i < n; i++)
		total += checked(v, i) * 3;
	return total;
}
int main(int argc, char **argv)
{
	std::vector<int> lengths;
	std::map<int, long> by_length;
	for (auto &word : words(argc > 1 ? argv[1] : "a bc a def")) {
		lengths.push_back((int)word.first.size());
		counted(by_length, word.second);
	}
	try {
		return sum(sorted(lengths), (size_t)argc) + (int)by_length.size();
	} catch (const std::out_of_range &e) {
		return e.what()[0];
	}
}
""",
}


def call(*command, **kwargs):
    done = run([str(c) for c in command], **kwargs)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stderr}"
    return done.stdout


class Program:
    def __init__(self, path):
        self.path = path
        line = re.search(r"\] \.text +.*", call("readelf", "-SW", path))[0].split()
        self.start, self.size = int(line[3], 16), int(line[5], 16)
        self.symbols = []  # (address, size, name), sorted
        for line in call("nm", "-S", "--defined-only", path).splitlines():
            words = line.split()
            if len(words) >= 3 and words[-2] in "tTwWi":
                size = int(words[1], 16) if len(words) == 4 else 0
                self.symbols.append((int(words[0], 16), size, words[-1].split("@")[0]))

    def places(self):
        if self.size <= N:
            return list(range(self.start, self.start + self.size))
        chance = random.Random(1)
        return sorted({self.start + chance.randrange(self.size) for _ in range(N)})

    def names_at(self, address):
        """As we show them: of the sized symbols that cover the place, those that start last."""
        covering = [(start, name) for start, size, name in self.symbols if start <= address < start + size]
        names = {name for start, name in covering if start == max(covering)[0]}
        return set(readable(names).values())


SUFFIX = re.compile(r"(\.(cold|part|constprop|isra|llvm|lto_priv)(\.\d+)*)+$")


def suffix_of(name):
    """What a compiler appended; of Rust's names, the demangler drops it."""
    is_rust = name.startswith("_R") or re.search(r"17h[0-9a-f]{16}E", name)
    found = None if is_rust else SUFFIX.search(name)
    return found[0] if found else ""


def readable(names):
    """{raw: as we show it}: without parameters, but with a compiler's suffix."""
    names = sorted(names)
    stems = [name[: len(name) - len(suffix_of(name))] for name in names]
    shown = call("c++filt", "--no-params", "--no-verbose", input="\n".join(stems)).split("\n")
    return {name: text + suffix_of(name) for name, text in zip(names, shown)}


def blocks(text, n):
    """[[(function, file, line)]], innermost first."""
    found = []
    for block in text.split("\n\n")[:n]:
        lines = block.strip("\n").split("\n")
        chain = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, _, line = place.rpartition(":")
            chain.append((name, os.path.normpath(file), int(line)))
        found.append(chain)
    assert len(found) == n, f"{len(found)} answers to {n} questions"
    return found


def both(program):
    """[(address, our chain, llvm-symbolizer's)]."""
    addresses = program.places()
    questions = "\n".join(map(hex, addresses))
    ours = blocks(call(NAMES_OF, program.path, input=questions, timeout=100, env=ENV), len(addresses))
    text = call(
        "llvm-symbolizer", "--no-demangle", f"--obj={program.path}", input=questions, timeout=100, env=ENV
    )
    theirs = blocks(re.sub(r"^(.*:\d+):\d+$", r"\1", text, flags=re.M), len(addresses))
    names = readable({name for chain in theirs for name, _, _ in chain})
    theirs = [[(names[name], file, line) for name, file, line in chain] for chain in theirs]
    return list(zip(addresses, ours, theirs))


def explain(program, address, ours, theirs):
    """The class of a difference; None: not one that we know to be right."""
    our_name, *our_place = ours[-1]
    name, *place = theirs[-1]
    if ours[:-1] != theirs[:-1]:
        return None
    # Padding and stubs: no function is there. We say which binary it is, it says nothing.
    if our_place == place and name == "??" and re.match(r"\[app[\]+]", our_name):
        return "between functions"
    # Start code without debug information: llvm-symbolizer takes the file from the symbol table (the
    # nearest FILE symbol before a local one), without a line. We give a file with its line, or none.
    if len(ours) == 1 and our_name == name and our_place == ["??", 0] and place[1] == 0:
        return "file from the symbol table"
    # Functions that a compiler merged because their code is the same: several symbols, one place,
    # and DWARF for one of them. We take the symbol that we take without debug information too.
    if our_place == place and {our_name, name} <= program.names_at(address):
        return "one of several names"
    return None


def compare(program, least_depth=10):
    classes = {}
    answers = both(program)
    depth = max(len(ours) for _, ours, _ in answers)
    for address, ours, theirs in answers:
        if ours != theirs:
            why = explain(program, address, ours, theirs)
            classes.setdefault(why, []).append((hex(address), ours, theirs))
    print(f"{program.path}: {len(answers)} places, {depth} deep,",
          ", ".join(f"{len(v)} {k}" for k, v in classes.items()) or "no difference")
    for address, ours, theirs in classes.get(None, [])[:10]:
        print(f"{address}:\n  {ours}\n  {theirs}")
    assert None not in classes, f"{len(classes[None])} differences have no explanation"
    n = sum(map(len, classes.values()))
    assert depth >= least_depth and n < len(answers) / 10, f"{n} of {len(answers)} differ"


def cxx(compiler, version, unit):
    source = os.path.join(WORKLOADS, "templates.cc")
    return [compiler, "-std=c++17", "-O2", "-g", f"-gdwarf-{version}", f"-DUNIT={unit}", source]


def split(compiler, version):
    return [compiler, "-std=c++17", "-O2", "-g", f"-gdwarf-{version}", "-gsplit-dwarf", "-ffunction-sections", *SPLIT]


COMMANDS = {
    "gcc-5": cxx("g++", 5, 1),
    "gcc-4": cxx("g++", 4, 2),
    "clang-5": cxx("clang++", 5, 3),
    "clang-4": cxx("clang++", 4, 4),
    "rust": ["rustc", "-g", "-O", "app.rs"],
    "split-gcc-5": split("g++", 5),
    "split-types-gcc-5": [*split("g++", 5), "-fdebug-types-section"],
    "split-types-clang-5": [*split("clang++", 5), "-fdebug-types-section"],
    "split-gcc-4": split("g++", 4),
    "split-clang-5": split("clang++", 5),
    "split-clang-4": split("clang++", 4),
}
builds = {}  # directory and compiler at work, by program: they take half a minute, so all at once


def start_builds(directory):
    for name, command in COMMANDS.items():
        where = os.path.join(directory, name)
        os.mkdir(where)
        for source, text in {"app.rs": RUST, **SPLIT}.items():
            with open(os.path.join(where, source), "w") as f:
                f.write(text)
        if shutil.which(command[0]):
            builds[name] = where, subprocess.Popen([*command, "-o", "app"], cwd=where)


def built(name):
    need("llvm-symbolizer")
    need("c++filt")
    need(COMMANDS[name][0])
    where, compiler = builds[name]
    assert compiler.wait() == 0, shlex.join(COMMANDS[name])
    return os.path.join(where, "app")


def agree(name):
    compare(Program(built(name)))


def agree_split(name, packer):
    """With .dwo files, then with a .dwp file instead."""
    app = built(name)
    compare(Program(app), least_depth=6)
    need(packer)
    call(packer, "-e", app, "-o", f"{app}.dwp", cwd=os.path.dirname(app))
    for file in os.listdir(os.path.dirname(app)):
        if file.endswith(".dwo"):
            os.unlink(os.path.join(os.path.dirname(app), file))
    compare(Program(app), least_depth=6)


def test_rust():
    agree("rust")


def test_gcc_5():
    agree("gcc-5")


def test_gcc_4():
    agree("gcc-4")


def test_clang_5():
    agree("clang-5")


def test_clang_4():
    agree("clang-4")


def test_split_gcc_5():
    agree_split("split-gcc-5", "llvm-dwp")


def test_split_types_gcc_5():
    """Types in sections of their own."""
    agree_split("split-types-gcc-5", "llvm-dwp")


def test_split_types_clang_5():
    agree_split("split-types-clang-5", "llvm-dwp")


def test_split_gcc_4():
    agree_split("split-gcc-4", "dwp")


def test_split_clang_5():
    agree_split("split-clang-5", "llvm-dwp")


def test_split_clang_4():
    agree_split("split-clang-4", "llvm-dwp")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="singe-agree-") as directory:
        start_builds(directory)
        run_tests()
