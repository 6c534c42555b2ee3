#!/usr/bin/env python3
"""info and the end of a report say, once per binary, what was found of it and what would help; doing
what they say does help."""

import json

from e2e import *

KINDS = {
    "debug": ["-g"],
    "plain": ["-g0"],
    "stripped": ["-g0", "-s"],
    "nameless": ["-g0", "-Wl,--build-id=none"],
}


def recorded(*kinds):
    """{kind: path}, each having run in one recording."""
    paths = {kind: compile_c("inlines.c", kind, "-O2", "-Wl,--build-id", *KINDS[kind]) for kind in kinds}
    record(command=["sh", "-c", "; ".join(paths.values()) + "; true"])
    return paths


def info():
    done = run([SINGE, "info", "--json", "singe.rec"])
    assert done.returncode == 0
    return {b["path"]: b for b in json.loads(done.stdout)["binaries"]}


def info_lines(path):
    """What info prints of a binary, and the advice below it (or "")."""
    lines = run([SINGE, "info", "singe.rec"]).stdout.splitlines()
    at = [i for i, line in enumerate(lines) if f" {path}" in line and "%" in line]
    assert len(at) == 1, lines
    below = lines[at[0] + 1] if at[0] + 1 < len(lines) else ""
    return lines[at[0]], below.strip() if "%" not in below else ""


def messages(*arguments):
    done = run([SINGE, "report", "singe.rec", *arguments], timeout=60)
    assert done.returncode == 0
    return done.stderr.splitlines()


def build_id_path(path):
    found = re.search("Build ID: ([0-9a-f]+)", run(["readelf", "-n", path]).stdout)[1]
    return f".build-id/{found[:2]}/{found[2:]}.debug"


def test_three_builds():
    paths = recorded("debug", "plain", "stripped")
    found = info()
    debug, plain, stripped = (found[paths[k]] for k in ("debug", "plain", "stripped"))
    assert all(b["samples"] > 20 for b in (debug, plain, stripped))
    assert debug["has_lines"] and debug["advice"] == "", debug
    assert debug["line_samples"] >= 0.95 * debug["samples"], debug
    assert 0 < debug["inlined_samples"] <= debug["samples"], debug
    for b in (plain, stripped):
        assert not b["has_lines"] and not b["line_samples"] and not b["inlined_samples"], b
        assert f"/usr/lib/debug/{build_id_path(b['path'])}" in b["advice"], b
        assert "singe resolve" in b["advice"] and "--debuginfod" in b["advice"], b
    assert plain["named_samples"] == plain["samples"] and stripped["named_samples"] == 0
    assert plain["advice"].startswith("lines and inlined calls need a recording of a build with -g")
    assert stripped["advice"].startswith("names, lines and inlined calls need")


def test_info_as_text():
    paths = recorded("debug", "plain", "stripped")
    cells = {kind: info_lines(path)[0].replace(" %", "%").split()[1:4] for kind, path in paths.items()}
    assert cells["plain"] == ["100.0%", "-", "-"], cells
    assert cells["stripped"] == ["0.0%", "-", "-"], cells
    assert cells["debug"][0] == "100.0%" and "-" not in cells["debug"], cells
    assert info_lines(paths["debug"])[1] == ""
    assert info_lines(paths["plain"])[1].startswith("lines and inlined calls need")


def test_report_says_it_once():
    paths = recorded("debug", "plain", "stripped")
    said = messages("-f", "text")
    for kind, times in {"debug": 0, "plain": 1, "stripped": 1}.items():
        assert sum(paths[kind] + " " in m or paths[kind] + ":" in m for m in said) == times, said
    assert any("without a name: names, lines and inlined calls need" in m for m in said), said
    # Other formats: only the names, which are missing in the picture; the rest with -v.
    said = messages("-f", "folded")
    assert not any(paths["plain"] in m for m in said), said
    assert any(paths["plain"] in m for m in messages("-f", "folded", "--lines"))
    assert any(paths["debug"] in m for m in messages("-f", "folded", "-v"))


def test_no_build_id():
    paths = recorded("nameless")
    advice = info()[paths["nameless"]]["advice"]
    assert advice == "lines and inlined calls need a recording of a build with -g", advice


def test_advice_works():
    """The file of that name below a debug directory is all that was missing."""
    need("objcopy")
    app = compile_c("inlines.c", "app", "-O2", "-Wl,--build-id")
    place = os.path.join("dbg", build_id_path(app))
    os.makedirs(os.path.dirname(place))
    run(["objcopy", "--only-keep-debug", app, place])
    run(["strip", app])
    record(command=[app])
    assert build_id_path(app) in info()[app]["advice"]
    assert run([SINGE, "resolve", "--debug-dir", "dbg", "singe.rec"]).returncode == 0
    after = info()[app]
    assert after["advice"] == "" and after["has_lines"], after
    assert after["named_samples"] == after["samples"] and after["inlined_samples"], after


def test_file_gone():
    """No debug package helps where the file itself is needed first."""
    app = compile_c("inlines.c", "app", "-O2", "-Wl,--build-id")
    record("--no-resolve", command=[app])
    os.unlink(app)
    found = info()[app]
    assert "need the file that ran" in found["advice"], found
    said = [m for m in messages("-f", "text") if app in m]
    assert len(said) == 1 and "no such file; names" in said[0], said


if __name__ == "__main__":
    run_tests()
