#!/usr/bin/env python3
"""Debug files from debuginfod(8) servers: asked for with --debuginfod and never without; one that fails
is asked once, and the report is whole. Runs beside others."""

import http.server
import socket
import threading
import urllib.error
import urllib.request

from e2e import *


def build_id(path):
    return re.search("Build ID: ([0-9a-f]+)", run(["readelf", "-n", path]).stdout)[1]


def stripped(name="app", *flags):
    """A program without debug information, which is in served/NAME.debug."""
    need("objcopy")
    app = compile_c("inlines.c", name, "-O2", "-Wl,--build-id", *flags)
    os.makedirs("served", exist_ok=True)
    for command in (["objcopy", "--only-keep-debug", app, f"served/{name}.debug"], ["strip", app]):
        assert run(command).returncode == 0
    return app


@contextlib.contextmanager
def asking(port):
    """DEBUGINFOD_URLS names a server on this machine; the client's cache is here."""
    before = dict(os.environ)
    os.environ.update(DEBUGINFOD_URLS=f"http://127.0.0.1:{port}", no_proxy="127.0.0.1",
                      DEBUGINFOD_CACHE_PATH=os.path.abspath("cache"))
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def answers(url):
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=5) as answer:
            return answer.status == 200
    except (OSError, urllib.error.HTTPError):
        return False


@contextlib.contextmanager
def debuginfod(directory, wanted):
    """Ready once it has the debug file of build-id `wanted`."""
    need("debuginfod")
    port = free_port()
    command = ["debuginfod", "-F", "-d", os.path.abspath("index.sqlite"), "-p", str(port), directory]
    with open("debuginfod.log", "w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        wait_until("debuginfod has the file",
                   lambda: server.poll() is not None or answers(f"http://127.0.0.1:{port}/buildid/{wanted}/debuginfo"))
        assert server.poll() is None, open("debuginfod.log").read()
        yield port
    finally:
        server.kill()  # its index is nobody's
        server.wait()


@contextlib.contextmanager
def listening(serve):
    """serve(connection) for each that is made; yields the port and the list of connections."""
    connections = []
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()

        def accept():
            with contextlib.suppress(OSError):
                while True:
                    connections.append(s.accept()[0])
                    serve(connections[-1])

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield s.getsockname()[1], connections
        s.shutdown(socket.SHUT_RDWR)
        thread.join()
    for connection in connections:
        connection.close()


def record_here(*apps):
    """Recorded where no debug file is at hand; what a report shows without any."""
    command = ["sh", "-c", "; ".join(map(shlex.quote, apps))] if len(apps) > 1 else apps
    record(command=command)
    plain = report("--lines")
    assert not {"hot", "local"} & plain.names() and not any("inlines.c" in n for n in plain.names()), plain.names()
    return plain


def expect_debug_names(folded):
    for name in ("innermost", "middle", "hot"):
        assert any(re.match(rf"{name} \(inlines\.c:\d+\)", n) for n in folded.names()), folded.names()


def test_names_from_a_server():
    """Functions, inlined calls and lines; only with the option, whatever the environment says."""
    app = stripped()
    wanted = build_id(app)
    with debuginfod("served", wanted) as port, asking(port):
        plain = record_here(app)
        found = report("--lines", "--debuginfod")
        expect_debug_names(found)
        assert found.total() == plain.total()
        assert "debuginfod" not in found.messages, found.messages
        assert run([SINGE, "resolve", "--debuginfod"]).returncode == 0
    shutil.rmtree("cache")
    shutil.rmtree("served")
    assert report("--lines").stacks == found.stacks


def test_program_from_a_server():
    """Neither the program nor its debug file is here: the server knows the build."""
    app = stripped()
    record("--no-resolve", command=[app])
    os.rename(app, "served/program")
    with debuginfod("served", build_id("served/program")) as port, asking(port):
        assert "hot" not in report().names()
        expect_debug_names(report("--lines", "--debuginfod"))


shared = {}  # what several tests look at: two programs, recorded once


@contextlib.contextmanager
def two_programs():
    """In the directory of their recording; gives what a report shows without any debug file."""
    here = os.getcwd()
    os.chdir(shared["place"])
    try:
        if "plain" not in shared:
            # Of one source and one compiler; what a server is asked for is the build-id.
            other = stripped("other", "-Wl,--build-id=0x" + "5eed" * 10)
            shared["plain"] = record_here(stripped(), other)
        shutil.rmtree("cache", ignore_errors=True)
        yield shared["plain"]
    finally:
        os.chdir(here)


def expect_one_failure(plain):
    failed = report("--lines", "--debuginfod")
    assert failed.stacks == plain.stacks
    assert failed.messages.count("no debug files from debuginfod") == 1, failed.messages
    assert failed.messages.count("not asked again") == 1, failed.messages


def test_no_server():
    with two_programs() as plain, asking(free_port()):
        expect_one_failure(plain)


def test_silent_server():
    """It takes the question and says nothing; we do not wait for it again."""
    with listening(lambda connection: None) as (port, connections), two_programs() as plain, asking(port):
        assert report("--lines").stacks == plain.stacks
        assert not connections
        expect_one_failure(plain)
        assert len(connections) == 1


def test_server_hangs_up():
    """To the library that is an answer, so nothing is said; the report is whole."""
    with listening(lambda connection: connection.close()) as (port, connections), two_programs() as plain, asking(port):
        assert report("--lines", "--debuginfod").stacks == plain.stacks
        assert connections


def test_server_has_nothing():
    """That is an answer: the next file is asked for."""

    def refuse(connection):
        connection.recv(4096)
        connection.sendall(b"HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        connection.close()

    with listening(refuse) as (port, connections), two_programs() as plain, asking(port):
        found = report("--lines", "--debuginfod")
        assert found.stacks == plain.stacks
        assert "not asked again" not in found.messages, found.messages
        assert len(connections) >= 2, connections


def test_server_gives_another_build():
    """Refused with the reason."""

    class Wrong(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments):
            pass

    with two_programs() as plain, http.server.HTTPServer(("127.0.0.1", 0), Wrong) as server:
        assert run(["gcc", "-g", "-O3", "-Wl,--build-id", os.path.join(WORKLOADS, "inlines.c"), "-o", "third"]).returncode == 0
        body = open("third", "rb").read()
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with asking(server.server_port):
            found = report("--lines", "--debuginfod")
        server.shutdown()
    assert found.stacks == plain.stacks
    for name in ("app", "other"):
        assert re.search(rf"what debuginfod gave is not used for .*/{name}: its build-id is", found.messages), found.messages


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="singe-debuginfod-") as shared["place"]:
        run_tests()
