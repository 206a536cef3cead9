#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models without any library: small ones for tests, broken ones, and networks with random weights.

    models.py KIND FILE

The kinds are the functions below that are called make_...: resnet50, small, cycle, undefined, unknown, claim, external, nested.
"""

import random
import struct
import sys

FLOAT, INT64 = 1, 7


def varint(value):
    out = bytearray()
    while True:
        out.append(value & 127 | (128 if value > 127 else 0))
        value >>= 7
        if not value:
            return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value & (1 << 64) - 1)


def data(field, value):
    value = value.encode() if isinstance(value, str) else value
    return varint(field << 3 | 2) + varint(len(value)) + value


def attribute(name, value):
    out = data(1, name)
    if isinstance(value, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", value) + number(20, 1)
    if isinstance(value, int):
        return out + number(3, value) + number(20, 2)
    if isinstance(value, bytes):  # a graph
        return out + data(6, value) + number(20, 5)
    return out + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, outputs, name="", **attributes):
    out = b"".join(data(1, i) for i in inputs) + b"".join(data(2, o) for o in outputs)
    out += data(3, name or outputs[0]) + data(4, op)
    return out + b"".join(data(5, attribute(k, v)) for k, v in attributes.items())


def tensor(name, dims, values=None, kind=FLOAT):
    """Without values: random weights, scaled by the number of inputs of each output."""
    count = 1
    for dim in dims:
        count *= dim
    if values is None:
        scale = (2.0 / max(1, count // dims[0])) ** 0.5
        some = [random.gauss(0, scale) for _ in range(min(count, 4099))]
        values = (some * (count // len(some) + 1))[:count]
    raw = struct.pack("<%d%s" % (len(values), "f" if kind == FLOAT else "q"), *values)
    return b"".join(number(1, d) for d in dims) + number(2, kind) + data(8, name) + data(9, raw)


def value(name, dims, kind=FLOAT):
    shape = b"".join(data(1, number(1, d) if isinstance(d, int) else data(2, d)) for d in dims)
    return data(1, name) + data(2, data(1, number(1, kind) + data(2, shape)))


def graph(nodes, inputs, outputs, initialisers=()):
    out = b"".join(data(1, n) for n in nodes) + data(2, "graph") + b"".join(data(5, i) for i in initialisers)
    return out + b"".join(data(11, i) for i in inputs) + b"".join(data(12, o) for o in outputs)


def model(a_graph, opset=13):
    return number(1, 8) + data(2, "models.py") + data(7, a_graph) + data(8, data(1, "") + number(2, opset))


class Network:
    """Layers one after the other, by the name of what the last one gives."""

    def __init__(self):
        self.nodes, self.weights = [], []

    def add(self, op, name, inputs, **attributes):
        self.nodes.append(node(op, inputs, [name], name, **attributes))
        return name

    def weight(self, name, dims, values=None):
        self.weights.append(tensor(name, dims, values))
        return name

    def conv(self, name, x, inputs, outputs, size, stride=1, relu=True):
        w, b = self.weight(name + ".w", [outputs, inputs, size, size]), self.weight(name + ".b", [outputs], [0.01] * outputs)
        pad = size // 2
        y = self.add("Conv", name, [x, w, b], kernel_shape=[size, size], strides=[stride, stride], pads=[pad] * 4)
        return self.add("Relu", name + ".relu", [y]) if relu else y


def make_resnet50(size=224):
    net = Network()
    x = net.conv("conv1", "input", 3, 64, 7, 2)
    x = net.add("MaxPool", "pool1", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    channels = 64
    for stage, (blocks, width) in enumerate([(3, 64), (4, 128), (6, 256), (3, 512)]):
        for block in range(blocks):
            name, stride = "stage%d.block%d" % (stage + 1, block + 1), 2 if stage and not block else 1
            y = net.conv(name + ".conv1", x, channels, width, 1)
            y = net.conv(name + ".conv2", y, width, width, 3, stride)
            y = net.conv(name + ".conv3", y, width, 4 * width, 1, relu=False)
            if not block:
                x = net.conv(name + ".shortcut", x, channels, 4 * width, 1, stride, relu=False)
            y = net.add("Add", name + ".add", [x, y])
            x, channels = net.add("Relu", name + ".relu", [y]), 4 * width
    x = net.add("GlobalAveragePool", "pool", [x])
    x = net.add("Flatten", "flatten", [x])
    w, b = net.weight("fc.w", [1000, channels]), net.weight("fc.b", [1000], [0.0] * 1000)
    net.add("Gemm", "output", [x, w, b], transB=1)
    return model(graph(net.nodes, [value("input", ["batch", 3, size, size])], [value("output", ["batch", 1000])], net.weights))


def make_small():
    """A convolution, an activation and a dense layer."""
    net = Network()
    x = net.conv("conv", "input", 3, 8, 3)
    x = net.add("Flatten", "flatten", [x])
    net.add("Gemm", "output", [x, net.weight("fc.w", [10, 8 * 64]), net.weight("fc.b", [10], [0.0] * 10)], transB=1)
    return model(graph(net.nodes, [value("input", ["batch", 3, 8, 8])], [value("output", ["batch", 10])], net.weights))


def make_cycle():
    nodes = [node("Add", ["x", "b"], ["a"], "first"), node("Relu", ["a"], ["b"], "second")]
    return model(graph(nodes, [value("x", [2])], [value("b", [2])]))


def make_undefined():
    return model(graph([node("Add", ["x", "nowhere"], ["y"], "sum")], [value("x", [2])], [value("y", [2])]))


def make_unknown():
    return model(graph([node("Frobnicate", ["x"], ["y"], "strange")], [value("x", [2])], [value("y", [2])]))


def make_broken():
    """The shapes of a node's operands do not match."""
    weights = [tensor("w", [3, 5])]
    return model(graph([node("MatMul", ["x", "w"], ["y"], "product")], [value("x", [2, 4])], [value("y", [2, 5])], weights))


def make_claim():
    """An initialiser that claims 2 GB and has four bytes."""
    weight = number(1, 1 << 29) + number(2, FLOAT) + data(8, "w") + data(9, b"\0\0\0\0")
    return model(graph([node("Add", ["x", "w"], ["y"], "sum")], [value("x", [1])], [value("y", [1])], [weight]))


def make_external():
    """An initialiser in a file that is not there."""
    weight = number(1, 2) + number(2, FLOAT) + data(8, "w") + data(13, data(1, "location") + data(2, "missing.bin")) + number(14, 1)
    return model(graph([node("Add", ["x", "w"], ["y"], "sum")], [value("x", [2])], [value("y", [2])], [weight]))


def make_nested():
    """Graphs within graphs, too deep to be meant."""
    inner = graph([node("Identity", ["x"], ["y"])], [], [value("y", [1])])
    for _ in range(200):
        inner = graph([node("If", ["c"], ["z"], then_branch=inner, else_branch=b"")], [], [value("z", [1])])
    return model(inner)


if __name__ == "__main__":
    random.seed(1)
    content = globals()["make_" + sys.argv[1]]()
    with open(sys.argv[2], "wb") as file:
        file.write(content)
