# SPDX-License-Identifier: Apache-2.0
"""A server of a report for tests, and its answers: JSON, and columns as lists by name (docs/reference/analyser-server.md)."""
import array
import fnmatch
import functools
import json
import os
import struct
import subprocess
import urllib.error
import urllib.parse
import urllib.request

TYPES = {"u8": "B", "u16": "H", "u32": "I", "f32": "f", "f64": "d"}


def case(check):
    """A check that the environment variable TREMULA_TEST can select (check_paths; * and ? are wildcards)."""

    @functools.wraps(check)
    def run(*arguments):
        if fnmatch.fnmatch(check.__name__, os.environ.get("TREMULA_TEST") or "*"):
            print("--", check.__name__)
            check(*arguments)

    return run


class Failed(Exception):
    def __init__(self, code, answer):
        super().__init__(f"{code} {answer}")
        self.code, self.text, self.status = code, answer.get("error"), answer.get("status")


def _column(column, data):
    if column["type"] != "text":
        return array.array(TYPES[column["type"]], data).tolist()
    count = column["count"]
    offsets = struct.unpack(f"<{count + 1}I", data[: 4 * (count + 1)])
    text = data[4 * (count + 1) :]
    return [text[offsets[i] : offsets[i + 1]].decode() for i in range(count)]


def decode(data):
    """Columns by name; `meta` is the JSON beside them."""
    length = struct.unpack("<I", data[4:8])[0]
    header, start = json.loads(data[8 : 8 + length]), 8 + length + 7 & ~7
    columns = {c["name"]: _column(c, data[start + c["at"] : start + c["at"] + c["bytes"]]) for c in header["columns"]}
    return {"meta": header["meta"], **columns}


class Server:
    """`with Server(command, directory...) as server: server.get("memory/tiles", pixels=4)`"""

    def __init__(self, command, *directories):
        self.arguments = [command, "serve", *directories, "--no-browser"]

    def __enter__(self):
        # Python has leaks of its own; the server has none.
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=1")
        environment.pop("LD_PRELOAD", None)
        self.process = subprocess.Popen(self.arguments, stdout=subprocess.PIPE, text=True, env=environment)
        line = self.process.stdout.readline()
        assert line.startswith("Serving "), f"the server printed {line!r}"
        self.url = line.split(" at ")[-1].strip()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.stdout.close()
        code = self.process.wait(60)
        assert code == 0, f"the server ended with {code}"

    def get(self, path, /, **parameters):
        query = "?" + urllib.parse.urlencode(parameters) if parameters else ""
        try:
            with urllib.request.urlopen(f"{self.url}api/{path}{query}", timeout=120) as answer:
                data = answer.read()
        except urllib.error.HTTPError as error:
            raise Failed(error.code, json.loads(error.read())) from None
        return decode(data) if data[:4] == b"TCOL" else json.loads(data)

    def post(self, path, value):
        """A POST of JSON."""
        request = urllib.request.Request(f"{self.url}api/{path}", data=json.dumps(value).encode())
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            raise Failed(error.code, json.loads(error.read())) from None

    def refused(self, path, word, /, **parameters):
        """The call fails with status 400 or 404 and a text that has the word."""
        try:
            self.get(path, **parameters)
        except Failed as error:
            assert error.code in (400, 404) and word in error.text, f"{path}: {error}"
        else:
            raise AssertionError(f"{path} {parameters} was answered")
