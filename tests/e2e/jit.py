#!/usr/bin/env python3
"""Code made at run time, named by the map its compiler leaves: real compilers, and maps by hand.
Runs beside others."""

import glob

from e2e import *


def info():
    done = run([SINGE, "info", "singe.rec"])
    assert done.returncode == 0
    return done.stdout


def expect_caller(folded, caller, callee, least=0.5):
    """The callee runs nearly all the time, its caller beside native frames in one stack."""

    def below(frames):
        names = [n for n in frames]
        at = next((i for i, n in enumerate(names) if callee in n), 0)
        return at and any(caller in n for n in names[:at])

    assert folded.count(below) >= least * folded.total(), folded.stacks[:3]
    return folded.only(below)


JS = """
function hotJs(n) { let s = 0; for (let i = 0; i < n; i++) s = (s * 31 + i) | 0; return s; }
function callerJs(n) { let t = 0; for (let k = 0; k < n; k++) t ^= hotJs(20000); return t; }
const end = Date.now() + 1500;
let x = 0;
while (Date.now() < end) x ^= callerJs(50);
"""


# Each function a frame of its own.
NODE = ["node", "--perf-basic-prof", "--interpreted-frames-native-stack", "--no-turbo-inlining"]


def test_node():
    need("node")
    with open("loop.js", "w") as f:
        f.write(JS)
    record(command=[*NODE, os.path.abspath("loop.js")])
    jit = expect_caller(report("--comm", "node"), "callerJs", "hotJs")
    assert any("node::Start" in n for n in jit.names()), "no native frames beside"


def test_node_jitdump():
    """Found by its mapping, wherever it lies."""
    need("node")
    with open("loop.js", "w") as f:
        f.write(JS)
    options = ["--perf-prof", "--interpreted-frames-native-stack", "--no-turbo-inlining"]
    record(command=["node", *options, os.path.abspath("loop.js")])
    assert glob.glob("jit-*.dump"), "node wrote no jitdump"
    jit = expect_caller(report("--comm", "node"), "callerJs", "hotJs")
    assert any("node::Start" in n for n in jit.names()), "no native frames beside"


def test_node_in_a_container():
    """In namespaces of its own: process 1 to itself, and a /tmp that ends with it."""
    need_root()
    need("node")
    with open("loop.js", "w") as f:
        f.write(JS)
    inner = f"mount -t tmpfs t /tmp && exec {shlex.join(NODE)} /mnt/loop.js"
    script = f"mount --bind {shlex.quote(os.getcwd())} /mnt && {inner}"
    record(command=["unshare", "-mpf", "--mount-proc", "sh", "-c", script])
    expect_caller(report("--comm", "node"), "callerJs", "hotJs")


JAVA = """
public class Hot {
    static int hotJava(int n) { int s = 0; for (int i = 0; i < n; i++) s = s * 31 + i; return s; }
    static int callerJava(int n) { int t = 0; for (int k = 0; k < n; k++) t ^= hotJava(20000); return t; }
    public static void main(String[] a) {
        long end = System.currentTimeMillis() + 2500;
        int x = 0;
        while (System.currentTimeMillis() < end) x ^= callerJava(50);
        System.out.println(x);
    }
}
"""


def test_java():
    """The map is written when the process ends."""
    need("javac")
    with open("Hot.java", "w") as f:
        f.write(JAVA)
    assert run(["javac", "Hot.java"]).returncode == 0
    options = "-XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -XX:+PreserveFramePointer -XX:-Inline"
    done = run(["java", *options.split(), "-version"])
    if done.returncode:
        skip("this java writes no perf map")
    record(command=["java", *options.split(), "Hot"])
    jit = expect_caller(report("--comm", "java"), "callerJava", "hotJava", 0.3)
    assert any("JavaMain" in n for n in jit.names()), "no native frames beside"


def dumped(*arguments):
    """A compiler that loads, replaces and moves four functions."""
    app = compile_c("jitdump.c", "app")
    if os.path.exists("truth"):
        os.unlink("truth")
    done = record(command=[app, *arguments])
    assert len(glob.glob("jit-*.dump")) == 1
    return done


def test_jitdump_in_time():
    """One address at two times is two frames; without the dump too, and after a conversion."""
    dumped()
    os.unlink(glob.glob("jit-*.dump")[0])
    folded = report()
    expect_truth(folded, Truth(), "first", "second", "third", "fourth")
    assert "[anon]" not in folded.names(), folded.names()
    assert run([SINGE, "convert", "singe.rec", "-o", "again.rec"]).returncode == 0
    assert report(file="again.rec").stacks == folded.stacks
    piped = subprocess.run(
        f"cat singe.rec | {shlex.quote(SINGE)} report -f folded -",
        shell=True, capture_output=True, text=True,
    )
    assert Folded(piped.stdout).stacks == folded.stacks, piped.stderr
    counts = [line for line in info().splitlines() if line.endswith(" [anon]")]
    assert len(counts) == 1 and counts[0].split("%")[1].strip() == "100.0", counts


def test_jitdump_lines():
    dumped()
    lines = report("--lines").names()
    for name in ["first", "second", "third", "fourth"]:
        assert f"{name} ({name}.jit:20)" in lines, lines


def test_jitdump_of_another_clock():
    """What can't be followed by time is said, and the last at an address names it."""
    for clock, what in [("arch", "a counter of the CPU"), ("realtime", "another clock")]:
        for old in glob.glob("jit-*.dump"):
            os.unlink(old)
        done = dumped(clock)
        assert done.stderr.count("tells time by " + what) == 1, done.stderr
        names = report().names()
        assert {"third", "fourth"} <= names and not {"first", "second"} & names, names


WALKED = {
    "first": ["main", "under_first", "run", "outer", "first"],
    "second": ["main", "under_second", "run", "outer", "second"],
    "callee": ["main", "under_third", "run", "outer", "third", "callee"],
}


def walked(graph, *arguments):
    """Code without frame pointers, its callers and its callees native, walked by CFI."""
    if os.uname().machine != "x86_64":
        skip("the code is x86-64's")
    if os.path.exists("truth"):
        os.unlink("truth")
    app = compile_c("jitframes.c", "app", "-fomit-frame-pointer")
    done = record("--call-graph", graph, command=[app, *arguments])
    return report(), done.stderr


def is_walked(frames):
    tail = WALKED.get(frames[-1])
    return tail and frames[-len(tail):] == tail


def test_jitdump_unwinding():
    for graph in "dwarf", "auto":
        folded, said = walked(graph)
        expect_truth(folded, Truth(), "under_first", "under_second", "under_third")
        expect_share("[truncated]", folded.count("[truncated]"), folded.total(), 0)
        for leaf in WALKED:
            of_leaf = folded.only(lambda frames: frames[-1] == leaf)
            right = of_leaf.count(is_walked)
            assert right >= 0.99 * of_leaf.total(), f"{graph}: {leaf}: {of_leaf.stacks}"
        whole = float(re.search(r"complete stacks: ([0-9.]+) %", said).group(1))
        assert whole >= 99, said


def test_jitdump_unwinding_is_kept():
    """A report walks stacks anew that were kept, and has no dump."""
    walked("dwarf")
    record("--call-graph", "dwarf", "--keep-stacks", command=[os.path.abspath("app")])
    for dump in glob.glob("jit-*.dump"):
        os.unlink(dump)
    folded = report()
    assert folded.count(is_walked) >= 0.9 * folded.total(), folded.stacks
    assert folded.count("[truncated]") == 0, folded.stacks


def test_jitdump_without_unwinding():
    """What the dump says is what leads on; that it says nothing costs only the callers."""
    folded, said = walked("dwarf", "bare")
    assert "no CFI ([anon]" in said and "tell its compiler" in said, said
    assert folded.count(is_walked) == 0, folded.stacks
    leaves = folded.only(lambda frames: frames[-1] in WALKED)
    assert leaves.total() >= 0.9 * folded.total(), folded.stacks
    assert leaves.count("[truncated]") >= 0.99 * leaves.total(), leaves.stacks


def mapped(lines, owner=None):
    """Runs code in an anonymous page beside a map of these lines; "@" is the page's address."""
    app = compile_c("jitpage.c", "app")
    with started([app], ready=False) as target:
        address = int(target.stdout.readline(), 16)
        path = f"/tmp/perf-{target.pid}.map"
        try:
            with open(path, "w") as f:
                f.write("".join(lines).replace("@", f"{address:x}"))
            if owner is not None:
                os.chown(path, owner, owner)
            done = record("-p", str(target.pid), "-d", "1")
        finally:
            os.unlink(path)
    return report(), done.stderr


def test_map_last_wins():
    folded, _ = mapped(
        ["0 10 elsewhere\n", "@ 1000 old name\n", "garbage\n", "zz 10 x\n", "@ 1000 new;name a b\n"]
    )
    shown = [n for n in folded.names() if "name" in n]
    assert shown == ["new:name a b"], shown
    assert folded.count(shown[0]) >= 0.9 * folded.total()


def test_map_unfinished_line():
    """What has no end of line may be half a name."""
    folded, _ = mapped(["@ 1000 whole\n", "@ 1000 hal"])
    assert folded.count("whole") >= 0.9 * folded.total(), folded.stacks[:3]


def test_map_overlap():
    """A later entry hides only what it covers."""
    folded, _ = mapped(["@ 1000 below\n", "@ 1 first byte\n"])
    assert folded.count("below") >= 0.9 * folded.total(), folded.stacks[:3]


def test_map_of_another_user():
    need_root()
    folded, said = mapped(["@ 1000 joke\n"], owner=65534)
    assert "joke" not in folded.names()
    assert "belongs to uid 65534" in said, said


if __name__ == "__main__":
    run_tests()
