# SPDX-License-Identifier: Apache-2.0
"""server_attacks.py PVA REPORT: requests that the page does not make: foreign hosts, malformed and large requests, slow
readers, reports that change, vanish or are damaged.  It answers each with a clear error or closes the connection, goes on, and
writes nothing but the cache.  SEED of the environment is the first of the fuzzer's."""
import faulthandler
import json
import os
import random
import shutil
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.parse

from client import case, Failed, Server


def raw(server, data, read=True):
    """Bytes to a new connection; its first line."""
    host = urllib.parse.urlparse(server.url)
    with socket.create_connection((host.hostname, host.port), 60) as connection:
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(65536).split(b"\r\n")[0] if read else b""
        except OSError:  # the server may have closed the connection already, which system calls report in various ways
            return b""


def status(server, path="/api/reports", method="GET", body=b"", **headers):
    host = urllib.parse.urlparse(server.url).netloc
    lines = {"Host": host, "Connection": "close", **{name.replace("_", "-"): value for name, value in headers.items()}}
    if body:
        lines["Content-Length"] = str(len(body))
    head = f"{method} {path} HTTP/1.1\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items() if v is not None) + "\r\n"
    line = raw(server, head.encode("latin-1") + body)
    return int(line.split()[1]) if line else None


def alive(server):
    assert server.get("reports")[0]["hasExecution"], "the server does not answer any more"


@case
def check_hosts(server):
    port = urllib.parse.urlparse(server.url).port
    for host in (f"127.0.0.1:{port}", f"localhost:{port}", f"LOCALHOST:{port}", f"[::1]:{port}"):
        assert status(server, Host=host) == 200, host
    for host in ("", "127.0.0.1", f"127.0.0.1:{port + 1}", f"evil.example:{port}", f"localhost.evil.example:{port}", f"10.0.0.1:{port}",
                 f"127.0.0.1:{port}@evil.example", f"[::1:{port}", "a" * 300 + f":{port}"):
        assert status(server, Host=host) in (400, 403), host
    assert status(server, Host=None) in (400, 403)
    assert status(server, Origin=f"http://127.0.0.1:{port}") == 200
    for origin in ("null", "http://evil.example", f"https://127.0.0.1:{port}", f"http://127.0.0.1:{port + 1}", "file://", ""):
        assert status(server, Origin=origin) == 403, origin
        assert status(server, "/", Origin=origin) == 403, origin


@case
def check_paths(server):
    for path in ("/../../etc/passwd", "/..%2f..%2fetc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "//etc/passwd", "/profile.pop", "/index.html/../profile.pop",
                 "/api/../reports", "/api/trace/../reports", "/api/", "/api/reports/", "/API/reports"):
        assert status(server, path) in (400, 404), path
    assert status(server, "/") == 200 and status(server, "/", "HEAD") == 200
    assert status(server, "/", "POST", b"x") == 405 and status(server, "/api/reports", "DELETE") == 405
    assert status(server, "/api/open", "GET") == 405


@case
def check_sizes(server):
    assert status(server, "/api/open", "POST", b"[" * 100000) == 400
    assert status(server, "/api/open", "POST", b"x" * (2 << 20)) in (413, None)
    assert status(server, "/api/reports?" + "&".join(f"a{i}=1" for i in range(65))) in (200, 400)
    assert status(server, "/api/reports?" + "a" * 100000) in (400, 414, 431, None)
    assert status(server, "/api/reports", X_Long="a" * 100000) in (400, 413, 431, None)
    for body in (b"", b"{}", b"[]", b'{"directories": []}', b'{"directories": ["a", "b", "c"]}', b'{"directories": [1]}', b'{"directories": "x"}',
                 b"\xff\xfe", b'{"directories": ["\\u0000"]}'):
        assert status(server, "/api/open", "POST", body) in (400, 404), body
    try:
        server.post("open", {"directories": ["/no such directory"]})
    except Failed as error:
        assert error.code == 404 and "no graph profile found" in error.text, error
    else:
        raise AssertionError("a missing report was opened")


@case
def check_fuzz(server, seed):
    """Requests with bytes changed, and calls with meaningless parameters: any status but 500, and the server keeps running."""
    source = random.Random(seed)
    host = urllib.parse.urlparse(server.url).netloc
    whole = f"GET /api/trace/window?lane=0&pixels=10&from=0 HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode()
    for _ in range(150):
        data = bytearray(whole)
        for _ in range(source.randrange(1, 8)):
            at = source.randrange(len(data))
            data[at:at + source.randrange(2)] = bytes([source.randrange(256)])
        line = raw(server, bytes(data))
        assert b" 500 " not in line, (data, line)
    with open(os.path.join(os.path.dirname(__file__), "../../analyser/server/endpoints.def"), encoding="utf-8") as file:
        calls = [line.split('"')[1] for line in file if line.startswith("ENDPOINT(")]
    names = ("report", "lane", "from", "to", "pixels", "q", "hide", "group", "flame", "index", "step", "skip", "tile", "tiles", "height", "rows", "steps",
             "name", "key", "series", "kind", "order", "ipu", "id", "sort", "by", "search", "filter", "sql", "path", "program", "source", "figure")
    values = ("", "0", "1", "-1", "7", "99999999999999999999", "9007199254740992", "1e308", "nan", "inf", "abc", "%00", "<script>", "\u00e9", "0x10", "1,2", "'",
              "a/b", "all", "total", "cycles", "Sans")
    for _ in range(300):
        path = source.choice(calls)
        parameters = {source.choice(names): source.choice(values) for _ in range(source.randrange(5))}
        try:
            server.get(path, **parameters)
        except Failed as error:
            assert error.code < 500, f"{path} {parameters}: {error}"
            assert error.text and error.status, f"{path} {parameters}: an error without text"
    alive(server)


@case
def check_slow(server):
    """Connections that send or read nothing block no others, and two pages at once get the same."""
    host = urllib.parse.urlparse(server.url)
    idle = [socket.create_connection((host.hostname, host.port)) for _ in range(20)]
    idle[0].sendall(b"GET /api/rep")
    for connection in idle[1:10]:
        connection.sendall(f"GET /api/trace/window?pixels=8192&flame=1 HTTP/1.1\r\nHost: {host.netloc}\r\n\r\n".encode())
    answers = [None] * 4

    def ask(i):
        answers[i] = [server.get("trace/window", pixels=100 + k) for k in range(20)]

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(answers))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers[0] is not None and all(answer == answers[0] for answer in answers)
    for connection in idle:
        connection.close()
    alive(server)


@case
def check_sites(server):
    """A browser's requests for another site's page carry no Origin when they are made for images, scripts or links."""
    for site, code in (("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403), ("", 403)):
        assert status(server, Sec_Fetch_Site=site) == code, site
        assert status(server, "/page.js", Sec_Fetch_Site=site) == code, site
        assert status(server, "/", Sec_Fetch_Site=site) == 200, site


# Queries whose time is in a function, a row or a sort.
LONG = ("SELECT array_text(x'80', 4194304) FROM options a, options b, options c", "SELECT sum(length(randomblob(200000000))) FROM programs a, programs b",
        "SELECT hex(zeroblob(100000000)) FROM programs", "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r",
        "SELECT instr(hex(zeroblob(30000000)), hex(zeroblob(15000000)) || '1') FROM programs")


def ask_raw(server, sql):
    """A query on a connection of its own, whose answer is not read."""
    host = urllib.parse.urlparse(server.url)
    connection = socket.create_connection((host.hostname, host.port), 60)
    connection.sendall(f"GET /api/sql/query?q={urllib.parse.quote(sql)} HTTP/1.1\r\nHost: {host.netloc}\r\n\r\n".encode())
    return connection


def children(server):
    """Processes whose parent is one of the server's threads; a thread may end while its list is read."""
    own = set()
    for task in os.listdir(f"/proc/{server.process.pid}/task"):
        try:
            with open(f"/proc/{server.process.pid}/task/{task}/children", encoding="utf-8") as file:
                own.update(file.read().split())
        except (FileNotFoundError, ProcessLookupError):
            continue
    return own


@case
def check_long_queries(command, directory):
    """A query in progress holds up no other call; it ends with its request, with the server, and after its time."""
    with Server(command, directory, "--query-seconds", "1000") as server:
        server.get("trace/lanes")
        for sql in LONG:
            connection = ask_raw(server, sql)
            time.sleep(0.5)
            assert children(server), f"no process for {sql}"
            began = time.monotonic()
            server.get("trace/lanes")
            server.get("trace/window", pixels=4)
            assert time.monotonic() - began < 5, f"held up by {sql}"
            connection.close()
            began = time.monotonic()
            while children(server):
                assert time.monotonic() - began < 10, f"goes on after its request ended: {sql}"
                time.sleep(0.05)
        with open(f"/proc/{server.process.pid}/status", encoding="utf-8") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        assert resident < 600000, f"{resident} KiB of memory are in use"
        left = [ask_raw(server, sql) for sql in LONG[:2]]
        time.sleep(0.5)
        running = children(server)
        began = time.monotonic()
    assert time.monotonic() - began < 10, "the server waits for its queries"
    assert running and not any(os.path.exists(f"/proc/{process}") for process in running), "queries outlive the server"
    for connection in left:
        connection.close()
    with Server(command, directory, "--query-seconds", "1") as server:
        try:
            server.get("sql/query", q=LONG[0])
        except Failed as error:
            assert error.code == 409 and "after 1 seconds" in error.text, error
        else:
            raise AssertionError("a query without end was answered")
    with Server(command, directory) as server:  # a loaded machine may take more than a second to begin a query
        assert server.get("sql/query", q="-- a comment first\nSELECT 1 AS one")["c0"] == [1]
        server.refused("sql/query", "no such column: nonsense", q="SELECT nonsense FROM programs")
        for function in ("fts3_tokenizer('simple')", "load_extension('x')"):
            server.refused("sql/query", "not authorized", q=f"SELECT {function}")
        cell = server.get("sql/query", q="SELECT hex(zeroblob(5000)) AS x")["c0"][0]
        assert len(cell) == 2003 and cell.endswith("..."), len(cell)


@case
def check_half_heads(server):
    """Connections that never send a whole head hold up nobody, and are closed after some seconds."""
    host = urllib.parse.urlparse(server.url)
    half = [socket.create_connection((host.hostname, host.port), 60) for _ in range(100)]
    for connection in half:
        connection.sendall(b"GET /api/reports HTTP/1.1\r\nHost: ")
    began = time.monotonic()
    alive(server)
    assert time.monotonic() - began < 10, "held up by half heads"
    for connection in half:
        connection.settimeout(30)
        try:
            assert connection.recv(1000)[:12] in (b"", b"HTTP/1.1 408"), "a half head was answered"
        except ConnectionResetError:
            pass
        connection.close()


class Events:
    def __init__(self, server):
        host = urllib.parse.urlparse(server.url)
        self.connection = socket.create_connection((host.hostname, host.port), 120)
        self.connection.sendall(f"GET /api/events HTTP/1.1\r\nHost: {host.netloc}\r\n\r\n".encode())
        self.file = self.connection.makefile("rb")
        for line in self.file:
            if line.startswith(b"retry:"):
                return
        raise AssertionError("there are no events")

    def next(self, name):
        """The data of the next event of a name."""
        found = False
        for line in self.file:
            line = line.strip()
            if line.startswith(b"event: "):
                found = line == b"event: " + name.encode()
            elif found and line.startswith(b"data: "):
                return json.loads(line[6:])
        raise AssertionError("the events ended")

    def close(self):
        self.file.close()
        self.connection.close()


@case
def check_changes(command, directory, work):
    """A report that grows, is damaged and is deleted while it is open."""
    copy = os.path.join(work, "changing")
    shutil.copytree(directory, copy, ignore=shutil.ignore_patterns("blocks", "*cache*"))
    profile = os.path.join(copy, "profile.pop")
    with Server(command, copy) as server:
        server.get("trace/lanes")
        first, second = Events(server), Events(server)
        with open(os.path.join(copy, "app.json"), "w", encoding="utf-8") as file:
            file.write('{"a": 1}')
        for events in (first, second):
            assert "app.json" in events.next("changed")["files"]
        second.close()
        database = sqlite3.connect(profile)
        database.execute("UPDATE format SET writer = 'other'")
        database.commit()
        database.close()
        assert "profile.pop" in first.next("changed")["files"]
        alive(server)
        server.post("open", {"directories": [copy]})
        with open(profile, "r+b") as file:
            file.seek(4096)
            file.write(os.urandom(os.path.getsize(profile) - 4096))
        assert "profile.pop" in first.next("changed")["files"]
        for path in ("reports", "trace/step", "memory", "trace/bsp"):
            try:
                server.get(path)
            except Failed as error:
                assert error.text, path
        try:
            server.post("open", {"directories": [copy]})
        except Failed as error:
            assert error.text, "no text"
        shutil.rmtree(copy)
        first.next("changed")
        try:
            server.post("open", {"directories": [copy]})
            raise AssertionError("a deleted report was opened")
        except Failed as error:
            assert error.code == 404, error
        server.post("open", {"directories": [directory]})
        alive(server)
        first.close()


@case
def check_live(command, program, work):
    """A server of a running program shows each run when it ends, and the complete report after the last."""
    directory = os.path.join(work, "live")
    os.mkdir(directory)
    with Server(command, directory, "--live") as server:
        events = Events(server)
        with subprocess.Popen([program, directory, "1000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout.readline() == "loaded\n"
            for run in range(1, 5):
                process.stdin.write("go\n")
                process.stdin.flush()
                assert process.stdout.readline() == "ran\n"
                while events.next("run")["runs"] < run:
                    pass
                lanes = server.get("trace/lanes")
                assert [r["name"] for r in lanes["runs"]] == [f"run {i}" for i in range(run)], lanes["runs"]
                assert server.get("reports")[0]["partial"], "a report that is not whole is shown as whole"
                assert sum(server.get("trace/window", pixels=8192)["count"]) > 0
            process.stdin.close()
            while not events.next("run")["ended"]:
                pass
        assert server.get("reports")[0]["partial"] is None and len(server.get("trace/lanes")["runs"]) == 4
        events.close()


@case
def check_command(command, work):
    empty = os.path.join(work, "empty")
    os.mkdir(empty)
    for arguments, word in ((["--port", "x"], "--port"), (["--port", "65536"], "--port"), (["--address", "example.com"], "--address"),
                            ([empty], "no graph profile found"), ([os.path.join(work, "nothing")], "no graph profile"), (["--live"], "--live"),
                            (["a", "b", "c"], "too many")):
        done = subprocess.run([command, "serve", *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and word in done.stderr, (arguments, done)


def main():
    command, directory, program = sys.argv[1], sys.argv[2], os.environ["RUNS"]
    faulthandler.dump_traceback_later(200, exit=True)  # prints where it waits
    work = os.path.dirname(directory)
    before = sorted(os.listdir(directory))
    check_command(command, work)
    with Server(command, directory) as server:
        check_hosts(server)
        check_paths(server)
        check_sizes(server)
        first = int(os.environ.get("SEED", "0"))
        for seed in range(first, first + 2):
            check_fuzz(server, seed)
        check_slow(server)
        check_sites(server)
        check_half_heads(server)
        port = urllib.parse.urlparse(server.url).port
        taken = subprocess.run([command, "serve", directory, "--port", str(port)], capture_output=True, text=True, timeout=60)
        assert taken.returncode == 2 and "not free" in taken.stderr, taken
    assert sorted(set(os.listdir(directory)) - set(before)) in ([], ["profile.pop_cache"]), "the server wrote something"
    with Server(command) as server:
        assert server.get("reports") == []
        server.refused("trace/lanes", "no report is open")
        assert any(d["name"] == "report" for d in server.get("browse", path=work)["directories"])
        server.refused("browse", "No such", path=os.path.join(work, "nothing"))
        assert len(server.post("open", {"directories": [directory, directory]})) == 2
        assert server.get("trace/lanes", report=1) == server.get("trace/lanes", report=1)
        server.refused("trace/lanes", "report", report=2)
    check_long_queries(command, directory)
    check_changes(command, directory, work)
    check_live(command, program, work)


main()
