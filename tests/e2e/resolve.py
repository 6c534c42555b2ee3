#!/usr/bin/env python3
"""A recording shows the same on any machine: with names inside it needs no file, and names can come
later. Runs beside others."""

from e2e import *


def workload(*flags):
    app = compile_c("inlines.c", "app", "-O2", *flags)
    return app


def everything(*arguments):
    return [
        run([SINGE, "report", "singe.rec", "-f", form, *arguments]).stdout
        for form in ("folded", "text", "tree", "svg")
    ]


def test_self_contained():
    """Every binary removed: byte for byte the same, lines and inlined calls too."""
    app = workload()
    record(command=[app])
    for arguments in ([], ["--lines"], ["--no-inlines"], ["--addrs"]):
        before = everything(*arguments)
        os.rename(app, "elsewhere")
        after = everything(*arguments)
        os.rename("elsewhere", app)
        assert before == after
        assert "hot" in before[0]
    assert "inlines.c:" in everything("--lines")[0]
    assert "middle" in everything()[0] and "middle" not in everything("--no-inlines")[0]


def no_names():
    app = workload("-Wl,--build-id")
    record("--no-resolve", command=[app])
    os.rename(app, "elsewhere")
    folded = report()
    assert "hot" not in folded.names()
    os.rename("elsewhere", app)
    return app


def test_resolve_later():
    """Adds names once; the second time there is nothing to add."""
    app = no_names()
    first = run([SINGE, "resolve", "singe.rec"])
    assert first.returncode == 0, first.stderr
    size = os.path.getsize("singe.rec")
    with_app = everything("--lines")
    os.unlink(app)
    assert everything("--lines") == with_app
    named = report()
    assert named.count(lambda f: {"hot", "local"} & set(f)) > 0.5 * named.total(), named.stacks
    again = run([SINGE, "resolve", "singe.rec"])
    assert again.returncode == 0 and os.path.getsize("singe.rec") == size, again.stderr


def test_resolve_with_debug_directory():
    """What was stored by symbol gets lines and inlined calls."""
    need("objcopy")
    app = workload("-Wl,--build-id")
    build_id = re.search("Build ID: ([0-9a-f]+)", run(["readelf", "-n", app]).stdout)[1]
    place = f"dbg/.build-id/{build_id[:2]}"
    os.makedirs(place)
    run(["objcopy", "--only-keep-debug", app, f"{place}/{build_id[2:]}.debug"])
    run(["strip", "-g", app])
    record(command=[app])
    assert "middle" not in everything()[0]
    done = run([SINGE, "resolve", "--debug-dir", "dbg", "singe.rec"])
    assert done.returncode == 0
    shutil.rmtree("dbg")
    os.unlink(app)
    folded = report("--lines")
    assert any(n.startswith("middle (inlines.c:") for n in folded.names()), folded.names()


def test_resolve_with_dwo_files():
    """Recorded without them, a program has lines, no inlined calls, and it is told once what would help,
    then and later; `resolve` adds them."""
    need("gcc")
    shutil.copy(os.path.join(WORKLOADS, "inlines.c"), "inlines.c")
    if run(["gcc", "-O2", "-g", "-gsplit-dwarf", "inlines.c", "-o", "app"]).returncode:
        skip("gcc cannot split debug information here")
    app = os.path.abspath("app")
    record(command=[app])
    want = everything("--lines")
    assert any(n.startswith("middle (inlines.c:") for n in report("--lines").names()), want
    os.mkdir("dwo")
    for name in os.listdir("."):
        if name.endswith(".dwo"):
            os.rename(name, f"dwo/{name}")
    text = record(command=[app]).stderr
    assert text.count(".dwo files are missing") == 1, text
    folded = report()
    assert "hot" in folded.names() and "middle" not in folded.names(), folded.names()
    help = "inlined calls need its .dwo files"
    table = run([SINGE, "report", "singe.rec", "-f", "text"])
    assert table.stderr.count(help) == 1, table.stderr
    assert run([SINGE, "info", "singe.rec"]).stdout.count(help) == 1
    assert "middle" in report("--debug-dir", "dwo").names()
    assert run([SINGE, "resolve", "--debug-dir", "dwo", "singe.rec"]).returncode == 0
    shutil.rmtree("dwo")
    os.unlink(app)
    assert any(n.startswith("middle (inlines.c:") for n in report("--lines").names())
    assert help not in run([SINGE, "report", "singe.rec", "-f", "text"]).stderr


def below_sysroot(path):
    """A copy of the file where `root` being / would have it."""
    place = "root" + os.path.abspath(path)
    os.makedirs(os.path.dirname(place))
    return shutil.copy(path, place)


def test_sysroot():
    """The file that ran, and its debug file, are found below another root; another build is not taken."""
    need("objcopy")
    app = no_names()
    want = everything("--lines")
    os.makedirs("root/usr/lib/debug/.build-id")
    build_id = re.search("Build ID: ([0-9a-f]+)", run(["readelf", "-n", app]).stdout)[1]
    debug = f"root/usr/lib/debug/.build-id/{build_id[:2]}/{build_id[2:]}.debug"
    os.makedirs(os.path.dirname(debug))
    run(["objcopy", "--only-keep-debug", app, debug])
    run(["strip", app])
    place = below_sysroot(app)
    os.unlink(app)
    assert "hot" not in report().names()
    assert everything("--lines", "--sysroot", "root") == want
    os.unlink(debug)
    assert "inlines.c:" not in everything("--lines", "--sysroot", "root")[0]
    other = compile_c("inlines.c", "other", "-O0", "-Wl,--build-id")
    shutil.copy(other, place)
    refused = report("--sysroot", "root")
    assert "hot" not in refused.names()
    assert "build-id differs" in refused.messages, refused.messages


def test_resolve_never_takes_another_build():
    app = no_names()
    os.unlink(app)
    compile_c("inlines.c", "app", "-O0", "-Wl,--build-id")
    done = run([SINGE, "resolve", "singe.rec"])
    assert done.returncode == 0
    assert "hot" not in report().names()


def test_resolve_of_a_cut_recording():
    """What a killed recorder left of a block is no obstacle."""
    no_names()
    whole = everything()
    with open("singe.rec", "ab") as f:
        f.write(b"\325Bk\n" + b"x" * 10)
    assert run([SINGE, "resolve", "singe.rec"]).returncode == 0
    assert everything() == whole


def test_usage():
    assert run([SINGE, "resolve", "--nothing"]).returncode == 2
    assert run([SINGE, "resolve", "none.rec"]).returncode == 1
    with open("text", "w") as f:
        f.write("no recording")
    assert run([SINGE, "resolve", "text"]).returncode == 1


if __name__ == "__main__":
    run_tests()
