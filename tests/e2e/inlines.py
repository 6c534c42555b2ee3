"""Builds of one program with inlined calls, what singe names its places, and what others do."""

import random

from e2e import *

NAMES_OF = os.path.join(os.environ.get("BUILD", os.path.join(TOP, "build")), "tests/support/names-of")
SOURCE = os.path.join(WORKLOADS, "inlines.c")
PLAIN = ["-g", "-gdwarf-5"]


def call(*command, **kwargs):
    done = run([str(c) for c in command], **kwargs)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.stderr}"
    return done.stdout


def build(*flags, cc="gcc", out="app", source=SOURCE):
    need(cc)
    shutil.copy(source, "inlines.c")
    line = [cc, "-O2", *flags, "inlines.c", "-o", out]
    done = run(line)
    if done.returncode:
        skip(f"{shlex.join(line)} does not work here")
    return out


def symbols(path):
    """{name: (address, size)} of functions."""
    table = {}
    for line in call("nm", "-S", path).splitlines():
        words = line.split()
        if len(words) == 4 and words[2] in "tTwW":
            table[words[3]] = int(words[0], 16), int(words[1], 16)
    return table


def names_of(path, addresses, *dirs, **kwargs):
    """([chain], messages); a chain is [(function, file:line)], innermost first."""
    text = "\n".join(map(hex, addresses))
    done = run([NAMES_OF, path, *dirs], input=text, timeout=60, **kwargs)
    assert done.returncode == 0, f"names-of ended with {done.returncode}"
    return chains(done.stdout, len(addresses)), done.stderr


def chains(text, n):
    found = []
    for block in text.split("\n\n")[:n]:
        lines = block.strip("\n").split("\n")
        found.append(
            [(lines[i], os.path.basename(lines[i + 1])) for i in range(0, len(lines) - 1, 2)]
        )
    assert len(found) == n, f"{len(found)} answers to {n} questions"
    return found


def code(path):
    """Every address of hot and local."""
    table = symbols(path)
    return [a for f in ("hot", "local") for a in range(table[f][0], sum(table[f]))]


def expect_inlines(found):
    depths = {len(chain) for chain in found}
    assert depths == {1, 2, 3}, f"depths {depths}"
    for chain in found:
        names = [name for name, _ in chain]
        assert names[-1] in ("hot", "local"), names
        assert names[:-1] == ["innermost", "middle"][-len(names[:-1]) :] or len(names) == 1, names
        assert all(line.startswith("inlines.c:") for _, line in chain), chain


def without_columns(found):
    """llvm-symbolizer writes FILE:LINE:COLUMN."""
    return [[(name, line.rsplit(":", 1)[0]) for name, line in chain] for chain in found]


def expect_as_llvm(path, addresses):
    if not shutil.which("llvm-symbolizer"):
        return
    line = ["llvm-symbolizer", "--no-demangle", f"--obj={path}"]
    theirs = call(*line, input="\n".join(map(hex, addresses)), env={**os.environ, "DEBUGINFOD_URLS": ""})
    ours, _ = names_of(path, addresses)
    for address, a, b in zip(addresses, ours, without_columns(chains(theirs, len(addresses)))):
        assert a == b, f"{hex(address)}: {a}, llvm-symbolizer {b}"


def expect_compiler(cc, *flags):
    app = build("-g", *flags, cc=cc)
    found, said = names_of(app, code(app))
    expect_inlines(found)
    assert not said, said
    expect_as_llvm(app, code(app))


def like_plain(*flags, cc="gcc", prepare=None):
    """The same chains as from a plain build of the same code; returns what was said."""
    plain = build(*PLAIN, cc=cc, out="plain")
    want, _ = names_of(plain, code(plain))
    expect_inlines(want)
    app = build(*PLAIN, *flags, cc=cc)
    if prepare:
        prepare(app)
    have, said = names_of(app, code(plain))
    assert have == want, f"{[pair for pair in zip(have, want) if pair[0] != pair[1]][:3]}"
    return said


def noise(path, out, sections, seed):
    """Bytes of sections replaced."""
    with open(path, "rb") as f:
        data = bytearray(f.read())
    chance = random.Random(seed)
    for line in call("readelf", "-SW", path).replace("[ ", "[").splitlines():
        words = line.split()
        if len(words) > 5 and words[1] in sections:
            offset, size = int(words[4], 16), int(words[5], 16)
            for _ in range(max(size // 20, 4)):
                data[offset + chance.randrange(size)] = chance.randrange(256)
    with open(out, "wb") as f:
        f.write(data)
    os.chmod(out, 0o755)
