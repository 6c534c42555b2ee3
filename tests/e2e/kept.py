"""Recordings with their stacks kept, and both unwinders over these."""

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
