#!/usr/bin/env python3
"""From address to name in every way a program can be linked and loaded. Runs beside others."""

from e2e import *

def expect_right(app):
    record(command=[app])
    folded, truth = report(), Truth()
    expect_truth(folded, truth, "hot_one", "hot_two")
    # A stack has each of its callers: in the right place, not merely somewhere.
    through = folded.count(lambda f: "hot_two" in f and f[f.index("hot_two") - 1] == "calls_two")
    expect_share("calls_two above hot_two", through, folded.count("hot_two"), 1)


def linked_by(linker, *flags):
    need({"lld": "ld.lld", "gold": "ld.gold", "mold": "mold"}[linker])
    probe = subprocess.run(
        CC + [f"-fuse-ld={linker}", "-x", "c", "-", "-o", "probe"],
        input="int main(void) { return 0; }", capture_output=True, text=True,
    )
    if probe.returncode:
        skip(f"{CC[0]} does not link with {linker}")
    expect_right(compile_c("hotspots.c", "app", f"-fuse-ld={linker}", *flags))


def test_pie():
    expect_right(compile_c("hotspots.c", "app", "-fPIE", "-pie"))


def test_non_pie():
    expect_right(compile_c("hotspots.c", "app", "-fno-PIE", "-no-pie"))


def test_static():
    expect_right(compile_c("hotspots.c", "app", "-static", "-no-pie"))


def test_static_pie():
    expect_right(compile_c("hotspots.c", "app", "-fPIE", "-static-pie"))


def test_text_segment_elsewhere():
    expect_right(compile_c("hotspots.c", "app", "-no-pie", "-Wl,-Ttext-segment=0x30000000"))


def test_pie_with_a_base():
    """As prelink leaves a file: relocatable, but linked to an address of its own."""
    expect_right(compile_c("hotspots.c", "app", "-fPIE", "-pie", "-Wl,-Ttext-segment=0x3000000000"))


def test_text_in_the_headers_segment():
    expect_right(compile_c("hotspots.c", "app", "-Wl,-z,noseparate-code"))


def test_lld():
    linked_by("lld")


def test_lld_non_pie():
    linked_by("lld", "-fno-PIE", "-no-pie")


def test_gold():
    linked_by("gold")


def test_mold():
    linked_by("mold")


def test_several_executable_segments():
    section = '-DSECTION_B=__attribute__((section(".codeb")))'
    place = "-Wl,--section-start=.codeb=0x40000000"
    app = compile_c("hotspots.c", "app", section, place, "-fno-PIE", "-no-pie")
    segments = run(["readelf", "-lW", app]).stdout
    assert len(re.findall(r"LOAD .* R E ", segments)) >= 2, segments
    expect_right(app)


def expect_right_stripped(app):
    """Each function is one frame, named by where it starts."""
    starts = {}
    for line in run(["nm", app]).stdout.splitlines():
        address, _, name = line.split(maxsplit=2) if line[0] != " " else ("", "", "")
        starts[name] = int(address or "0", 16)
    subprocess.run(["strip", app], check=True)
    record(command=[app])
    folded, truth = report(), Truth()
    for name in ("hot_one", "hot_two"):
        stand_in = f"[app+{starts[name]:#x}]"
        expect_share(stand_in, folded.count(stand_in), folded.total(), truth.share(name))
    stand_ins = {n for n in folded.names() if n.startswith("[app")}
    assert len(stand_ins) <= 6, stand_ins


def test_stripped():
    need("strip")
    expect_right_stripped(compile_c("hotspots.c", "app"))


def test_stripped_lld():
    need("strip")
    need("ld.lld")
    expect_right_stripped(compile_c("hotspots.c", "app", "-fuse-ld=lld"))


def test_stripped_library():
    need("strip")
    flags = ["-shared", "-fPIC", "-nostdlib", "-DNAME=hot_late"]
    library = compile_c("codepage.c", "hot_late.so", *flags)
    subprocess.run(["strip", library], check=True)
    app = compile_c("lateload.c", "lateload", "-ldl")
    record(command=[app, library])
    expect_truth(report(), Truth(), "before_load", "hot_late")  # .dynsym has it


def test_vdso():
    """A clock that needs no system call is the vdso's, and named."""
    record(command=[compile_c("clocks.c", "clocks")])
    folded = report()
    vdso = folded.count(lambda f: any(re.search("vdso.*clock_gettime|__cvdso", n) for n in f))
    kernel = folded.count("__x64_sys_clock_gettime")
    if kernel > folded.total() / 2:
        skip("the clock source here needs a system call")
    expect_share("vdso", vdso, folded.total(), 0.93)


if __name__ == "__main__":
    run_tests()
