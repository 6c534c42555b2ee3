#!/usr/bin/env python3
"""What a function's lines and instructions cost, on a program that knows: hotline.c spends three,
one and two sixths of its time on three lines, the last of them inlined from another file. Runs beside
others."""

import base64
import gzip
import json

from e2e import *

SHARES = {("hotline.c", "three of six"): 3 / 6, ("hotline.c", "one of six"): 1 / 6, ("hotline.h", "two of six"): 2 / 6}


def recorded(*flags):
    app = compile_c("hotline.c", "app", "-O2", "-Wl,--build-id", *flags)
    record(command=[app])
    return app


def listing(*arguments):
    done = run([SINGE, "report", "singe.rec", *arguments], timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def source_lines(text):
    """[(file, line number or "?", samples, text)] of lines with samples."""
    rows, file = [], None
    for line in text.splitlines():
        if line.startswith("# /"):
            file = os.path.basename(line[2:].split(",")[0])
        found = re.match(r" *[\d.]+ % +[\d.]+ % +(\d+) +(\d+|\?)(?:  (.*))?$", line)
        if found:
            rows.append((file, found[2], int(found[1]), found[3] or ""))
    return rows


def self_samples(name, *arguments):
    folded = report("--by", "none", *arguments)
    return folded.count(lambda frames: frames[-1] == name)


def test_known_lines():
    recorded()
    rows = source_lines(listing("--source", "hot"))
    total = sum(samples for _, _, samples, _ in rows)
    for (file, mark), share in SHARES.items():
        here = [s for f, _, s, text in rows if f == file and mark in text]
        assert len(here) == 1, rows
        expect_share(mark, here[0], total, share)


def test_total_is_self():
    """All lines together: what the function has without inlined calls, whatever is asked for."""
    recorded()
    want = self_samples("hot", "--no-inlines")
    for arguments in ([], ["--no-inlines"]):
        rows = source_lines(listing("--source", "hot", *arguments))
        assert sum(samples for _, _, samples, _ in rows) == want, rows
    files = {file for file, _, _, _ in source_lines(listing("--source", "hot", "--no-inlines"))}
    assert files == {"hotline.c"}, files


def test_inlined_function():
    recorded()
    rows = source_lines(listing("--source", "inlined"))
    assert {file for file, _, _, _ in rows} == {"hotline.h"}, rows
    assert sum(samples for _, _, samples, _ in rows) == self_samples("inlined")


def test_filters_hold():
    recorded()
    want = self_samples("hot", "--no-inlines", "--time", ",0.2")
    rows = source_lines(listing("--source", "hot", "--time", ",0.2"))
    assert 0 < sum(samples for _, _, samples, _ in rows) == want


def test_source_not_here():
    """Numbers alone, and the file named once as missing; a file written since is told."""
    shutil.copytree(WORKLOADS, "src")
    line = CC + ["-O2", "-g", "-Isrc", os.path.abspath("src/hotline.c"), "-o", "app"]
    assert run(line).returncode == 0
    record(command=[os.path.abspath("app")])
    before = source_lines(listing("--source", "hot"))
    assert all(text for _, _, _, text in before), before
    later = time.time() + 100
    os.utime("src/hotline.c", (later, later))
    assert listing("--source", "hot").count("(changed since it was recorded") == 1
    os.unlink("src/hotline.c")
    after = listing("--source", "hot")
    rows = source_lines(after)
    assert [row[:3] for row in rows] == [row[:3] for row in before]
    assert not any(text for file, _, _, text in rows if file == "hotline.c"), rows
    assert after.count("#   " + os.path.abspath("src/hotline.c")) == 1, after


def test_no_lines():
    """One line for what is not known, which is still everything."""
    recorded("-g0")
    text = listing("--source", "hot")
    rows = source_lines(text)
    assert [row[1] for row in rows] == ["?"], text
    assert rows[0][2] == self_samples("hot")


def instructions(text):
    """[(address, samples, instruction, source line before it)]"""
    rows, source = [], ""
    for line in text.splitlines():
        if re.match(r" +# .*:\d+", line):
            source = line.strip(" #")
        found = re.match(r"(?: *[\d.]+ % +[\d.]+ % +(\d+) )? +([0-9a-f]+)  (.*)$", line)
        if found and not line.startswith("#") and " # " not in line:
            rows.append((int(found[2], 16), int(found[1] or 0), found[3], source))
    return rows


def assembly(*arguments):
    done = run([SINGE, "report", "singe.rec", "--asm", *arguments], timeout=60)
    if "Debian: libcapstone" in done.stderr:
        assert done.returncode == 1 and not done.stdout
        skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stderr
    return done.stdout


def in_loops(rows):
    """Samples from each multiplication to the jump behind it: the loops, and little of the rest."""
    inside, samples = False, 0
    for _, hits, text, _ in rows:
        inside = inside or bool(re.match("i?mul|madd", text))
        samples += hits if inside else 0
        inside = inside and not re.match("j|b\\.|cbn?z", text)
    return samples


def test_known_instructions():
    """Each loop's instructions have its share; all of them are the function's samples."""
    recorded()
    rows = instructions(assembly("hot"))
    total = sum(samples for _, samples, _, _ in rows)
    assert total == self_samples("hot", "--no-inlines")
    for (file, mark), share in SHARES.items():
        here = sum(s for _, s, _, source in rows if f"{file}:" in source and mark in source)
        expect_share(mark, here, total, share)
    assert in_loops(rows) >= 0.95 * total, rows


def test_every_byte_of_the_function():
    """The addresses are those objdump has, no fewer and no more."""
    need("objdump")
    app = recorded("-no-pie")
    theirs = run(["objdump", "-d", "--no-show-raw-insn", "--disassemble=hot", app]).stdout
    want = [int(a, 16) for a in re.findall(r"^ +([0-9a-f]+):\t\S", theirs, re.M)]
    assert len(want) > 5, theirs
    have = [address for address, _, _, _ in instructions(assembly("hot"))]
    assert have == want, f"{have} not {want}"


def test_stripped():
    """By unwind information, where there is no symbol."""
    app = recorded("-s", "-g0")
    folded = report("--by", "none")
    name = max(folded.names(), key=lambda n: folded.count(lambda frames: frames[-1] == n))
    assert name.startswith("[app+0x"), name
    rows = instructions(assembly(name))
    assert sum(samples for _, samples, _, _ in rows) == folded.count(lambda f: f[-1] == name)
    assert rows[0][0] == int(name[len("[app+0x"):-1], 16), rows[0]


def test_stub():
    """Of calls into a library: the stub, not all that its unwind information covers."""
    with open("tiny.c", "w") as f:
        f.write("int tiny(int x) { return x; }")
    with open("calls.c", "w") as f:
        f.write("int tiny(int); int other(int); int main(void) { int n = other(1); for (int i = 0; i < 400000000; i++) n += tiny(i); return n == 7; }")
    with open("other.c", "w") as f:
        f.write("int other(int x) { return x; }")
    for command in (["-O1", "-fPIC", "-shared", "tiny.c", "other.c", "-o", "libtiny.so"],
                    ["-O1", "calls.c", "-L.", "-ltiny", "-Wl,-rpath,$ORIGIN", "-o", "calls"]):
        assert run(CC + command).returncode == 0
    record(command=[os.path.abspath("calls")])
    total = self_samples("tiny@plt")
    if not total:
        skip("calls into a library go through no stub here")
    rows = instructions(assembly("tiny@plt"))
    assert 1 <= len(rows) <= 4 and sum(samples for _, samples, _, _ in rows) == total, rows


def test_no_file():
    """Places alone, with the reason: never the code of another build."""
    app = recorded()
    want = self_samples("hot", "--no-inlines")
    compile_c("hotline.c", "app", "-O1", "-Wl,--build-id")
    for reason in ("build-id differs", "no such file"):
        text = assembly("hot")
        assert f"{app}: no code to show: {reason}" in text, text
        places = re.findall(r"^ *[\d.]+ % +[\d.]+ % +(\d+) +\+0x[0-9a-f]+$", text, re.M)
        assert sum(map(int, places)) == want, text
        if os.path.exists(app):
            os.unlink(app)


def columns_of(page):
    """(JSON, {name: values}) of an HTML page, read as doc/html-data.md says."""
    raw = gzip.decompress(base64.b64decode(re.search(r'id="data">([^<]*)<', page)[1]))
    at = 4 + int.from_bytes(raw[:4], "little")
    meta, columns = json.loads(raw[4:at]), {}
    for name, kind, n, length in meta["columns"]:
        values, value, shift, last = [], 0, 0, 0
        for byte in raw[at : at + length]:
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                last = last + (value >> 1 ^ -(value & 1)) if kind == "d" else value
                values.append(last)
                value = shift = 0
        assert len(values) == n, name
        columns[name] = values
        at += length
    return meta, columns


def test_instructions_in_the_page():
    """The same instructions as of --asm, with the same samples, and the lines of each."""
    recorded()
    want = instructions(assembly("hot"))
    meta, columns = columns_of(listing("-f", "html", "--embed-asm=1"))
    assert meta["code"]["functions"] == 1 and not meta["code"]["cut"]
    assert [part[1] for part in meta["code"]["parts"]] == [len(want)]
    hits = [0] * (len(want) + 1)
    for hit in columns["sample.insn"]:
        hits[hit] += 1
    texts = [meta["insns"][i] for i in columns["insn.text"]]
    have = list(zip(columns["insn.addr"], hits[1:], texts))
    assert have == [row[:3] for row in want], have
    known = 0
    for place, (_, _, _, source) in zip(columns["insn.place"], want):
        file, line = meta["files"][columns["place.file"][place]][0], columns["place.line"][place]
        # clang gives some instructions line 0, which --asm leaves below the line before them.
        assert not (source and line) or f"{os.path.basename(file)}:{line}" in source, (file, line, source)
        known += line > 0
    assert known > len(want) / 2, columns["insn.place"]
    assert "code" not in columns_of(listing("-f", "html"))[0]


def test_vdso():
    """Code in no file, which this kernel has."""
    record(command=[compile_c("clocks.c", "clocks")])
    name = next((n for n in report().names() if n.endswith("vdso_clock_gettime") or n == "__kernel_clock_gettime"), None)
    if not name:
        skip("clock_gettime is no function of the vdso here")
    rows = instructions(assembly(name))
    assert rows and sum(samples for _, samples, _, _ in rows) == self_samples(name, "--no-inlines"), rows


def test_code_made_at_run_time():
    """Of four functions at two addresses each has its own instructions, and samples in the loop. Without the
    dump, or with another file of its name: the places alone, under the reason."""
    record(command=[compile_c("jitdump.c", "app")])
    code = ["nop"] * 4 + ["subq", "jne", "retq"]
    for name in ("first", "second", "third", "fourth"):
        rows = instructions(assembly(name))
        if os.uname().machine == "x86_64":
            texts = [text.split()[0] for _, _, text, _ in rows]
            assert texts == code * (2 if name == "second" else 1), texts
        total = self_samples(name)
        assert total > 50 and sum(samples for _, samples, _, _ in rows) == total, rows
        assert sum(s for _, s, text, _ in rows if re.match("sub|jne|b.ne", text)) >= 0.95 * total, rows
    dump = next(os.path.abspath(name) for name in os.listdir(".") if name.startswith("jit-"))
    os.rename(dump, "elsewhere")
    assert f"no code to show: code made at run time, and cannot open {dump}" in assembly("first")
    shutil.copy("elsewhere", dump)
    text = assembly("first")
    assert f"{dump} is not the file it was dumped to" in text and not instructions(text), text


def relative_build():
    """A program whose debug information was told to forget where it was built."""
    shutil.copytree(WORKLOADS, "project/src")
    line = CC + ["-O2", "-g", f"-ffile-prefix-map={os.path.abspath('project')}=.", "-Isrc", "src/hotline.c", "-o", "app"]
    assert run(line, cwd="project").returncode == 0
    record(command=[os.path.abspath("project/app")])


def texts(*arguments, cwd="."):
    done = run([SINGE, "report", os.path.abspath("singe.rec"), *arguments], cwd=cwd, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout


def expect_all_texts(text):
    rows = source_lines(text)
    assert rows and all(source for _, number, _, source in rows if number != "?"), text


def test_relative_names():
    """Found where the program was built, as by gdb; elsewhere with --source-dir; else said where not."""
    relative_build()
    expect_all_texts(texts("--source", "hot", cwd="project"))
    lost = texts("--source", "hot")
    assert not any(source for _, _, _, source in source_lines(lost)), lost
    assert re.search(rf"^#   .*src/hotline\.c, looked for below {re.escape(os.getcwd())}$", lost, re.M), lost
    assert lost.count("--source-dir DIR") == 1, lost
    expect_all_texts(texts("--source", "hot", "--source-dir", "project"))
    shutil.move("project", "moved")
    os.mkdir("empty")
    expect_all_texts(texts("--source", "hot", "--source-dir", "empty", "--source-dir", "moved/src"))
    nowhere = texts("--source", "hot", "--source-dir", "empty")
    assert "# nor below empty" in nowhere and "--source-dir DIR" not in nowhere, nowhere
    with open("page.html", "w") as f:
        f.write(texts("-f", "html", "--embed-source", "--source-dir", "moved"))
    assert os.path.getsize("page.html") > len(texts("-f", "html")) + 100


def test_moved_sources():
    """Names that are absolute, of files that are elsewhere now: what was read instead is told."""
    shutil.copytree(WORKLOADS, "project/src")
    source = os.path.abspath("project/src/hotline.c")
    assert run(CC + ["-O2", "-g", "-Iproject/src", source, "-o", "app"]).returncode == 0
    record(command=[os.path.abspath("app")])
    expect_all_texts(texts("--source", "hot"))
    shutil.move("project", "moved")
    text = texts("--source", "hot", "--source-dir", "moved")
    expect_all_texts(text)
    assert f"# {source}, read from moved/src/hotline.c" in text, text


def test_usage():
    recorded()
    for arguments, status in {
        ("--source", "nosuch"): 1,
        ("--source", "hot", "--lines"): 2,
        ("--source", "hot", "--hide", "x"): 2,
        ("--source", "hot", "-f", "svg"): 2,
        ("--source", "hot", "--callers", "hot"): 2,
        ("--source", "hot", "-f", "text"): 0,
        ("--asm", "nosuch"): 1,
        ("-f", "html", "--source-dir", "."): 2,
        ("-f", "folded", "--source-dir", "."): 2,
        ("--asm", "hot", "--source", "hot"): 2,
        ("--asm", "hot", "--addrs"): 2,
        ("-f", "svg", "--embed-asm"): 2,
        ("-f", "html", "--embed-asm=0"): 2,
        ("-f", "html", "--embed-asm=many"): 2,
        ("-f", "html", "--embed-asm", "--hide", "x"): 2,
        ("-f", "html", "--embed-asm", "--callers", "hot"): 2,
    }.items():
        done = run([SINGE, "report", "singe.rec", *arguments])
        assert done.returncode == status, (arguments, done.returncode)
        assert bool(done.stdout) == (status == 0), arguments


if __name__ == "__main__":
    run_tests()
