# SPDX-License-Identifier: Apache-2.0
"""live_attacks.py PVA REPORT: a server of a report that is written meanwhile, with --live and without: the report grows, is
replaced, cut, overwritten in place, removed, becomes something else; its program is killed.  Each call is answered, with an
error that has a text where there is nothing to show, and the server keeps neither files nor memory."""
import faulthandler
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error

from client import case, Failed, Server

CALLS = ("reports", "trace/lanes", "trace/window", "trace/step", "trace/bsp", "memory", "memory/tiles", "memory/variables", "liveness/steps",
         "programs/list", "summary", "insights", "operations/table", "flame/tree", "sql/query")


def ask(server, wanted=None):
    """All calls; those that fail have a text."""
    answered = 0
    for path in CALLS:
        try:
            server.get(path, **({"q": "select count(*) from sqlite_master"} if path == "sql/query" else {}))
            answered += 1
        except Failed as error:
            assert error.text and error.code < 500, f"{path}: {error}"
    assert wanted is None or answered >= wanted, f"{answered} of {len(CALLS)} calls are answered"


def files_of(server):
    return len(os.listdir(f"/proc/{server.process.pid}/fd"))


def until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.1)


def is_whole(server, runs):
    """A whole report with so many runs is open; between two versions of a file there is none."""
    try:
        reports = server.get("reports")
        return bool(reports) and reports[0]["partial"] is None and len(server.get("trace/lanes")["runs"]) == runs
    except Failed:
        return False


def settled(server, at_most):
    """The server keeps no more files than that, once its own work is done."""
    until(lambda: files_of(server) <= at_most)


class Damage:
    """Ways to change the files of a report under a server that reads them."""

    def __init__(self, whole, directory, seed):
        self.whole, self.directory, self.dice = whole, directory, random.Random(seed)

    def file(self, name="profile.pop"):
        return os.path.join(self.directory, name)

    def clear(self):
        for name in os.listdir(self.directory):
            path = self.file(name)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            else:
                os.remove(path)

    def restore(self):
        self.clear()
        shutil.copytree(self.whole, self.directory, dirs_exist_ok=True)

    def replaced(self):
        shutil.copy(os.path.join(self.whole, "profile.pop"), self.file("new"))
        os.replace(self.file("new"), self.file())

    def cut(self):
        os.truncate(self.file(), self.dice.choice((0, 1, 100, 4096, 5000, os.path.getsize(self.file()) // 2, os.path.getsize(self.file()) - 1)))

    def cut_others(self):
        for name in ("debug.cbor", "archive.a"):
            if os.path.exists(self.file(name)):
                os.truncate(self.file(name), os.path.getsize(self.file(name)) // 2)

    def overwritten(self):
        with open(self.file(), "r+b") as file:
            for _ in range(20):
                file.seek(self.dice.randrange(os.path.getsize(self.file())))
                file.write(self.dice.randbytes(self.dice.choice((1, 8, 512))))

    def grown(self):
        with open(self.file(), "ab") as file:
            file.write(self.dice.randbytes(5000))

    def removed(self):
        os.remove(self.file())

    def a_pipe(self):
        os.remove(self.file())
        os.mkfifo(self.file())

    def a_directory(self):
        os.remove(self.file())
        os.mkdir(self.file())

    def a_loop(self):
        os.remove(self.file())
        os.symlink("profile.pop", self.file())

    def nothing(self):
        self.clear()


WAYS = ("replaced", "cut", "cut_others", "overwritten", "grown", "removed", "a_pipe", "a_directory", "a_loop", "nothing")


@case
def check_changes(command, whole, work, live):
    """A report that changes in every way while calls come, and is whole again each time."""
    directory = os.path.join(work, "changing" + "".join(live))
    os.mkdir(directory)
    damage = Damage(whole, directory, len(live))
    damage.restore()
    with Server(command, directory, *live) as server:
        until(lambda: server.get("reports"))
        ask(server, 4)
        ends, failed = threading.Event(), []

        def keep_asking():
            while not ends.is_set():
                try:
                    ask(server)
                except (AssertionError, OSError, urllib.error.URLError) as error:
                    failed.append(error)
                    return

        threads = [threading.Thread(target=keep_asking) for _ in range(3)]
        for thread in threads:
            thread.start()
        kept = None
        for turn, way in enumerate(WAYS * 2):
            getattr(damage, way)()
            time.sleep(0.7)  # longer than the server's polls
            damage.restore()
            if not live:
                try:
                    server.post("open", {"directories": [directory]})
                except Failed as error:
                    assert error.text, error
            if turn == len(WAYS) - 1:
                kept = files_of(server)
            assert not failed, f"after '{way}': {failed[0]!r}"
        ends.set()
        for thread in threads:
            thread.join()
        assert not failed, repr(failed[0])
        server.post("open", {"directories": [directory]})
        until(lambda: server.get("reports")[0]["partial"] is None)
        ask(server, 4)
        settled(server, kept + 2)


@case
def check_killed(command, program, work):
    """Programs that are killed while they write, one after the other in one directory; then one that ends."""
    directory = os.path.join(work, "killed")
    os.mkdir(directory)
    with Server(command, directory, "--live") as server:
        for turn in range(4):
            with subprocess.Popen([program, directory, "1000"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
                assert process.stdout.readline() == "loaded\n"
                for _ in range(turn):
                    process.stdin.write("go\n")
                    process.stdin.flush()
                    assert process.stdout.readline() == "ran\n"
                    ask(server)
                if turn < 3:
                    process.send_signal(signal.SIGKILL)
                else:
                    process.stdin.close()
            ask(server)
        until(lambda: is_whole(server, 3))
        ask(server, 4)


def main():
    command, whole, program = sys.argv[1], sys.argv[2], os.environ["RUNS"]
    faulthandler.dump_traceback_later(280, exit=True)
    work = os.path.dirname(whole)
    check_changes(command, whole, work, [])
    check_changes(command, whole, work, ["--live"])
    check_killed(command, program, work)


main()
