#!/usr/bin/env python3
"""Stacks of real programs: both unwinders agree on them, and nearly all are whole.
Runs beside others."""

from kept import *


def test_gxx():
    agree([build("cpp.cc", "g++", "-O2"), SECONDS])


def test_gxx_auto():
    agree([build("cpp.cc", "g++", "-O2"), SECONDS], graph="auto")


def test_gxx_unoptimized():
    agree([build("cpp.cc", "g++", "-O0"), SECONDS])


def test_gxx_static_pie():
    agree([build("cpp.cc", "g++", "-O2", "-static-pie"), SECONDS])


def test_gxx_static():
    agree([build("cpp.cc", "g++", "-O2", "-static"), SECONDS])


def test_gxx_lld():
    need("ld.lld")
    agree([build("cpp.cc", "g++", "-O2", "-fuse-ld=lld"), SECONDS])


def test_clangxx():
    agree([build("cpp.cc", "clang++", "-O2", "-fsized-deallocation"), SECONDS])


def test_clangxx_lld():
    need("ld.lld")
    flags = ["-O2", "-fsized-deallocation", "-fuse-ld=lld"]
    agree([build("cpp.cc", "clang++", *flags), SECONDS])


def test_frame_pointers():
    agree([build("cpp.cc", "g++", "-O2", "-fno-omit-frame-pointer"), SECONDS])


def test_deep():
    agree([build("deep.c", "cc", "-O2"), SECONDS])


def test_sixty_frames():
    n = agree([build("frames.c", "cc", "-O2"), SECONDS, 60])
    assert n["frames"] >= 30 * n["stacks"]


def test_rust():
    need("rustc")
    with open("app.rs", "w") as f:
        f.write("""use std::collections::HashMap;
fn work(n: u64) -> u64 {
    let mut m: HashMap<u64, Vec<u64>> = HashMap::new();
    for i in 0..n { m.entry(i % 97).or_default().push(i * i); }
    let mut v: Vec<u64> = m.values().flat_map(|x| x.iter().cloned()).collect();
    v.sort_by(|a, b| b.cmp(a));
    v.iter().take(10).sum()
}
fn main() {
    let t = std::time::Instant::now();
    let mut s = 0u64;
    while t.elapsed().as_millis() < 1500 { s = s.wrapping_add(work(20000)); }
    println!("{}", s);
}
""")
    done = run(["rustc", "-O", "app.rs"])
    if done.returncode:
        skip("rustc cannot build here")
    agree(["./app"])


PYTHON = """
import json, re, time
def tree(n): return [tree(n - 1), tree(n - 1)] if n else []
def count(t): return 1 + sum(count(x) for x in t)
end = time.time() + 1.5
while time.time() < end:
    t = tree(9)
    assert count(t) == 1023
    json.loads(json.dumps(t))
    sorted(re.findall("[a-z]+", "some words of text " * 50), key=lambda w: w[::-1])
"""


def test_python():
    # Its deepest stacks, of the collector and of json, need more than the default copy.
    agree([sys.executable, "-c", PYTHON], graph="dwarf,65528")


def only_too_deep(command, graph):
    """What is not whole is too deep for the copy, and says so."""
    keep(command, graph=graph)
    n = engines()
    cut = n["stacks"] - n["rows-complete"]
    assert n["stacks"] >= 200 and cut - n.get("copy too small", 0) <= 0.005 * n["stacks"], n
    return cut / n["stacks"]


def test_python_default_copy():
    only_too_deep([sys.executable, "-c", PYTHON], "auto")


def test_gcc():
    need("gcc")
    with open("big.c", "w") as f:
        for i in range(600):
            f.write(f"int f{i}(int a, int b) {{ int s = 0; for (int i = a; i < b; i++) "
                    f"s += i * {i} ^ (a + b); return s % 17; }}\n")
    # Some of its stacks are larger than the kernel copies: half a percent, by turns more or less.
    assert only_too_deep(["gcc", "-O2", "-c", "big.c"], "dwarf,65528") <= 0.02


def test_clang():
    need("clang")
    with open("big.c", "w") as f:
        for i in range(600):
            f.write(f"int f{i}(int a, int b) {{ int s = 0; for (int i = a; i < b; i++) "
                    f"s += i * {i} ^ (a + b); return s % 17; }}\n")
    agree(["clang", "-O2", "-c", "big.c"], graph="dwarf,65528")


def test_node():
    need("node")
    with open("app.js", "w") as f:
        f.write("""const t = Date.now(); let s = 0;
while (Date.now() - t < 1500) {
  const x = JSON.parse(JSON.stringify({ a: [...Array(2000).keys()] }));
  s += x.a.sort((a, b) => b - a)[0];
  s += 'some words of text'.repeat(100).replace(/o/g, '0').length;
}
console.log(s);
""")
    # Frames in generated code go by frame pointers, which libunwind does not. A pc in the prologue of
    # generated code has no caller to be found: half a percent, by turns more or less.
    agree(["node", "app.js"], whole=98.5, graph="dwarf,65528")


def test_java():
    need("javac")
    with open("App.java", "w") as f:
        f.write("""import java.util.*;
public class App {
    public static void main(String[] a) {
        long end = System.currentTimeMillis() + 1500, s = 0;
        while (System.currentTimeMillis() < end) {
            TreeMap<Integer, String> m = new TreeMap<>();
            for (int i = 0; i < 10000; i++) m.put(i * 7919 % 10007, "x" + i);
            s += m.size();
        }
        System.out.println(s);
    }
}
""")
    if run(["javac", "App.java"]).returncode:
        skip("javac cannot build here")
    # Compiled code has no CFI, and whether rbp is a frame pointer in it is the JVM's choice: how many
    # stacks are whole is not ours to promise, only that both engines agree on them.
    agree(["java", "-XX:+PreserveFramePointer", "-cp", ".", "App"], whole=0, graph="dwarf,65528")


def test_signal():
    agree([build("signals.c", "cc", "-O2"), "plain", 2])
    folded = report(file="kept.rec")
    inside = folded.only(lambda f: "in_handler" in f)
    expect_share("interrupted below the handler", inside.count("interrupted"), inside.total(), 1)
    expect_share("main below the handler", inside.count("main"), inside.total(), 1)


def test_signal_trampoline_without_cfi():
    app = build("signals.c", "cc", "-O2")
    keep([app, "bare", 2])
    n = engines()
    assert n["rows-complete"] >= 0.995 * n["stacks"], n
    folded = report(file="kept.rec")
    inside = folded.only(lambda f: "in_handler" in f)
    expect_share("main below the handler", inside.count("main"), inside.total(), 1)


START = """
__asm__(".globl _start\\n_start: xor %rbp, %rbp\\n mov %rsp, %rdi\\n and $-16, %rsp\\n"
	START_MORE "call start_c\\n hlt\\n");
int main(int argc, char **argv);
__attribute__((aligned(256), noinline)) static void start_on(long *p)
{
	int status = main((int)*p, (char **)(p + 1));

	__asm__ volatile("syscall" : : "a"(231), "D"(status));
	__builtin_unreachable();
}
static void (*volatile on)(long *p) = start_on;
void start_c(long *p)
{
	on(p);
}
"""
MAIN = """
__attribute__((noinline)) static int busy(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}
int main(int argc, char **argv)
{
	int sum = 0;

	(void)argv;
	for (int i = 0; i < 600; i++)
		sum += busy(1000000 * argc);
	return sum & 1;
}
"""


def test_start_without_cfi():
    """As in a program of musl: what calls main() and what calls that has no CFI."""
    if os.uname().machine != "x86_64":
        skip("the start is x86-64's")
    need("cc")
    # What is pushed is never taken off again: nothing returns to a program of Free Pascal's either.
    for more in "", "push %rax\\n .rept 90\\n nop\\n .endr\\n":
        start_without_cfi(more)


def start_without_cfi(more):
    for name, text, flags in (("start", START,
                              "-fno-asynchronous-unwind-tables -fno-toplevel-reorder"),
                             ("main", MAIN, "-fasynchronous-unwind-tables")):
        with open(f"{name}.c", "w") as f:
            f.write(text)
        assert not run(["cc", "-O2", *flags.split(), "-fno-stack-protector", "-fno-pie", "-c",
                        f'-DSTART_MORE="{more}"', f"{name}.c"]).returncode
    assert not run(["cc", "-nostdlib", "-static", "-no-pie", "start.o", "main.o", "-o",
                    "app"]).returncode
    keep(["./app"])
    folded = report(file="kept.rec").only(lambda f: "main" in f)
    whole = folded.count(lambda f: f[1:4] == ["_start", "start_on", "main"])
    expect_share("_start below main", whole, folded.total(), 1)


def test_alternate_signal_stack():
    keep([build("signals.c", "cc", "-O2"), "alt", 2])
    engines()
    folded = report(file="kept.rec")
    inside = folded.only(lambda f: "in_handler" in f)
    # The interrupted pc is known, its callers lie on the other stack.
    expect_share("[truncated]", inside.count("[truncated]"), inside.total(), 1)
    outside = folded.only(lambda f: "in_handler" not in f and "main" in f)
    assert outside.total() > 50 and outside.count("[truncated]") == 0


def glibc_of_x86_64():
    return os.uname().machine == "x86_64" and "glibc" in os.confstr("CS_GNU_LIBC_VERSION")


def expect_whole(folded):
    cut = folded.count("[truncated]")
    assert cut == 0, f"{cut} of {folded.total()} are cut: {folded.stacks}"


def test_coroutine():
    app = build("signals.c", "cc", "-O2")
    for graph in "dwarf", "auto":
        keep([app, "coroutine", 2], graph=graph)
        engines()
        folded = report(file="kept.rec")
        inside = folded.only(lambda f: "coroutine" in f)
        assert inside.total() > 50
        # Its stack begins where makecontext() made it: no frame of another stack, no false root.
        for frames, _ in inside.stacks:
            assert "main" not in frames and frames.index("coroutine") <= 2, frames
        if glibc_of_x86_64():
            expect_whole(inside)
            roots = {f[1] for f, _ in inside.stacks if f[1] != "coroutine"}
            # Its name may be stripped, but nothing else may be said in its place.
            assert all(r == "__start_context" or r.startswith("[libc") for r in roots), roots


def test_coroutine_static():
    keep([build("signals.c", "cc", "-O2", "-static"), "coroutine", 2])
    inside = report(file="kept.rec").only(lambda f: "coroutine" in f)
    assert inside.total() > 50
    if glibc_of_x86_64():
        expect_whole(inside)
        # The one before it in memory is not taken for it.
        expect_share("__start_context", inside.count(lambda f: f[1] == "__start_context"),
                     inside.total(), 1)


def test_vdso():
    agree([build("clocks.c", "cc", "-O2")], least=100)
    folded = report(file="kept.rec")
    inside = folded.only(lambda f: any("clock_gettime" in name for name in f))
    assert inside.total() > 50
    expect_share("main below the vdso", inside.count("main"), inside.total(), 1)


def test_remedy_names_the_next_size():
    app = build("frames.c", "cc", "-O2")
    for mode, next_mode in (("dwarf,16384", "-g dwarf,32768"), ("auto,16384", "-g auto,32768"),
                            ("dwarf,65528", "the kernel copies no more")):
        said = keep([app, 1, 1500], graph=mode)
        assert f"copy too small: record with a larger copy of the stack: {next_mode}" in said or (
            next_mode in said), said
        assert "perf_event_max_stack" not in said, said
        assert next_mode in report("-v", file="kept.rec").messages


def test_no_locked_memory():
    need_root()
    need("setpriv")
    app = build("frames.c", "cc", "-O2")
    os.chmod(".", 0o777)
    done = run(["sh", "-c", "ulimit -l 0; exec \"$@\"", "sh", "setpriv", "--reuid", "65534",
                "--clear-groups", "--inh-caps=-all", "--bounding-set=-all", SINGE, "record", "-e",
                "cpu-clock:u", "-g", "dwarf", "-o", "small.rec", "--", app, "1", "5"])
    if re.search("perf_event_paranoid is [3-9]|Permission denied|cannot execute", done.stderr):
        skip("others than root may not record, or not see this build")
    assert done.returncode == 0, done.stderr
    copied = re.findall("([0-9]+) bytes of stack are copied a sample instead of 16384", done.stderr)
    assert len(copied) == 1 and int(copied[0]) >= 2048, done.stderr
    assert report(file="small.rec").count("level") > 20


if __name__ == "__main__":
    run_tests()
