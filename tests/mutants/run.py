# SPDX-License-Identifier: Apache-2.0
# run.py BUILD MUTANTS.tsv SURVIVORS.txt [NUMBER...]: switches on one seeded fault after the other (mutate.py), runs tests that call the changed
# function, up to the first that fails, and prints the survivors.  These are the tests of the function's directory (AREAS: the tests of directories without
# their own), and of the others the fastest, up to BUDGET seconds.  Fails if fewer than 80 % are found; survivors without an
# explanation are marked, since changes of the sources create other faults.  SURVIVORS.txt explains survivors: a
# fault's text, and in the next line, indented, why no test finds it.
import concurrent.futures
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

TESTED = re.compile(r"^(base|target|popc|graph|program|image|compiler|timeline|engine|profile|report|system)/")
ENOUGH, BUDGET, SECONDS, TIMES = 0.8, 30, 10, 8
MOST_FILE, MOST_MEGABYTES = 1 << 28, 3000
AREAS = {"image": ("image/", "engine/"), "timeline": ("timeline/", "profile/", "system/")}


class Test:
    def __init__(self, entry):
        self.name, self.command = entry["name"], entry["command"]
        self.directory = next((p["value"] for p in entry["properties"] if p["name"] == "WORKING_DIRECTORY"), ".")
        self.seconds, self.seen = 0.0, b""


def tests_of(build):
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], capture_output=True, text=True, check=True).stdout
    return [Test(entry) for entry in json.loads(listed)["tests"] if TESTED.match(entry["name"]) and "command" in entry]


def limit():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_FILE, MOST_FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(test, cache, seconds, **variables):
    """Whether the test passes."""
    sanitizers = "allocator_may_return_null=1:hard_rss_limit_mb=%u" % MOST_MEGABYTES
    with tempfile.TemporaryDirectory() as scratch:
        environment = dict(os.environ, XDG_CACHE_HOME=cache, ASAN_OPTIONS=sanitizers, TMPDIR=scratch, TREMULA_ROUNDS="1", **variables)
        child = subprocess.Popen(test.command, cwd=test.directory, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True, preexec_fn=limit)
        try:
            return child.wait(seconds) == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            try:
                os.killpg(child.pid, signal.SIGKILL)  # with the processes that it started
            except ProcessLookupError:
                pass
            child.wait()


def baseline(test, cache, count):
    """Without a fault: the time of the test, and the functions that it calls."""
    if not run(test, cache, 600):
        sys.exit("%s fails without a fault" % test.name)
    with tempfile.NamedTemporaryFile() as seen:
        seen.write(bytes(count + 1))
        seen.flush()
        begin = time.monotonic()
        run(test, cache, 600, TREMULA_MUTANTS_SEEN=seen.name)
        test.seconds = time.monotonic() - begin
        seen.seek(0)
        test.seen = seen.read()


def tests_for(number, where, tests):
    area, chosen, seconds = where.split("/")[1], [], 0.0
    own = AREAS.get(area, (area + "/",))
    for test in sorted((t for t in tests if t.seen[number]), key=lambda t: t.seconds):
        seconds += 0 if test.name.startswith(own) else test.seconds
        if seconds < BUDGET or test.name.startswith(own):
            chosen.append(test)
    return sorted(chosen, key=lambda t: t.seconds)


def found_by(number, where, tests, cache):
    """The test that finds a fault; None if it survives."""
    with tempfile.TemporaryDirectory() as own:  # a fault may write nonsense into the cache of codelets
        shutil.copytree(cache, own + "/cache")
        for test in tests_for(number, where, tests):
            if not run(test, own + "/cache", SECONDS + TIMES * test.seconds, TREMULA_MUTANT=str(number)):
                return test.name
    return None


def read_survivors(path):
    explained, key = {}, None
    for line in open(path):
        if line.startswith("  ") and key:
            explained[key] = line.strip()
        elif line.strip() and not line.startswith("#"):
            key = line.strip()
    return explained


def main():
    build, mutants_path, survivors_path = sys.argv[1:4]
    mutants = [line.rstrip("\n").split("\t") for line in open(mutants_path)]
    explained, only = read_survivors(survivors_path), set(sys.argv[4:])
    tests, cache = tests_of(build), os.path.join(build, "cache")
    os.makedirs(cache, exist_ok=True)
    jobs = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    list(jobs.map(lambda test: baseline(test, cache, len(mutants)), tests))
    tests.sort(key=lambda test: test.seconds)
    print("%u tests pass in %.0f s without a fault" % (len(tests), sum(test.seconds for test in tests)), flush=True)
    chosen = [m for m in mutants if not only or m[0] in only]
    survivors, unexplained = 0, 0
    with open(os.path.join(build, "mutants-found.tsv"), "w") as results:
        for m, finder in zip(chosen, jobs.map(lambda m: found_by(int(m[0]), m[1], tests, cache), chosen)):
            number, where, kind, key = m
            results.write("%s\t%s\t%s\n" % (number, finder or "-", key))
            results.flush()
            if finder:
                continue
            survivors += 1
            unexplained += key not in explained
            reached = any(test.seen[int(number)] for test in tests)
            print("%s %s, %s%s\n    %s\n    %s" % (number, where, kind, "" if reached else ", which no test calls", key, explained.get(key, "NOT EXPLAINED")),
                  flush=True)
    found = len(chosen) - survivors
    print("%u of %u faults found (%.0f %%); of %u that survive, %u are not explained" % (found, len(chosen), 100 * found / len(chosen), survivors, unexplained))
    sys.exit(found < ENOUGH * len(chosen))


main()
