# SPDX-License-Identifier: Apache-2.0
"""graph.py CODELETS VERTICES STEPS: what graph.cpp measures, in Python: the vertices in one call from arrays."""

import sys
import time

import numpy as np
import tremula as tm


def build(device, codelets, vertices):
    graph = tm.Graph(device, libraries=())
    graph.add_codelets(codelets)
    tiles = device.target.tiles
    share = -(-vertices // tiles)
    a, b, out = (graph.variable("float", (vertices,), name=name).map_linearly(min_elements=share, grain=share) for name in ("a", "b", "out"))
    stage = graph.compute_set("set")
    stage.vertices("BenchAdd", np.arange(vertices) // share, {"a": a, "b": b, "out": out})


def run(device, codelets, steps):
    graph = tm.Graph(device, libraries=())
    graph.add_codelets(codelets)
    x = graph.variable("float", (3,), name="x", tile=0)
    graph.set_initial_value(x, np.float32([0, 1, 0]))
    stage = graph.compute_set("set")
    stage.vertex("BenchAdd", 0, {"a": x[0], "b": x[1], "out": x[2]})
    with graph.sequence() as main, graph.repeat(steps):
        graph.execute(stage)
    engine = tm.Engine(graph, main)
    return best(5, engine.run)


def best(times, call):
    seconds = []
    for _ in range(times):
        began = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - began)
    return min(seconds)


def main(codelets, vertices, steps):
    device = tm.IPUModel()
    build(device, codelets, 10)  # compiles the codelets
    print("%.6f %.6f" % (best(3, lambda: build(device, codelets, int(vertices))), run(device, codelets, int(steps))))


main(*sys.argv[1:])
