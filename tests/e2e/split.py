#!/usr/bin/env python3
"""Debug information apart from the program in .dwo and .dwp files, with type units, moved, missing and
damaged. Runs beside others."""

from inlines import *


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


def compressed(how):
    (dwo,) = dwo_files()
    done = run(["objcopy", f"--compress-debug-sections={how}", dwo])
    if done.returncode:
        skip(f"objcopy does not know --compress-debug-sections={how}")
    assert how.upper() in call("readelf", "-tW", dwo)


def test_split_zlib():
    like_plain("-gsplit-dwarf", prepare=lambda app: compressed("zlib"))


def test_split_zstd():
    like_plain("-gsplit-dwarf", prepare=lambda app: compressed("zstd"))


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


if __name__ == "__main__":
    run_tests()
