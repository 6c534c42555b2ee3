#!/usr/bin/env python3
"""Inlined calls and lines, whoever compiled and however the debug information is stored; debug files
found as gdb finds them, and refused where they are another build's. Runs beside others."""

import socket

from inlines import *

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
