#!/usr/bin/env python3
"""Stacks of real programs: both unwinders agree on them, and nearly all are whole.
Runs beside others."""

import re

from e2e import *

BUILD = os.environ.get("BUILD", os.path.join(TOP, "build"))
ENGINES = os.path.join(BUILD, "tests/e2e/engines")
SECONDS = 1


def keep(command, *arguments, graph="dwarf"):
    """Records with stacks kept. What the program prints, and how it ends, is its own affair."""
    line = [SINGE, "record", "-e", "cpu-clock", "-F", "1999", "--call-graph", graph, "-o",
            "kept.rec", "--keep-stacks", "--no-resolve", "--count", "2000", *arguments, "--",
            *map(str, command)]
    done = subprocess.run(line, env=environment("truth"), timeout=120, text=True, errors="replace",
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    sys.stderr.write(done.stderr)
    if re.search("perf_event_paranoid|not permitted", done.stderr, re.I):
        skip(done.stderr.strip().splitlines()[-1])
    assert "samples of cpu-clock" in done.stderr
    return done.stderr


def engines():
    """What tests/e2e/engines counts, after it found no difference that no rule explains."""
    done = run([ENGINES, "kept.rec"], timeout=120)
    print(done.stdout, file=sys.stderr)
    assert done.returncode == 0, done.stdout[:4000]
    counts = {}
    for line in done.stdout.splitlines():
        name, _, n = line.rpartition(" ")
        counts[name.rstrip(":")] = int(n)
    return counts


def complete_percent(text):
    return float(re.search(r"complete stacks: ([0-9.]+) %", text).group(1))


def agree(command, whole=99.5, least=200, graph="dwarf"):
    said = keep(command, graph=graph)
    n = engines()
    assert n["stacks"] >= least, f"only {n['stacks']} stacks"
    assert n["equal"] + n["popped"] + n["no-cfi"] == n["libunwind-complete"]
    share = 100 * n["rows-complete"] / n["stacks"]
    print(f"#   {n['stacks']} stacks, {share:.2f} % whole, libunwind "
          f"{100 * n['libunwind-complete'] / n['stacks']:.2f} %; popped {n['popped']}, "
          f"no CFI {n['no-cfi']}")
    assert share >= whole, f"{share:.2f} % whole, not {whole} %: {n}"
    assert n["rows-complete"] >= n["libunwind-complete"]
    assert complete_percent(said) >= whole, said
    return n


def build(source, compiler, *flags):
    need(shlex.split(compiler)[0])
    command = [*shlex.split(compiler), *flags, f"-I{WORKLOADS}",
               os.path.join(WORKLOADS, source), "-o", "app", "-pthread"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        skip(f"{shlex.join(command)}: {done.stderr.strip().splitlines()[-1]}")
    return os.path.abspath("app")


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


GO = """
package main

import (
	"fmt"
	"sort"
	"time"
)

func main() {
	begun, sum := time.Now(), 0
	words := make(chan []string)
	go func() {
		for {
			v := []string{}
			for i := 0; i < 500; i++ {
				v = append(v, fmt.Sprint(i * 7919 % 1009))
			}
			words <- v
		}
	}()
	for time.Since(begun) < 2*time.Second {
		v := <-words
		sort.Strings(v)
		sum += len(v)
	}
	fmt.Println(sum)
}
"""


def test_go():
    need("go")
    with open("app.go", "w") as f:
        f.write(GO)
    if run(["go", "build", "app.go"], env=dict(os.environ, GOCACHE=os.path.abspath("cache"),
                                               GO111MODULE="off")).returncode:
        skip("go cannot build here")
    keep(["./app"])
    switched = 0
    # Above a call on the system's stack lies what earlier calls left there: no callers. Up to
    # gosave_systemstack_switch the stack is still the caller's.
    for frames, _ in report(file="kept.rec").stacks:
        for outer, frame, inner in zip(frames, frames[1:], frames[2:]):
            if inner == "gosave_systemstack_switch":
                continue
            if re.match(r"runtime\.(mcall|systemstack)(\.|$)", frame):
                switched += 1
                assert outer == "[truncated]", frames
    assert switched > 5, switched


CGO = """
package main

/*
extern int called(int);
static double in_c(int n) { volatile double s = 0; for (int i = 0; i < n; i++) s += i; return s; }
static int through_c(int n) { int s = 0; while (n--) s += called(n); return s; }
*/
import "C"
import "time"

//export called
func called(n C.int) C.int {
	s := n
	for i := C.int(0); i < 20000; i++ { s = s*31 + i }
	return s
}

func main() {
	for start := time.Now(); time.Since(start) < 2*time.Second; {
		C.in_c(100000)
		C.through_c(5)
	}
}
"""


def test_go_with_c():
    need("go")
    need("gcc")
    with open("app.go", "w") as f:
        f.write(CGO)
    if run(["go", "build", "app.go"], env=dict(os.environ, GOCACHE=os.path.abspath("cache"),
                                               CGO_ENABLED="1", GO111MODULE="off")).returncode:
        skip("go cannot build here")
    keep(["./app"])
    folded = report(file="kept.rec")
    # C runs on the system's stack; above are remains of earlier calls.
    in_c = folded.only(lambda f: "in_c" in f)
    expect_share("cut below asmcgocall", in_c.count(
        lambda f: f[f.index("[truncated]") + 1].startswith("runtime.asmcgocall")
        if "[truncated]" in f else False), in_c.total(), 1)
    # Go called by C runs on the goroutine's, which holds all of its callers.
    in_go = folded.only(lambda f: "main.called" in f)
    expect_share("the goroutine below cgocallback", in_go.count(
        lambda f: "main.main" in f and any(n.startswith("runtime.goexit") for n in f)),
        in_go.total(), 1)


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
