#!/usr/bin/env python3
"""What ordinary users may do works, what is short is said once with its number, and many threads
are no obstacle."""

import signal

from e2e import *

# Another user, without any capability.
NOBODY = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
NOBODY += ["--inh-caps=-all", "--bounding-set=-all"]


def as_nobody(script, *arguments):
    """Runs a shell script as nobody, in this directory."""
    prefix = []
    if not os.geteuid():
        need("setpriv")
        os.chmod(".", 0o777)
        if subprocess.run(NOBODY + ["test", "-x", SINGE]).returncode:
            skip("the build tree is not open to other users")
        prefix = NOBODY
    return run(
        prefix + ["bash", "-c", script, "-", *map(str, arguments)],
        env=environment("/dev/null"),
        timeout=120,
    )


def samples_of(done):
    """Its samples, as the summary has them."""
    found = re.search(r"^singe: (\d+) samples", done.stderr, re.M)
    assert found, done.stderr
    return int(found[1])


def test_own_process():
    busy = compile_c("threads.c", "threads")
    done = as_nobody('exec "$1" record -o own.rec -- "$2" pool 4 0.2', SINGE, busy)
    if "seccomp" in done.stderr:
        skip("perf_event_open is refused")
    assert done.returncode == 0
    assert samples_of(done) > 100
    assert sum("perf_event_paranoid" in line for line in done.stderr.splitlines()) <= 1


def test_own_process_attached():
    busy = compile_c("threads.c", "threads")
    done = as_nobody(
        '"$2" pool 4 0.5 >/dev/null & "$1" record -d 0.5 -o own.rec -p $!; s=$?; wait; exit $s',
        SINGE,
        busy,
    )
    assert done.returncode == 0
    assert samples_of(done) > 50


def test_others_process():
    need_root()
    done = as_nobody('exec "$1" record -d 1 -p 1', SINGE)
    assert done.returncode == 1
    assert "perf_event_paranoid" in done.stderr
    assert not os.path.exists("singe.rec")
    done = as_nobody('exec "$1" record -d 1 -a', SINGE)
    assert done.returncode == 1
    assert "perf_event_paranoid" in done.stderr and "CAP_PERFMON" in done.stderr


def test_no_locked_memory():
    need_root()
    busy = compile_c("threads.c", "threads")
    script = 'ulimit -l 0; exec "$1" record -m 16M -o own.rec -- "$2" pool 2 0.2'
    done = as_nobody(script, SINGE, busy)
    assert done.returncode == 0
    assert samples_of(done) > 50
    said = [line for line in done.stderr.splitlines() if "perf_event_mlock_kb" in line]
    assert len(said) == 1 and "ulimit -l" in said[0], done.stderr


def test_few_descriptors():
    need_root()
    pool = compile_c("threads.c", "threads")
    script = 'ulimit -n 32; "$2" pool 200 30 >ready & until [ -s ready ]; do sleep 0.1; done; '
    script += '"$1" record -o few.rec -d 1 -p $!; s=$?; kill $!; exit $s'
    done = as_nobody(script, SINGE, pool)
    assert done.returncode == 1
    assert "RLIMIT_NOFILE is 32" in done.stderr and "201 threads" in done.stderr, done.stderr
    need = 201 * 2 * len(os.sched_getaffinity(0))
    asked = int(re.search(r"ulimit -n (\d+)", done.stderr)[1])
    assert asked >= need


def test_five_hundred_threads():
    """Each of them has its events on every CPU, whatever of them gets to run."""
    pool = compile_c("threads.c", "threads")
    cpus = len(os.sched_getaffinity(0))
    for attach, least in ("threads", 501 * cpus), ("system", cpus):
        if attach == "system":
            need_root()
        with started([pool, "pool", "500", "30"]) as target:
            line = [SINGE, "record", "-q", "-e", "cpu-clock", "-F", "4999", "-p", str(target.pid)]
            recorder = subprocess.Popen(line + ["--attach", attach, "-o", f"{attach}.rec"])
            wait_until("a recording", lambda: os.path.exists(f"{attach}.rec"), 60)
            fds = f"/proc/{recorder.pid}/fd"
            events = sum("perf_event" in os.readlink(f"{fds}/{n}") for n in os.listdir(fds))
            time.sleep(2)
            recorder.terminate()
            assert recorder.wait(timeout=60) == 0
        assert least <= events <= 4 * least + 4 * cpus, f"{attach}: {events} events"
        tids = {g.rpartition("/")[2] for g in report("--by", "tid", file=f"{attach}.rec").groups()}
        assert len(tids) > 50, f"{attach}: {len(tids)} threads sampled"


def test_rate_beyond_the_limit():
    with open("/proc/sys/kernel/perf_event_max_sample_rate") as f:
        limit = int(f.read())
    done = record("-d", "0.2", command=["sh", "-c", "while :; do :; done"], rate=limit * 2)
    assert done.stderr.count("perf_event_max_sample_rate") >= 1
    done = record("-d", "0.2", command=["sh", "-c", "while :; do :; done"], rate="max")
    assert "perf_event_max_sample_rate" not in done.stderr


def test_idle_and_ourselves():
    need_root()
    line = [SINGE, "record", "-q", "-e", "cpu-clock", "-a", "-d", "0.5"]
    recorder = subprocess.Popen(line)
    assert recorder.wait() == 0
    groups = report("--by", "pid").groups()
    assert not any(g.startswith("swapper") or g.endswith(f"-{recorder.pid}") for g in groups), groups

    def idle():
        with open("/proc/stat") as f:
            return int(f.readline().split()[4])

    before = idle()
    record("-a", "--idle", "-d", "0.5")
    if idle() - before > 10:  # hundredths of a second: there was something to sample
        assert any(c.startswith("swapper") for c in report().groups())


def test_user():
    need_root()
    busy = compile_c("threads.c", "threads")
    os.chmod(".", 0o755)
    other = subprocess.Popen([busy, "pool", "1", "20"], stdout=subprocess.DEVNULL)
    recorder = subprocess.Popen(
        [SINGE, "record", "-q", "-e", "cpu-clock", "-F", str(RATE), "-u", "65534", "-o", "singe.rec"]
    )
    time.sleep(0.5)
    # Nobody's only from its setpriv on: it is an exec that makes it so.
    late = subprocess.Popen(
        ["sh", "-c", "sleep 0.5; exec " + shlex.join(NOBODY + [busy, "pool", "1", "0.3"])],
        stdout=subprocess.DEVNULL,
    )
    late.wait()
    other.kill()
    other.wait()
    recorder.send_signal(signal.SIGINT)
    assert recorder.wait(timeout=60) == 0
    folded = report("--by", "pid")
    assert folded.count("in_pool") > 50
    pids = {int(g.rpartition("-")[2]) for g in folded.groups()}
    assert pids == {late.pid}, (pids, late.pid)


def test_by_name():
    app = compile_c("threads.c", "the-named-one")
    recorder = subprocess.Popen(
        [SINGE, "record", "-q", "-e", "cpu-clock", "--name", "the-named-one", "--wait"]
    )
    time.sleep(0.3)
    assert recorder.poll() is None
    target = subprocess.Popen([app, "pool", "1", "1"], stdout=subprocess.DEVNULL)
    target.wait()
    assert recorder.wait(timeout=60) == 0
    assert report().count("in_pool") > 50
    done = run([SINGE, "record", "--name", "the-named-one", "-d", "1"])
    assert done.returncode == 1 and "the-named-one" in done.stderr


if __name__ == "__main__":
    run_tests()
