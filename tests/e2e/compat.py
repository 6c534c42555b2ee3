#!/usr/bin/env python3
"""32-bit code under a 64-bit kernel is followed by frame pointers alone: whole where it has them, and
without them the leaf is named and the rest refused, aloud."""

from e2e import *

REFUSAL = "32-bit code is followed by frame pointers alone"


def build(entry):
    if os.uname().machine != "x86_64":
        skip("the assembly is x86's")
    need("as")
    need("ld")
    for command in (["as", "--32", "-o", "compat.o", os.path.join(WORKLOADS, "compat.s")],
                    ["ld", "-m", "elf_i386", "-e", entry, "-o", "compat", "compat.o"]):
        done = run(command)
        if done.returncode:
            skip(f"{shlex.join(command)}: {done.stderr.strip().splitlines()[-1]}")
    try:
        run(["./compat"], timeout=60)
    except OSError as problem:
        skip(f"this kernel runs no 32-bit programs: {problem}")


def profile(graph):
    line = [SINGE, "record", "-e", "cpu-clock:u", "-F", "999", "-g", graph, "--", "./compat"]
    done = run(line, timeout=60)
    if done.returncode and re.search("perf_event_paranoid|not permitted", done.stderr, re.I):
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, f"record ended with {done.returncode}"
    folded = report()
    assert folded.total() >= 200, f"only {folded.total()} samples"
    return folded, done.stderr


def test_frame_pointers():
    build("_start")
    outward = ["_start", "outer", "middle"]
    for graph in "dwarf", "auto":
        folded, said = profile(graph)
        wrong = [f for f, _ in folded.stacks
                 if f[1:4] != outward[:len(f[1:4])] or f[4:] not in ([], ["inner"], ["short"])]
        lost = folded.count(lambda f: f in wrong)
        print(f"#   {graph}: {lost} of {folded.total()} samples lack a caller")
        # An instruction between a frame's being taken down and the return.
        assert lost <= 0.02 * folded.total(), wrong
        assert folded.count("inner") >= 0.3 * folded.total()
        assert folded.count("short") >= 0.05 * folded.total()
        assert REFUSAL not in said, said


def test_none():
    build("start_bare")
    for graph in "dwarf", "auto":
        folded, said = profile(graph)
        assert REFUSAL in said and REFUSAL in folded.messages, said
        assert "complete stacks: 0" in said, said
        bare = folded.count(lambda f: f[1:] == ["[truncated]", "bare"])
        assert bare >= 0.99 * folded.total(), folded.stacks
        assert folded.names() <= {"[truncated]", "bare", "start_bare"}, folded.stacks


if __name__ == "__main__":
    run_tests()
