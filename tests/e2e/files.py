#!/usr/bin/env python3
"""Files that are gone, replaced, or in another mount namespace: right names or none."""

from e2e import *


def forever(out, hot, warm, *flags):
    return compile_c("forever.c", out, f"-DNAME={hot}", f"-DOTHER={warm}", *flags)


def expect_right(folded, hot="hot", warm="warm"):
    expect_share(hot, folded.count(hot), folded.total(), 0.75)
    expect_share(warm, folded.count(warm), folded.total(), 0.25)


def test_deleted_before_attaching():
    app = forever("app", "hot", "warm")
    with started([app]) as target:
        os.unlink(app)
        record("-p", str(target.pid), "-d", "1")
    folded = report()
    expect_right(folded)
    assert not [n for n in folded.names() if "deleted" in n]


def test_deleted_while_recording():
    app = forever("app", "hot", "warm")
    script = 'exec 3<"$0"; "$0" & pid=$!; sleep .7; rm "$0"; sleep .5; kill $pid; wait; exit 0'
    record(command=["sh", "-c", script, app])
    folded = report("--comm", "app")
    expect_right(folded)


def replaced(app, new):
    """What an upgrade does: the same path, another file."""
    shutil.copy(new, app + ".new")
    os.rename(app + ".new", app)


def test_replaced_before_attaching():
    app = forever("app", "hot", "warm", "-Wl,--build-id")
    other = forever("other", "warm", "wrong", "-Wl,--build-id")
    with started([app]) as target:
        replaced(app, other)
        record("-p", str(target.pid), "-d", "1")
    folded = report()
    assert "wrong" not in folded.names()
    expect_right(folded)


def test_replaced_without_build_id():
    app = forever("app", "hot", "warm", "-Wl,--build-id=none")
    other = forever("other", "warm", "wrong", "-Wl,--build-id=none")
    with started([app]) as target:
        replaced(app, other)
        record("-p", str(target.pid), "-d", "1")
    folded = report()
    assert "wrong" not in folded.names()
    expect_right(folded)


def replaced_after_recording(build_id):
    app = forever("app", "hot", "warm", build_id)
    other = forever("other", "warm", "wrong", build_id)
    with started([app]) as target:
        record("-p", str(target.pid), "-d", "1", "--no-resolve")
    expect_right(report())
    replaced(app, other)
    folded = report()
    assert not folded.names() & {"hot", "warm", "wrong"}, folded.names()
    assert any(n == "[app]" or n.startswith("[app+0x") for n in folded.names()), folded.names()


def test_replaced_after_recording():
    replaced_after_recording("-Wl,--build-id")


def test_replaced_after_recording_without_build_id():
    replaced_after_recording("-Wl,--build-id=none")


def mount_script(app, place, name="app"):
    return f"mount -t tmpfs tmpfs {place} && cp {app} {place}/{name} && exec {place}/{name}"


def need_mount_namespaces():
    need_root()
    need("unshare")
    tried = subprocess.run(["unshare", "-m", "true"], stderr=subprocess.PIPE, text=True)
    if tried.returncode:
        skip(f"no mount namespaces here: {tried.stderr.strip()}")


def test_other_mount_namespace():
    need_mount_namespaces()
    app = forever("inside", "hot", "warm")
    os.mkdir("place")
    place = os.path.abspath("place")
    forever("place/app", "warm", "wrong")  # what the host has at the same path
    with started(["unshare", "-m", "sh", "-c", mount_script(app, place)]) as target:
        record("-p", str(target.pid), "-d", "1")
    # The namespace is gone by now.
    folded = report()
    assert "wrong" not in folded.names()
    expect_right(folded)


def test_other_mount_namespace_that_ends():
    need_mount_namespaces()
    image = compile_c("image.c", "inside", "-DNAME=in_image")
    os.mkdir("place")
    place = os.path.abspath("place")
    compile_c("image.c", "place/nsimage", "-DNAME=wrong")
    script = mount_script(image, place, "nsimage") + " 0.4"
    record("-a", command=["unshare", "-m", "sh", "-c", script])
    folded = report("--comm", "nsimage")
    assert "wrong" not in folded.names()
    expect_share("in_image", folded.count("in_image"), folded.total(), 0.97)


def test_replaced_library_unprivileged():
    """Without the right to open what is mapped, the path is all there is: it must not be believed."""
    need_root()
    need("setpriv")
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    nobody += ["--inh-caps=-all", "--bounding-set=-all"]
    os.chmod(".", 0o777)
    if run([*nobody, SINGE, "--version"]).returncode:
        skip("an ordinary user cannot run this build")
    flags = ["-shared", "-fPIC", "-nostdlib", "-Wl,--build-id"]
    library = compile_c("codepage.c", "late.so", "-DNAME=hot_late", *flags)
    other = compile_c("codepage.c", "other.so", "-DNAME=wrong", *flags)
    app = compile_c("lateload.c", "lateload", "-ldl")
    with started([*nobody, app, library, "0.01", "60"]) as target:
        with open(f"/proc/{target.pid}/maps") as maps:
            wait_until("late.so", lambda: maps.seek(0) or "late.so" in maps.read())
        replaced(library, other)
        line = [SINGE, "record", "-e", "cpu-clock:u", "-F", str(RATE), "-g", "-d", "1"]
        done = run([*nobody, *line, "-o", "user.rec", "-p", str(target.pid)])
        if done.returncode:
            skip("an ordinary user may not record here")
    folded = report(file="user.rec")
    assert "wrong" not in folded.names()
    nameless = folded.count(lambda f: any(n.startswith("[late.so") for n in f))
    expect_share("[late.so…]", nameless, folded.total(), 0.97)


if __name__ == "__main__":
    run_tests()
