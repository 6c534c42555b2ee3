#!/usr/bin/env python3
"""The kernel's functions, inlined calls and lines by --vmlinux: a program linked where a kernel lies
stands for it, in recordings of its addresses as they would be with and without KASLR. Runs beside
others."""

from e2e import *

SCENE = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "tests/support/kernel-scene")
BASE = 0xFFFFFFFF81000000
SHIFT = 0x1D400000  # of KASLR; a multiple of 2 MiB
SOURCE = """
volatile int sink;
static inline __attribute__((always_inline)) int load(int x)
{
	sink += x;
	return x * sink;
}
static inline __attribute__((always_inline)) int pick(int x)
{
	int y = load(x) ^ x;
	return y + load(y + 1);
}
static __attribute__((noinline)) int update(int n)
{
	int sum = 0;
	for (int i = 0; i < n; i++)
		sum += pick(i);
	return sum;
}
__attribute__((noinline)) int schedule(int n)
{
	int sum = 1;
	for (int i = 0; i < n; i++)
		sum += pick(i) + update(sum & 3);
	return sum;
}
"""


def kernel(name="vmlinux", *flags, base=BASE):
    with open("kernel.c", "w") as f:
        f.write(SOURCE)
    model = ["-mcmodel=kernel"] if os.uname().machine == "x86_64" else []
    line = ["gcc", "-g", "-O2", *model, "-ffreestanding", "-fno-pie", "-no-pie", "-static", "-nostdlib",
            f"-Wl,-Ttext={hex(base)},-e,schedule,--build-id,--defsym=_stext={hex(base)}", *flags, "kernel.c", "-o", name]
    need("gcc")
    done = run(line)
    if done.returncode:
        skip(f"{shlex.join(line)} does not work here")
    return os.path.abspath(name)


def code(path):
    """Every address of its functions, as linked."""
    found = []
    for line in run(["nm", "-S", path]).stdout.splitlines():
        words = line.split()
        if words[-1] in ("schedule", "update"):
            found += range(int(words[0], 16), int(words[0], 16) + int(words[1], 16))
    assert len(found) > 20
    return found


def recorded(path, addresses, shift):
    """One sample for each address, of a kernel that ran `shift` above where it was linked."""
    text = "\n".join(hex((a + shift) % 2**64) for a in addresses)
    stext = next(int(line.split()[0], 16) for line in run(["nm", path]).stdout.splitlines() if "_stext" in line)
    done = run([SCENE, path, hex((stext + shift) % 2**64), "singe.rec"], input=text)
    assert done.returncode == 0, done.stderr


def chains(*arguments, file="singe.rec"):
    """{(frames, outermost first): samples}, each with its line."""
    folded = report("--lines", "--by", "none", *arguments, file=file)
    return {tuple(frames): n for frames, n in folded.stacks}, folded.messages


def by_addr2line(path, addresses):
    """The same from binutils."""
    need("addr2line")
    done = run(["addr2line", "-aife", path], input="\n".join(map(hex, addresses)))
    found = {}
    for block in re.split(r"^0x[0-9a-f]+\n", done.stdout, flags=re.M)[1:]:
        lines = block.strip().split("\n")
        frames = []
        for name, place in zip(lines[::2], lines[1::2]):
            file, _, line = re.sub(r" \(discriminator \d+\)", "", place).rpartition(":")
            frames.insert(0, f"{name} ({os.path.basename(file)}:{line})")
        found[tuple(frames)] = found.get(tuple(frames), 0) + 1
    return found


def test_inlines_and_lines():
    """With and without KASLR; what has been moved is the same kernel."""
    path = kernel()
    addresses = code(path)
    want = by_addr2line(path, addresses)
    assert {len(frames) for frames in want} == {1, 2, 3}, want
    for shift in (0, SHIFT):
        recorded(path, addresses, shift)
        without, _ = chains()
        assert list(without) == [("[kernel]",)], without
        have, said = chains("--vmlinux", path)
        assert have == want, f"{have}\n{want}"
        assert "not used" not in said and "no names" not in said, said


def test_resolve():
    """Once stored, no file is needed."""
    path = kernel()
    addresses = code(path)
    recorded(path, addresses, SHIFT)
    want = by_addr2line(path, addresses)
    assert run([SINGE, "resolve", "--vmlinux", path]).returncode == 0
    os.unlink(path)
    assert chains()[0] == want


def test_debug_file():
    """As distributions have it: stripped, and a file that the build-id leads to."""
    path = kernel()
    addresses = code(path)
    recorded(path, addresses, SHIFT)
    want = by_addr2line(path, addresses)
    build_id = re.search("Build ID: ([0-9a-f]+)", run(["readelf", "-n", path]).stdout)[1]
    place = f"dbg/.build-id/{build_id[:2]}"
    os.makedirs(place)
    assert run(["objcopy", "--only-keep-debug", path, f"{place}/{build_id[2:]}.debug"]).returncode == 0
    assert run(["strip", "-g", path]).returncode == 0
    assert not any("kernel.c" in frame for frames in chains("--vmlinux", path)[0] for frame in frames)
    assert chains("--vmlinux", path, "--debug-dir", "dbg")[0] == want
    debug = f"{place}/{build_id[2:]}.debug"
    assert chains("--vmlinux", debug)[0] == want
    # Names without lines that are in the recording are bettered, or kept without a complaint.
    assert run([SINGE, "resolve", "--vmlinux", path]).returncode == 0
    named = chains()[0]
    assert all(re.fullmatch("schedule|update", frame) for frames in named for frame in frames), named
    have, said = chains("--debug-dir", "dbg")
    assert have == named and "no names" not in said, said
    assert chains("--vmlinux", path, "--debug-dir", "dbg")[0] == want


def test_modules_are_not_in_it():
    """Above the kernel and below it: no name of a neighbour."""
    path = kernel()
    addresses = code(path)
    outside = [0xFFFFFFFFC0001000, BASE + SHIFT - 16, max(addresses) + SHIFT + 0x100000]
    recorded(path, [(a - SHIFT) % 2**64 for a in outside] + addresses[:1], SHIFT)
    have, _ = chains("--vmlinux", path)
    assert have.pop(("[kernel]",)) == len(outside), have
    assert len(have) == 1 and list(have)[0][0].startswith(("schedule ", "update ")), have


def listing(*arguments):
    done = run([SINGE, "report", "singe.rec", *arguments])
    if "Debian: libcapstone" in done.stderr:
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_instructions():
    """As built and as linked, a sample at each byte; never without the file, nor from one without code."""
    path = kernel()
    addresses = code(path)
    recorded(path, addresses, SHIFT)
    need("objdump")
    theirs = run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=schedule", path]).stdout
    want = [int(a, 16) for a in re.findall(r"^ *([0-9a-f]+):\t\S", theirs, re.M)]
    text = listing("--vmlinux", path, "--asm", "schedule")
    have = {int(a, 16): int(n) for n, a in re.findall(r"% +(\d+) +([0-9a-f]{16})  \S", text)}
    assert list(have) == want and len(want) > 20, text
    assert "# [kernel], as built: the kernel patches its code" in text, text
    assert sum(have.values()) == sum(n for frames, n in chains("--no-inlines", "--vmlinux", path)[0].items()
                                     if frames[-1].startswith("schedule "))
    page = listing("--vmlinux", path, "-f", "html", "--embed-asm")
    assert len(page) > len(listing("-f", "html", "--embed-asm")) + 500
    assert run([SINGE, "resolve", "--vmlinux", path]).returncode == 0
    text = listing("--asm", "schedule")
    assert "no code to show: it needs the kernel's own file, by --vmlinux FILE" in text, text
    other = kernel("other", "-DOTHER", "-O1")
    text = listing("--asm", "schedule", "--vmlinux", other)
    assert f"no code to show: {other} is not used: its build-id is not" in text, text
    assert run(["objcopy", "--only-keep-debug", path, "debug"]).returncode == 0
    text = listing("--asm", "schedule", "--vmlinux", "debug")
    assert "no code to show: " in text and not re.search(r"[0-9a-f]{16}  \S", text), text


def test_another_build():
    path = kernel()
    addresses = code(path)
    recorded(path, addresses, 0)
    other = kernel("other", "-DOTHER", "-O1")
    have, said = chains("--vmlinux", other)
    assert list(have) == [("[kernel]",)], have
    assert said.count("other is not used: its build-id is not that of the kernel that recorded") == 1, said
    plain = kernel("plain", "-Wl,--build-id=none")
    have, said = chains("--vmlinux", plain)
    assert list(have) == [("[kernel]",)], have
    assert "plain is not used: no build-id says" in said, said
    have, said = chains("--vmlinux", "nothing")
    assert list(have) == [("[kernel]",)] and "cannot open nothing" in said, said


def test_place_not_known():
    """Without the address of _stext nobody can tell how far the kernel was moved."""
    path = kernel()
    assert run([SCENE, path, "0", "singe.rec"], input=hex(code(path)[0])).returncode == 0
    have, said = chains("--vmlinux", path)
    assert list(have) == [("[kernel]",)] and "not known (_stext)" in said, said


def test_perf_data():
    """The same from perf's file format, which says it in other records."""
    path = kernel()
    addresses = code(path)
    recorded(path, addresses, SHIFT)
    want = by_addr2line(path, addresses)
    done = run([SINGE, "convert", "singe.rec", "-o", "perf.data"])
    assert done.returncode == 0, done.stderr
    assert chains("--vmlinux", path, file="perf.data")[0] == want
    # Elsewhere perf's _text is not _stext: better no names than those of a neighbour.
    data = open("perf.data", "rb").read()
    assert data.count(b"x86_64\0\0") == 1
    with open("perf.data", "wb") as f:
        f.write(data.replace(b"x86_64\0\0", b"aarch64\0"))
    have, said = chains("--vmlinux", path, file="perf.data")
    assert list(have) == [("[kernel]",)] and "not known (_stext)" in said, (have, said)


if __name__ == "__main__":
    run_tests()
