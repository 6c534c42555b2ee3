#!/usr/bin/env python3
"""Processes that fork, execute and end: every function under its own image's name, in proportion."""

from e2e import *


def plain_fork(*options):
    app = compile_c("forks.c", "forks")
    record(*options, command=[app, "plain"])
    folded, truth = report(), Truth()
    assert folded.groups() == {"forks"}, folded.groups()
    expect_truth(folded, truth, "in_parent", "in_child")


def test_fork_without_exec():
    plain_fork()


def fork_work_exec(*options):
    app = compile_c("forks.c", "forks", "-no-pie")
    image = compile_c("image.c", "image", "-DNAME=in_image", "-no-pie")
    record(*options, command=[app, "exec", image, "0.3"])
    folded, truth = report(), Truth()
    expect_truth(folded, truth, "in_parent", "in_child", "in_image")
    assert folded.groups() == {"forks", "image"}, folded.groups()
    # Nothing of one image in the other, though both lie at the same addresses.
    after = folded.only(lambda frames: frames[0] == "image")
    assert not after.count("in_child") and not after.count("in_parent")
    before = folded.only(lambda frames: frames[0] == "forks")
    assert not before.count("in_image")


def test_fork_work_exec():
    fork_work_exec()


def test_by_system_events():
    need_root()
    plain_fork("--attach", "system")
    os.unlink("truth")
    fork_work_exec("--attach", "system")


def test_exec_in_mid_run():
    first = compile_c("image.c", "first", "-DNAME=in_first", "-no-pie")
    second = compile_c("image.c", "second", "-DNAME=in_second", "-no-pie")
    record(command=[first, "0.25", second, "0.35", first, "0.1"])
    folded, truth = report(), Truth()
    expect_truth(folded, truth, "in_first", "in_second")
    for frames, _ in folded.stacks:
        assert not ("in_first" in frames and frames[0] != "first"), frames
        assert not ("in_second" in frames and frames[0] != "second"), frames
    # One process all the while.
    assert len({re.search(r"-(\d+)", g).group(1) for g in report("--by", "pid").groups()}) == 1


def test_exec_in_mid_run_attached():
    first = compile_c("image.c", "first", "-DNAME=in_first")
    second = compile_c("image.c", "second", "-DNAME=in_second")
    with started([first, "0.8", second, "0.4"], ready=False) as target:
        record("-p", str(target.pid))
        target.wait()
    folded = report()
    assert folded.count("in_first") > 50 and folded.count("in_second") > 50
    named = folded.count(lambda f: "in_first" in f or "in_second" in f)
    expect_share("named", named, folded.total(), 1)
    for frames, _ in folded.stacks:
        assert not ("in_first" in frames and frames[0] != "first"), frames
        assert not ("in_second" in frames and frames[0] != "second"), frames


def test_short_processes():
    app = compile_c("forks.c", "forks")
    record(command=[app, "short", "30"])
    folded = report()
    # To fork and to end costs something, too.
    expect_share("in_child", folded.count("in_child"), folded.total(), 0.95)
    assert len(report("--by", "pid").groups()) >= 30


def test_short_images():
    app = compile_c("forks.c", "forks")
    image = compile_c("image.c", "image", "-DNAME=in_image")
    record(command=[app, "spawn", "30", image, "0.02"])
    folded = report().only(lambda frames: frames[0] == "image")
    # Loading an image costs about a millisecond.
    expect_share("in_image", folded.count("in_image"), folded.total(), 0.95)


def test_short_images_system_wide():
    need_root()
    app = compile_c("forks.c", "forks")
    image = compile_c("image.c", "shortimage", "-DNAME=in_image")
    record("-a", command=[app, "spawn", "30", image, "0.02"])
    folded = report("--comm", "shortimage")
    expect_share("in_image", folded.count("in_image"), folded.total(), 0.95)


def vanish(*flags):
    """Thirty programs that are gone, file and all, when they are looked for."""
    compile_c("vanish.c", "app", *flags)
    loop = "for i in $(seq 30); do cp app vanish$i; ./vanish$i; done"
    done = record(command=["sh", "-c", loop], rate=4000)
    folded = report().only(lambda frames: frames[0].startswith("vanish"))
    unnamed = {n for n in folded.names() if n.startswith("[vanish")}
    return done.stderr, unnamed, folded.count("vanish")


def test_gone_files():
    """What no one can name any more is said to be gone, and why."""
    said, unnamed, _ = vanish("-Wl,--build-id=none")
    assert all(n.endswith(" (gone)]") for n in unnamed), unnamed
    if not unnamed:
        skip("every file was opened in time")
    assert "it was gone, and the processes that ran it" in said, said
    advice = run([SINGE, "report", "singe.rec", "-f", "folded", "-v"]).stderr
    assert "the file was gone, and its processes, before it could be opened" in advice


def test_gone_files_of_one_build():
    """A build-id is one build, whatever the name of the file that was opened."""
    _, unnamed, named = vanish("-Wl,--build-id=sha1")
    if not named:
        skip("no file was opened in time")
    assert not unnamed, unnamed


def test_pid_reuse():
    need_root()
    app = compile_c("pidreuse.c", "pidreuse")
    os.mkdir("one")
    os.mkdir("two")
    # One name and one number: nothing but the order of events tells the two apart.
    first = compile_c("image.c", "one/image", "-DNAME=in_first", "-no-pie")
    second = compile_c("image.c", "two/image", "-DNAME=in_second", "-no-pie")
    line = [SINGE, "record", "-e", "cpu-clock", "-F", str(RATE), "-g", "-o", "singe.rec", "--"]
    done = run(line + [app, first, second], env=environment("truth"))
    if done.returncode == 77:
        skip("clone3 with set_tid is refused here")
    assert done.returncode == 0
    folded, truth = report(), Truth()
    expect_truth(folded, truth, "in_first", "in_second")
    assert not folded.count(lambda f: "in_first" in f and "in_second" in f)
    by_pid = report("--by", "pid", "--pid", done.stdout.strip())
    groups = {
        name: by_pid.only(lambda frames: name in frames).groups()
        for name in ("in_first", "in_second")
    }
    assert len(groups["in_first"]) == len(groups["in_second"]) == 1, groups
    assert groups["in_first"] != groups["in_second"], groups


if __name__ == "__main__":
    run_tests()
