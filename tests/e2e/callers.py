#!/usr/bin/env python3
"""Callers of code that keeps no frame. Where the calls of a program are known, no more than half a
percent of its samples may lack one; by frame pointers alone, most do. Runs beside others."""

from e2e import *

MOST_LOST = 0.005
# Whom each function of a workload calls; None is the C library.
LEAVES = {
    "main": {"run_rounds"},
    "run_rounds": {"clear_block", "copy_block", "copy_records", "sum_block"},
    "clear_block": {None},
    "copy_block": {None},
    "copy_records": {"copy_record"},
    "copy_record": {None},
    "sum_block": {"mix"},
    "mix": set(),
}
BARE = {
    "main": {"call_leaf", "call_pushes", "call_framed", "call_outer", "call_frameless",
             "call_pointer", "call_tail", None},
    "call_leaf": {"bare_leaf"},
    "call_pushes": {"bare_pushes"},
    "call_framed": {"litter", "bare_framed"},
    "call_outer": {"bare_outer"},
    "call_frameless": {"bare_frameless"},
    "call_pointer": {"bare_leaf"},
    "call_tail": set(),
    "litter": {"litter"},
    "bare_outer": {"called_back"},
    "bare_frameless": {"called_back"},
    "bare_leaf": set(),
    "bare_pushes": set(),
    "bare_framed": set(),
    "called_back": set(),
}


def is_whole(frames, calls):
    """The stack leads from main to its leaf by the calls that there are."""
    if "main" not in frames:
        return False
    inner = frames[frames.index("main"):]
    if len(inner) > 1 and "clock_gettime" in inner[1]:
        return True
    callees = {"main"}
    for name in inner:
        # A stub of the linker's and the function it goes to are never on the stack together.
        if (name if name in calls else None) not in callees:
            return False
        callees = calls.get(name, set())
    return True


def lost(command, graph, calls):
    """The samples of what `calls` tells of, and the share of them without a caller that is known."""
    line = [SINGE, "record", "-e", "cpu-clock:u", "-F", "1999", "-g", graph, "-v", "--",
            *command]
    done = run(line, timeout=60)
    if done.returncode and re.search("perf_event_paranoid|not permitted", done.stderr, re.I):
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, f"record ended with {done.returncode}"
    # Steps that no CFI spoke for are told of.
    told = re.search("([0-9]+) callers of code without CFI", done.stderr)
    everything = report()
    work = everything.only(lambda f: any(name in calls for name in f))
    assert work.total() >= 0.98 * everything.total() >= 250, everything.stacks
    whole = work.count(lambda f: is_whole(f, calls))
    print(f"#   {graph}: {100 * (1 - whole / work.total()):.2f} % of {work.total()} lack a caller")
    bare = work.count(lambda f: any(name.startswith("bare_") for name in f))
    assert not bare or (told and int(told.group(1)) >= 0.99 * bare), done.stderr
    return work, 1 - whole / work.total()


def lost_of_leaves(app, graph):
    """Shares: of all samples, and of those in the C library."""
    work, share = lost([app, "1"], graph, LEAVES)
    leaves = work.only(lambda f: f[-1] not in LEAVES)
    assert leaves.total() >= 0.3 * work.total(), f"{leaves.total()} of {work.total()} in leaves"
    return share, 1 - leaves.count(lambda f: is_whole(f, LEAVES)) / leaves.total()


def build(*flags, source="leaves.c"):
    return compile_c(source, "app", "-O2", "-g0", *flags)


def expect_callers(app, *graphs):
    for graph in graphs:
        share, share_of_leaves = lost_of_leaves(app, graph)
        assert share <= MOST_LOST, f"{graph}: {100 * share:.2f} % lack a caller"
        assert share_of_leaves <= MOST_LOST, f"{graph}: {100 * share_of_leaves:.2f} % of leaves"


def test_leaves():
    expect_callers(build(), "auto", "dwarf")


def test_frame_pointers_lose_them():
    share, share_of_leaves = lost_of_leaves(build(), "fp")
    assert share > MOST_LOST and share_of_leaves > 0.95, "the check would pass whatever comes out"


def test_leaves_static():
    expect_callers(build("-static"), "auto")


def test_leaves_behind_a_plt_without_cfi():
    need("ld.lld")
    expect_callers(build("-fuse-ld=lld"), "auto", "dwarf")


def test_leaves_called_from_code_without_frame_pointers():
    expect_callers(build("-fomit-frame-pointer"), "auto", "dwarf")


def test_assembly_without_cfi():
    if os.uname().machine != "x86_64":
        skip("the assembly is x86-64's")
    for frames in "-fomit-frame-pointer", "-fno-omit-frame-pointer":
        app = build(frames, "-foptimize-sibling-calls", source="bare.c")
        for kind, function in (("leaf", "bare_leaf"), ("pushes", "bare_pushes"),
                               ("framed", "bare_framed"), ("outer", "bare_outer"),
                               ("frameless", "bare_frameless"), ("pointer", "bare_leaf")):
            work, share = lost([app, kind, "0.4"], "dwarf", BARE)
            assert share <= MOST_LOST, f"{frames} {kind}: {100 * share:.2f} % lack a caller"
            assert work.count(function) >= 0.4 * work.total(), f"{frames} {kind}: {work.stacks}"


def test_assembly_without_cfi_called_by_a_jump():
    if os.uname().machine != "x86_64":
        skip("the assembly is x86-64's")
    calls = dict(BARE, main={"bare_leaf", "call_tail", None})
    for frames in "-fomit-frame-pointer", "-fno-omit-frame-pointer":
        app = build(frames, "-foptimize-sibling-calls", source="bare.c")
        work, share = lost([app, "tail", "0.4"], "dwarf", calls)
        assert share <= MOST_LOST, f"{frames}: {100 * share:.2f} % lack a caller"
        assert work.count("bare_leaf") >= 0.4 * work.total(), work.stacks


if __name__ == "__main__":
    run_tests()
