#!/usr/bin/env python3
"""Inlined calls and lines, whoever compiled and however the debug information is stored; debug files
found as gdb finds them, and refused where they are another build's. Runs beside others."""

import random
import socket

from e2e import *

NAMES_OF = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "tests/support/names-of")
SOURCE = os.path.join(WORKLOADS, "inlines.c")
PLAIN = ["-g", "-gdwarf-5"]


def call(*command, **kwargs):
    done = run([str(c) for c in command], **kwargs)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stderr}"
    return done.stdout


def build(*flags, cc="gcc", out="app", source=SOURCE):
    need(cc)
    shutil.copy(source, "inlines.c")
    line = [cc, "-O2", *flags, "inlines.c", "-o", out]
    done = run(line)
    if done.returncode:
        skip(f"{shlex.join(line)} does not work here")
    return out


def symbols(path):
    """{name: (address, size)} of functions."""
    table = {}
    for line in call("nm", "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            table[words[3]] = int(words[0], 16), int(words[1], 16)
    return table


def names_of(path, addresses, *dirs, **kwargs):
    """([chain], messages); a chain is [(function, file:line)], innermost first."""
    text = "\n".join(map(hex, addresses))
    done = run([NAMES_OF, path, *dirs], input=text, timeout=60, **kwargs)
    assert done.returncode == 0, f"names-of ended with {done.returncode}"
    return chains(done.stdout, len(addresses)), done.stderr


def chains(text, n):
    found = []
    for block in text.split("\n\n")[:n]:
        lines = block.strip("\n").split("\n")
        found.append(
            [(lines[i], os.path.basename(lines[i + 1])) for i in range(0, len(lines) - 1, 2)]
        )
    assert len(found) == n, f"{len(found)} answers to {n} questions"
    return found


def code(path):
    """Every address of hot and local."""
    table = symbols(path)
    return [a for f in ("hot", "local") for a in range(table[f][0], sum(table[f]))]


def expect_inlines(found):
    depths = {len(chain) for chain in found}
    assert depths == {1, 2, 3}, f"depths {depths}"
    for chain in found:
        names = [name for name, _ in chain]
        assert names[-1] in ("hot", "local"), names
        assert names[:-1] == ["innermost", "middle"][-len(names[:-1]) :] or len(names) == 1, names
        assert all(line.startswith("inlines.c:") for _, line in chain), chain


def without_columns(found):
    """llvm-symbolizer writes FILE:LINE:COLUMN."""
    return [[(name, line.rsplit(":", 1)[0]) for name, line in chain] for chain in found]


def expect_as_llvm(path, addresses):
    if not shutil.which("llvm-symbolizer"):
        return
    line = ["llvm-symbolizer", "--no-demangle", f"--obj={path}"]
    theirs = call(*line, input="\n".join(map(hex, addresses)), env={**os.environ, "DEBUGINFOD_URLS": ""})
    ours, _ = names_of(path, addresses)
    for address, a, b in zip(addresses, ours, without_columns(chains(theirs, len(addresses)))):
        assert a == b, f"{hex(address)}: {a}, llvm-symbolizer {b}"


def expect_compiler(cc, *flags):
    app = build("-g", *flags, cc=cc)
    found, said = names_of(app, code(app))
    expect_inlines(found)
    assert not said, said
    expect_as_llvm(app, code(app))


def test_gcc_4():
    expect_compiler("gcc", "-gdwarf-4")


def test_gcc_5():
    expect_compiler("gcc", "-gdwarf-5")


def test_clang_4():
    expect_compiler("clang", "-gdwarf-4")


def test_clang_5():
    """No .debug_aranges, ranges by DW_FORM_rnglistx."""
    expect_compiler("clang", "-gdwarf-5")


def test_clang_lld():
    need("ld.lld")
    expect_compiler("clang", "-gdwarf-5", "-fuse-ld=lld")


def test_type_units_and_sections():
    expect_compiler("gcc", "-gdwarf-5", "-fdebug-types-section", "-ffunction-sections", "-Wl,--gc-sections")


def test_rust():
    """Every name as llvm-symbolizer has it, up to the demangler: names of the compiler's own library
    included."""
    need("rustc")
    with open("a.rs", "w") as f:
        f.write(
            "use std::collections::BTreeMap;\n"
            "#[inline(never)] fn hot(n: u64) -> u64 { let mut m = BTreeMap::new();\n"
            " for i in 0..n { *m.entry(i * 7919 % 101).or_insert(0u64) += i; }\n"
            " m.values().map(|v| v ^ n).sum() }\n"
            'fn main() { println!("{}", hot(std::env::args().count() as u64 * 1000)); }\n'
        )
    call("rustc", "-g", "-O", "-C", "symbol-mangling-version=v0", "a.rs", "-o", "app")
    start, size = next(v for k, v in symbols("app").items() if "hot" in k and k.startswith("_R"))
    addresses = list(range(start, start + size))
    found, _ = names_of("app", addresses)
    assert all(chain[-1][0] == "a::hot" for chain in found)
    assert max(map(len, found)) >= 4
    if shutil.which("llvm-symbolizer"):
        theirs = call(
            "llvm-symbolizer", "--obj=app", input="\n".join(map(hex, addresses)),
            env={**os.environ, "DEBUGINFOD_URLS": ""},
        )
        pairs = zip(found, chains(theirs, len(addresses)))
        assert all(len(a) == len(b) for a, b in pairs)


def test_swift():
    """By Swift's own library, if the loader finds it: what stands for it here knows one name. Without, the
    name stays as it is, and that is told once."""
    app = build("-g0")
    call("objcopy", "--redefine-sym", "hot=$s4main3fibyS2iF", "--redefine-sym", "local=$s4main", app)
    with open("swift.c", "w") as f:
        f.write("""#include <string.h>
            size_t swift_demangle_getSimplifiedDemangledName(const char *raw, char *out, size_t len)
            {
                static const char name[] = "fib(_:)";
                if (strcmp(raw, "$s4main3fibyS2iF"))
                    return 0;
                if (len)
                    strncpy(out, name, len);
                return strlen(name);
            }""")
    addresses = [symbols(app)[name][0] for name in ("$s4main3fibyS2iF", "$s4main")]
    found, said = names_of(app, addresses)
    assert [chain[0][0] for chain in found] == ["$s4main3fibyS2iF", "$s4main"], found
    assert said.count("libswiftDemangle.so") == 1, said
    call("gcc", "-shared", "-fPIC", "swift.c", "-o", "libswiftDemangle.so")
    found, said = names_of(app, addresses, env={**os.environ, "LD_LIBRARY_PATH": "."})
    assert [chain[0][0] for chain in found] == ["fib(_:)", "$s4main"] and not said, (found, said)


GO = """
package main

import "os"

type tree[T any] struct {
	left, right *tree[T]
	value       T
}

func square(x int) int { return x * x % 1013 }

func (t *tree[T]) insert(v T, less func(a, b T) bool) *tree[T] {
	if t == nil {
		return &tree[T]{value: v}
	}
	if less(v, t.value) {
		t.left = t.left.insert(v, less)
	} else {
		t.right = t.right.insert(v, less)
	}
	return t
}

func main() {
	var t *tree[int]
	for i := 0; i < 300; i++ {
		t = t.insert(square(i*7919+len(os.Args)), func(a, b int) bool { return a < b })
	}
	println(t.value)
}
"""


def go_build(out, *flags):
    env = {**os.environ, "GOCACHE": os.path.abspath("cache"), "GO111MODULE": "off", "CGO_ENABLED": "0"}
    if run(["go", "build", *flags, "-o", out, "app.go"], env=env).returncode:
        skip("go cannot build here")
    return out


def as_in_table(name):
    """As Go's own table has it: f[...], and assembly without its calling convention."""
    return re.sub(r"\[.*\]", "[...]", name).removesuffix(".abi0")


def test_go():
    """What is left of a stripped program says what DWARF says: every place of main and of fmt-like code of
    the runtime. Where DWARF has a line and no function around it, or an inlined call that has no code of its
    own, the table may know better: seldom."""
    need("go")
    with open("app.go", "w") as f:
        f.write(GO)
    plain = go_build("plain")
    places = symbols(plain)
    addresses = [a for name, (at, size) in places.items() if name.startswith("main.") for a in range(at, at + size)]
    chance = random.Random(1)
    runtime = [place for name, place in places.items() if name.startswith("runtime.") and place[1]]
    addresses += [at + chance.randrange(size) for at, size in chance.sample(runtime, min(len(runtime), 1000))]
    want, _ = names_of(plain, addresses)
    assert max(map(len, want)) >= 3 and {"main.square", "main.main"} <= {n for c in want for n, _ in c}
    shutil.copy(plain, "app")
    call("strip", "app")
    for app in "app", go_build("without-dwarf", "-ldflags=-w"):
        have, said = names_of(app, addresses)
        assert not said, said
        same = [[as_in_table(n) for n, _ in a] == [as_in_table(n) for n, _ in b] for a, b in zip(have, want)]
        assert sum(same) >= 0.98 * len(same), [p for p in zip(have, want, same) if not p[2]][:5]
        lines = [a == b for x, y in zip(have, want) for (_, a), (_, b) in zip(x, y)]
        assert sum(lines) >= 0.98 * len(lines), [p for p in zip(have, want) if p[0] != p[1]][:5]
    if run(["go", "build", "-buildmode=pie", "-o", "pie", "app.go"], env={**os.environ, "GOCACHE": os.path.abspath("cache"), "GO111MODULE": "off"}).returncode == 0:
        at, size = symbols("pie")["main.main"]
        call("strip", "pie")
        found, _ = names_of("pie", range(at, at + size))
        assert {chain[-1][0] for chain in found} == {"main.main"}, found[:3]


def like_plain(*flags, cc="gcc", prepare=None):
    """The same chains as from a plain build of the same code; returns what was said."""
    plain = build(*PLAIN, cc=cc, out="plain")
    want, _ = names_of(plain, code(plain))
    expect_inlines(want)
    app = build(*PLAIN, *flags, cc=cc)
    if prepare:
        prepare(app)
    have, said = names_of(app, code(plain))
    assert have == want, f"{[pair for pair in zip(have, want) if pair[0] != pair[1]][:3]}"
    return said


def test_zlib():
    like_plain("-Wl,--compress-debug-sections=zlib")


def test_zstd():
    like_plain("-Wl,--compress-debug-sections=zstd")


def test_zstd_damaged():
    app = build(*PLAIN, "-Wl,--compress-debug-sections=zstd")
    addresses = code(app)
    for seed in range(8):
        noise(app, f"noisy{seed}", [".debug_info"], seed)
        found, said = names_of(f"noisy{seed}", addresses)
        assert all(chain[-1][0] in ("hot", "local") for chain in found)


def test_split():
    like_plain("-gsplit-dwarf", "-fno-lto")


def test_split_gnu():
    plain = build("-g", "-gdwarf-4", out="plain")
    app = build("-g", "-gdwarf-4", "-gsplit-dwarf")
    assert names_of(plain, code(plain)) == names_of(app, code(plain))


def test_split_clang():
    like_plain("-gsplit-dwarf", cc="clang")


def dwo_files():
    return [name for name in os.listdir(".") if name.endswith(".dwo")]


def test_split_without_dwo():
    """The symbol's name and the skeleton's line; one warning."""
    app = build(*PLAIN, "-gsplit-dwarf")
    for name in dwo_files():
        os.unlink(name)
    found, said = names_of(app, code(app))
    assert all(len(chain) == 1 and chain[0][0] in ("hot", "local") for chain in found)
    assert all(chain[0][1].startswith("inlines.c:") for chain in found)
    assert said.count(".dwo files are missing") == 1, said


def moved_dwo_files(where, rename=os.path.basename):
    os.makedirs(where, exist_ok=True)
    for name in dwo_files():
        os.rename(name, os.path.join(where, rename(name)))


def test_split_moved():
    """Program and .dwo files were taken elsewhere; or only these, to a debug directory."""
    plain = build(*PLAIN, out="plain")
    want, _ = names_of(plain, code(plain))
    app = build(*PLAIN, "-gsplit-dwarf")
    moved_dwo_files("there")
    os.rename(app, "there/app")
    assert names_of("there/app", code(plain)) == (want, "")
    os.rename("there/app", "elsewhere")
    assert names_of("elsewhere", code(plain), "there") == (want, "")
    _, said = names_of("elsewhere", code(plain))
    assert said.count(".dwo files are missing") == 1, said


def test_split_moved_tree():
    """The name of the .dwo file has directories, and is below where the program is."""
    plain = build(*PLAIN, out="plain")
    want, _ = names_of(plain, code(plain))
    os.makedirs("build/objects")
    call("gcc", "-O2", *PLAIN, "-gsplit-dwarf", "-c", "../inlines.c", "-o", "objects/inlines.o", cwd="build")
    call("gcc", "objects/inlines.o", "-o", "app", cwd="build")
    os.rename("build", "moved")
    assert names_of("moved/app", code(plain)) == (want, "")


def test_split_of_another():
    """A .dwo file of the right name from another build is not taken."""
    app = build(*PLAIN, "-gsplit-dwarf")
    addresses = code(app)
    os.rename(app, "kept")
    build(*PLAIN, "-gsplit-dwarf", "-DOTHER=1", "-O1")
    found, said = names_of("kept", addresses)
    assert all(len(chain) == 1 and chain[0][0] in ("hot", "local") for chain in found)
    assert said.count(".dwo files are missing") == 1, said


def test_split_zstd():
    like_plain("-gsplit-dwarf", "-gz=zstd")


def test_split_damaged():
    """Names by symbol, no crash, no endless loop."""
    app = build(*PLAIN, "-gsplit-dwarf")
    addresses = code(app)
    (dwo,) = dwo_files()
    os.rename(dwo, "whole")
    kinds = [f".debug_{kind}.dwo" for kind in ("info", "abbrev", "rnglists", "str_offsets")]
    for seed in range(20):
        noise("whole", dwo, kinds if seed % 2 else [kinds[seed // 2 % 4]], seed)
        found, _ = names_of(app, addresses)
        for chain in found:
            assert chain and all(name for name, _ in chain)


TYPES = """
namespace shapes {
struct Size { long width, height; long area() const; };
inline __attribute__((always_inline)) long Size::area() const { return width * height / 3; }
class Box {
	Size size;
	struct Corner { int at; long turned(long by) const { return by % (at + 7); } } corner;
public:
	Box(long n);
	__attribute__((noinline)) long volume(long deep) const;
	template <class T> __attribute__((noinline)) T scaled(T by) const;
};
Box::Box(long n) { size = { n, n + 1 }; corner = { (int)n }; }
long Box::volume(long deep) const { return size.area() * deep + corner.turned(deep); }
template <class T> T Box::scaled(T by) const { return by * (T)size.area() / (T)(corner.at + 2); }
}
namespace {
struct Hidden { long n; __attribute__((noinline)) long hot() { auto f = [this](long x) { return n / (x + 1); }; return f(n) + f(3); } };
}
int main(int argc, char **argv)
{
	shapes::Box box(argc);
	Hidden hidden = { argc };
	return (int)(box.volume(argc) + box.scaled<long>(argc) + (long)box.scaled<double>(argc) + hidden.hot());
}
"""


def expect_types(cc, *flags):
    """Methods whose classes are units of their own: the chains of a build without."""
    need(cc)
    with open("types.cc", "w") as f:
        f.write(TYPES)
    common = [cc, "-O2", "-g", *flags, "types.cc", "-o"]
    call(*common, "plain")
    call(*common, "app", "-gsplit-dwarf", "-fdebug-types-section")
    functions = [v for k, v in symbols("plain").items() if re.search("main|shapes|Hidden", k)]
    addresses = [a for at, size in functions for a in range(at, at + size)]
    want, _ = names_of("plain", addresses)
    names = {name for chain in want for name, _ in chain}
    for name in "shapes::Box::volume", "shapes::Size::area", "(anonymous namespace)::Hidden::hot":
        assert any(have.startswith(name) for have in names), names
    assert {1, 2} <= {len(chain) for chain in want}
    have, said = names_of("app", addresses)
    assert have == want, f"{[pair for pair in zip(have, want) if pair[0] != pair[1]][:3]}"
    assert not said, said


def test_split_type_units_gcc_4():
    expect_types("g++", "-gdwarf-4")


def test_split_type_units_gcc_5():
    """Each type is in a section of the same name as the functions', of which libdw 0.188 sees the first."""
    expect_types("g++", "-gdwarf-5")
    assert re.findall(r"\.debug_info\.dwo", call("readelf", "-SW", *dwo_files()))[1:]


def test_split_type_units_gcc_5_compressed():
    expect_types("g++", "-gdwarf-5", "-gz")


def test_split_type_units_clang_4():
    expect_types("clang++", "-gdwarf-4")


def test_split_type_units_clang_5():
    expect_types("clang++", "-gdwarf-5")


def packed(app, tool):
    need(tool)
    call(tool, "-e", app, "-o", f"{app}.dwp")
    for name in dwo_files():
        os.unlink(name)


def test_dwp_clang():
    like_plain("-gsplit-dwarf", cc="clang", prepare=lambda app: packed(app, "llvm-dwp"))


def test_dwp_of_a_stripped_program():
    """The skeletons are in a debug file elsewhere, the .dwp beside the program."""
    plain = build(*PLAIN, cc="clang", out="plain")
    want, _ = names_of(plain, code(plain))
    app = build(*PLAIN, "-gsplit-dwarf", "-Wl,--build-id", cc="clang")
    packed(app, "llvm-dwp")
    os.makedirs("dbg")
    call("objcopy", "--only-keep-debug", app, "dbg/app.debug")
    call("strip", app)
    call("objcopy", "--add-gnu-debuglink=dbg/app.debug", app)
    have, said = names_of(os.path.abspath(app), code(plain), "dbg")
    assert have == want, f"{[pair for pair in zip(have, want) if pair[0] != pair[1]][:3]}"
    assert not said, said


def test_dwp_gnu():
    need("dwp")
    plain = build("-g", "-gdwarf-4", out="plain")
    want, _ = names_of(plain, code(plain))
    app = build("-g", "-gdwarf-4", "-gsplit-dwarf")
    packed(app, "dwp")
    have, _ = names_of(app, code(plain))
    assert have == want


def test_dwp_in_a_debug_directory():
    plain = build(*PLAIN, cc="clang", out="plain")
    want, _ = names_of(plain, code(plain))
    app = build(*PLAIN, "-gsplit-dwarf", cc="clang")
    packed(app, "llvm-dwp")
    os.makedirs("dbg")
    os.rename("app.dwp", "dbg/app.dwp")
    assert names_of(app, code(plain), "dbg") == (want, "")


def test_dwp_damaged():
    app = build(*PLAIN, "-gsplit-dwarf", cc="clang")
    addresses = code(app)
    packed(app, "llvm-dwp")
    os.rename("app.dwp", "whole")
    for seed in range(12):
        noise("whole", "app.dwp", [".debug_cu_index"] if seed % 2 else [".debug_str_offsets.dwo"], seed)
        found, _ = names_of(app, addresses)
        for chain in found:
            assert chain and all(name for name, _ in chain)


def test_dwz():
    need("dwz")
    like_plain(prepare=lambda app: call("dwz", app))


def shared_by_dwz():
    """Two programs whose common debug information is in a third file."""
    need("dwz")
    build(*PLAIN, "-gdwarf-4", out="plain")
    for out in ("app", "other"):
        build(*PLAIN, "-gdwarf-4", out=out)
    call("dwz", "-m", "common.debug", "app", "other")
    if not os.path.exists("common.debug"):
        skip("dwz found nothing in common")


def test_dwz_shared():
    shared_by_dwz()
    want, _ = names_of("plain", code("plain"))
    have, said = names_of(os.path.abspath("app"), code("plain"))
    assert have == want, f"{[pair for pair in zip(have, want) if pair[0] != pair[1]][:3]}"
    assert not said


def test_dwz_shared_is_gone():
    shared_by_dwz()
    os.unlink("common.debug")
    found, said = names_of(os.path.abspath("app"), code("plain"))
    assert all(name for chain in found for name, _ in chain)
    assert all(chain[-1][0] in ("hot", "local") for chain in found)
    assert said.count("is missing") == 1, said


def separated(*flags):
    """app without, app.debug with debug information; what an unstripped build says."""
    app = build(*PLAIN, *flags)
    addresses = code(app)
    want, _ = names_of(app, addresses)
    call("objcopy", "--only-keep-debug", app, "app.debug")
    call("strip", app)
    return addresses, want


def linked(*flags):
    addresses, want = separated("-Wl,--build-id=none", *flags)
    call("objcopy", "--add-gnu-debuglink=app.debug", "app")
    return addresses, want


def expect_found(addresses, want, *dirs):
    have, said = names_of(os.path.abspath("app"), addresses, *dirs)
    assert have == want, f"{have[:2]} is not {want[:2]}"
    assert not said, said


def expect_refused(addresses, why, *dirs):
    have, said = names_of(os.path.abspath("app"), addresses, *dirs)
    assert all(chain[-1][0].startswith("[app") for chain in have), have[:2]
    assert len(re.findall(why, said)) == 1, said


def test_build_id_directory():
    addresses, want = separated("-Wl,--build-id")
    notes = call("readelf", "-n", "app")
    build_id = re.search("Build ID: ([0-9a-f]+)", notes)[1]
    place = f"dbg/.build-id/{build_id[:2]}"
    os.makedirs(place)
    os.rename("app.debug", f"{place}/{build_id[2:]}.debug")
    expect_found(addresses, want, "dbg")


def test_build_id_of_another():
    """Under the right name lies another build's file."""
    addresses, _ = separated("-Wl,--build-id")
    build_id = re.search("Build ID: ([0-9a-f]+)", call("readelf", "-n", "app"))[1]
    place = f"dbg/.build-id/{build_id[:2]}"
    os.makedirs(place)
    build(*PLAIN, "-Wl,--build-id", "-DOTHER=1", "-O1", out="wrong")
    os.rename("wrong", f"{place}/{build_id[2:]}.debug")
    expect_refused(addresses, "its build-id is", "dbg")


def test_debuglink_beside():
    expect_found(*linked())


def test_debuglink_no_pie():
    expect_found(*linked("-no-pie"))


def test_debuglink_below():
    addresses, want = linked()
    os.mkdir(".debug")
    os.rename("app.debug", ".debug/app.debug")
    expect_found(addresses, want)


def test_debuglink_in_debug_directory():
    addresses, want = linked()
    place = "dbg" + os.getcwd()
    os.makedirs(place)
    os.rename("app.debug", place + "/app.debug")
    expect_found(addresses, want, os.path.abspath("dbg"))


def test_debuglink_of_another():
    addresses, _ = linked()
    build(*PLAIN, "-Wl,--build-id=none", "-O1", out="app.debug")
    expect_refused(addresses, "its checksum is")


def test_debuglink_after_a_wrong_one():
    """The search goes on."""
    addresses, want = linked()
    os.mkdir(".debug")
    os.rename("app.debug", ".debug/app.debug")
    build(*PLAIN, "-Wl,--build-id=none", "-O1", out="app.debug")
    have, said = names_of(os.path.abspath("app"), addresses)
    assert have == want and said.count("its checksum is") == 1


def test_minidebuginfo():
    """Local functions of a stripped file; no neighbour's name for what is in neither table."""
    need("xz")
    app = build(*PLAIN, "-rdynamic")
    addresses = code(app)
    local = [line.split()[2] for line in call("nm", app).splitlines() if line.split()[-2] in "tT"]
    with open("keep", "w") as f:
        f.write("\n".join(local) + "\n")
    call("objcopy", "--only-keep-debug", app, "dbg")
    call("objcopy", "-S", "--keep-symbols=keep", "dbg", "mini")
    call("xz", "mini")
    call("strip", app)
    without, _ = names_of(app, addresses)
    call("objcopy", "--add-section", ".gnu_debugdata=mini.xz", app)
    found, said = names_of(app, addresses)
    assert {chain[-1][0] for chain in without} >= {"hot"}
    assert "local" not in {chain[-1][0] for chain in without}
    assert {chain[-1][0] for chain in found} == {"hot", "local"}, found[:2]
    assert not said


def noise(path, out, sections, seed):
    """Bytes of sections replaced."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    chance = random.Random(seed)
    for line in call("readelf", "-SW", path).replace("[ ", "[").splitlines():
        words = line.split()
        if len(words) > 5 and words[1] in sections:
            offset, size = int(words[4], 16), int(words[5], 16)
            for _ in range(max(size // 20, 4)):
                data[offset + chance.randrange(size)] = chance.randrange(256)
    with open(out, "wb") as f:
        f.write(data)
    os.chmod(out, 0o755)


def test_damage():
    """Names by symbol, no crash, no endless loop."""
    app = build(*PLAIN)
    addresses = code(app)
    kinds = [".debug_info", ".debug_line", ".debug_aranges", ".debug_abbrev", ".debug_rnglists"]
    for seed in range(20):
        noise(app, "noisy", kinds if seed % 2 else [kinds[seed // 2 % 5]], seed)
        found, _ = names_of("noisy", addresses)
        for chain in found:
            assert chain and all(name for name, _ in chain)


def test_no_server_is_asked():
    """DEBUGINFOD_URLS alone makes nobody wait for a server that does not answer."""
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        silent.settimeout(0.1)
        addresses, _ = separated("-Wl,--build-id")
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        os.unlink("app.debug")
        names_of(os.path.abspath("app"), addresses, env={**os.environ, "DEBUGINFOD_URLS": url})
        try:
            silent.accept()
        except TimeoutError:
            return
        raise AssertionError("a server was asked")


if __name__ == "__main__":
    run_tests()
