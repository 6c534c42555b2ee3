#!/usr/bin/env python3
"""However a recording ends, its file is good, and the command's exit status is passed on."""

import pty
import signal

from e2e import *

BUSY = ["sh", "-c", "while :; do :; done"]


def samples_in(file="singe.rec"):
    """Samples of a recording that has its end."""
    done = run([SINGE, "report", "-f", "folded", file], timeout=60)
    assert done.returncode == 0, f"report ended with {done.returncode}"
    assert "cut off" not in done.stderr, done.stderr
    return Folded(done.stdout).total()


def start_record(*arguments, command=None, **kwargs):
    line = [SINGE, "record", "-e", "cpu-clock", "-F", "999", "-o", "singe.rec", *map(str, arguments)]
    if command:
        line += ["--", *command]
    return subprocess.Popen(line, stderr=subprocess.PIPE, text=True, **kwargs)


@contextlib.contextmanager
def busy():
    process = subprocess.Popen(BUSY)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def recording_grows(size=1):
    wait_until("a recording", lambda: os.path.exists("singe.rec"))
    wait_until("samples in it", lambda: os.path.getsize("singe.rec") > size)


def expect_good(file="singe.rec"):
    assert samples_in(file) > 0


def test_exit_status():
    for script, want in [
        ("exit 0", 0),
        ("exit 7", 7),
        ("kill -SEGV $$", 128 + signal.SIGSEGV),
        ("kill -KILL $$", 128 + signal.SIGKILL),
    ]:
        process = start_record(command=["sh", "-c", script])
        error = process.communicate(timeout=60)[1]
        assert process.returncode == want, f"{script}: {process.returncode}\n{error}"
        samples_in()


def test_command_not_run():
    with open("singe.rec", "w") as old:
        old.write("the older one")
    for command, want in [("./not-there", 127), (".", 126)]:
        process = start_record(command=[command])
        error = process.communicate(timeout=60)[1]
        assert process.returncode == want, f"{command}: {process.returncode}\n{error}"
        assert command in error
        with open("singe.rec") as old:
            assert old.read() == "the older one"


def test_signals():
    for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP:
        with contextlib.suppress(FileNotFoundError):
            os.remove("singe.rec")
        with busy() as target:
            process = start_record("-p", target.pid)
            recording_grows()
            time.sleep(0.5)
            process.send_signal(number)
            error = process.communicate(timeout=60)[1]
            assert process.returncode == 0, f"{number}: {process.returncode}\n{error}"
        expect_good()


def test_signal_ends_command():
    process = start_record(command=BUSY)
    recording_grows()
    time.sleep(0.5)
    process.send_signal(signal.SIGTERM)
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 128 + signal.SIGTERM, f"{process.returncode}\n{error}"
    expect_good()


def test_keyboard():
    """Ctrl-C goes to the command too: what it does then is still recorded."""
    script = "trap 'while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 9' INT; i=0; while :; do :; done"
    try:
        pid, terminal = pty.fork()
    except OSError as error:
        skip(f"no terminal to type on: {error}")
    if not pid:
        os.execv(SINGE, [SINGE, "record", "-e", "cpu-clock", "-F", "999", "--", "sh", "-c", script])
    recording_grows()
    time.sleep(0.5)
    os.write(terminal, b"\x03")
    with contextlib.suppress(OSError):
        while os.read(terminal, 4096):
            pass
    status = os.waitpid(pid, 0)[1]
    assert os.waitstatus_to_exitcode(status) == 9, status
    expect_good()


def test_target_ends():
    with busy() as target:
        process = start_record("-p", target.pid)
        recording_grows()
        time.sleep(0.3)
        target.kill()
        error = process.communicate(timeout=60)[1]
        assert process.returncode == 0, error
    expect_good()


def test_killed():
    with busy() as target:
        process = start_record("-p", target.pid)
        recording_grows(1500)
        process.kill()
        process.communicate()
    done = run([SINGE, "report", "-f", "folded", "singe.rec"])
    assert done.returncode == 0
    assert Folded(done.stdout).total() > 100


def test_count():
    with busy() as target:
        process = start_record("-p", target.pid, "--count", 100)
        error = process.communicate(timeout=60)[1]
        assert process.returncode == 0, error
    assert samples_in() == 100


def test_nothing_sampled():
    process = start_record("-d", "0.3", command=["sleep", "60"])
    error = process.communicate(timeout=60)[1]
    assert process.returncode == 0, error
    process = start_record("-p", os.getpid(), "-d", "0.1", "-e", "page-faults:k")
    error = process.communicate(timeout=60)[1]
    if process.returncode:
        skip(error)
    if not samples_in():
        assert "0 samples" in error, error


def full(prefix, out):
    """A recording into too little room: says so, exit 1, keeps what was written. The room holds a few
    blocks; the first is closed at 64 KiB."""
    line = prefix + [SINGE, "record", "-e", "cpu-clock", "-F", "20000", "-o", out, "--compress", "none"]
    with busy() as target:
        done = run(line + ["-p", str(target.pid), "-d", "30"], timeout=60)
    assert done.returncode == 1, f"record ended with {done.returncode}"
    assert "recording stopped" in done.stderr
    kept = report(file=out).total()
    assert kept > 1000
    said = int(re.search(r"singe: (\d+) samples of", done.stderr).group(1))
    assert said == kept, f"{said} samples, it said, of which {kept} are there"


def test_file_size_limit():
    full(["bash", "-c", 'ulimit -f 256; exec "$@"', "-"], "singe.rec")


def test_full_disk():
    need_root()
    os.mkdir("small")
    mount = run(["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", "small"])
    if mount.returncode:
        skip("cannot mount a tmpfs")
    try:
        full([], "small/singe.rec")
    finally:
        run(["umount", "small"])


def test_pipe():
    """Into a pipe, names come before the end, and a reader that is gone ends the recording."""
    with busy() as target:
        line = [SINGE, "record", "-q", "-e", "cpu-clock", "-o", "-", "-p", str(target.pid)]
        with open("piped.rec", "wb") as out:
            first = subprocess.Popen(line + ["-d", "0.5"], stdout=subprocess.PIPE)
            out.write(first.stdout.read())
        assert first.wait() == 0
        gone = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        gone.stdout.close()
        error = gone.communicate(timeout=60)[1]
        assert gone.returncode == 1 and "Broken pipe" in error, error
    expect_good("piped.rec")
    terminal = pty.openpty()[1]
    done = subprocess.run(line, stdout=terminal, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and "terminal" in done.stderr, done.stderr


def test_output_file():
    os.symlink("elsewhere", "singe.rec")
    old_umask = os.umask(0)
    done = record("-d", "0.2", command=["sleep", "0.1"])
    assert not os.path.exists("elsewhere")
    assert os.path.islink("singe.rec.old")
    assert os.stat("singe.rec").st_mode & 0o777 == 0o600, done
    first = os.stat("singe.rec").st_ino
    record("-d", "0.2", command=["sleep", "0.1"])
    assert os.stat("singe.rec.old").st_ino == first
    if not os.geteuid():
        os.environ.update(SUDO_UID="65534", SUDO_GID="65533")
        record("-d", "0.2", command=["sleep", "0.1"])
        owner = os.stat("singe.rec")
        assert (owner.st_uid, owner.st_gid) == (65534, 65533)
        del os.environ["SUDO_UID"], os.environ["SUDO_GID"]
    os.umask(old_umask)


if __name__ == "__main__":
    run_tests()
