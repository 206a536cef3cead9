#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes ONNX models without any library: small ones for tests, broken ones, and networks with random weights.

    models.py KIND FILE

The kinds are the functions below that are called make_..., and set7, set8, ...: one network in each operator set.
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
    if isinstance(value, str):
        return out + data(4, value) + number(20, 3)
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


def make_open():
    """Dimensions without numbers: the batch of both inputs, one with a name, and one without."""
    nodes = [node("Add", ["x", "z"], ["y"], "sum")]
    return model(graph(nodes, [value("x", ["batch", 4, "width"]), value("z", ["batch", 4, ""])], [value("y", ["batch", 4, "width"])]))


def make_nameless():
    """A batch without a number and without a name."""
    return model(graph([node("Relu", ["x:0"], ["y"], "relu")], [value("x:0", ["", 4])], [value("y", ["", 4])]))


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


def boxes(nodes, outputs):
    """Chooses boxes whose places depend on an input, so that only the running program knows them."""
    corners = [0, 0, 1, 1, 0, 0.1, 1, 1.1, 0, -0.1, 1, 0.9, 0, 10, 1, 11, 0, 10.1, 1, 11.1, 0, 100, 1, 101]
    weights = [tensor("boxes", [1, 6, 4], corners), tensor("scores", [1, 1, 6], [0.9, 0.75, 0.6, 0.95, 0.5, 0.3]),
               tensor("most", [1], [5], INT64), tensor("threshold", [1], [0.5]), tensor("least", [1], [0.0]),
               tensor("two", [1], [2], INT64), tensor("one", [1], [1], INT64), tensor("flat", [2], [6, 4], INT64)]
    first = [node("Add", ["boxes", "shift"], ["moved"]),
             node("NonMaxSuppression", ["moved", "scores", "most", "threshold", "least"], ["chosen"])]
    return model(graph(first + nodes, [value("shift", [1])], outputs, weights))


def make_boxes():
    """The boxes that are chosen, looked up and moved back."""
    nodes = [node("Gather", ["chosen", "two"], ["column"], axis=1), node("Squeeze", ["column", "one"], ["index"]),
             node("Reshape", ["moved", "flat"], ["list"]), node("Gather", ["list", "index"], ["found"]),
             node("Sub", ["found", "shift"], ["back"])]
    return boxes(nodes, [value("chosen", ["n", 3], INT64), value("back", ["n", 4])])


def make_box_sum():
    """A sum over rows whose number is not known."""
    return boxes([node("ReduceSum", ["chosen"], ["sum"])], [value("sum", [1, 1], INT64)])


def make_shared():
    """An input and a value that the first and the last node use."""
    net = Network()
    x = net.add("Relu", "early", ["input"])
    for i in range(4):
        x = net.add("MatMul", "dense%d" % i, [x, net.weight("w%d" % i, [16, 16])])
    x = net.add("Add", "with_early", [x, "early"])
    net.add("Add", "output", [x, "input"])
    return model(graph(net.nodes, [value("input", ["batch", 16])], [value("output", ["batch", 16])], net.weights))


def simple(op, inputs, outputs, weights=(), opset=13, extra=(), **attributes):
    """A model of one node: inputs and outputs are (name, dims[, type])."""
    names = [i[0] if isinstance(i, tuple) else i for i in inputs]
    nodes = list(extra) + [node(op, names, [o[0] for o in outputs], op.lower(), **attributes)]
    given = [value(*i) for i in inputs if isinstance(i, tuple)]
    return model(graph(nodes, given, [value(*o) for o in outputs], list(weights)), opset)


def make_empty():
    """Tensors without elements."""
    nodes = [node("Relu", ["x"], ["y"]), node("MatMul", ["y", "w"], ["z"]), node("ReduceSum", ["z", "axes"], ["s"], keepdims=0)]
    weights = [tensor("w", [4, 3]), tensor("axes", [1], [0], INT64)]
    return model(graph(nodes, [value("x", [0, 4])], [value("z", [0, 3]), value("s", [3])], weights))


def make_scalar():
    return simple("Exp", [("x", [])], [("y", [])])


def make_rank8():
    """A tensor of rank 8 with its dimensions reversed."""
    return simple("Transpose", [("x", [2, 1, 3, 1, 2, 5, 1, 2])], [("y", [2, 1, 5, 2, 1, 3, 1, 2])])


def make_primes():
    """A convolution none of whose sizes divide anything."""
    net = Network()
    net.conv("output", "input", 7, 13, 3, relu=False)
    return model(graph(net.nodes, [value("input", [3, 7, 11, 17])], [value("output", [3, 13, 11, 17])], net.weights))


def make_same_names():
    """Two nodes of one name, and one whose name is the beginning of another's."""
    nodes = [node("Relu", ["x"], ["a"], "same"), node("Exp", ["a"], ["b"], "same"), node("Neg", ["b"], ["y"], "same/inner")]
    return model(graph(nodes, [value("x", [64])], [value("y", [64])]))


def make_twice():
    """Two nodes give one value."""
    nodes = [node("Relu", ["x"], ["y"], "first"), node("Exp", ["x"], ["y"], "second")]
    return model(graph(nodes, [value("x", [2])], [value("y", [2])]))


def make_unused():
    """An initialiser, an input and a node whose results nobody reads."""
    nodes = [node("Relu", ["x"], ["y"]), node("Exp", ["x"], ["nobody"])]
    return model(graph(nodes, [value("x", [2]), value("z", [3])], [value("y", [2])], [tensor("w", [5, 5])]))


def make_absent():
    """Inputs that are left out: Clip without a minimum."""
    return simple("Clip", [("x", [4]), "", "most"], [("y", [4])], [tensor("most", [], [0.25])])


def make_missing_input():
    """A node without an input that it needs."""
    return simple("Conv", [("x", [1, 2, 5, 5])], [("y", [1, 2, 5, 5])])


def make_sparse():
    return model(graph([node("Relu", ["x"], ["y"])], [value("x", [2])], [value("y", [2])]) + data(15, data(3, number(1, 4))))


def make_text():
    """A tensor of strings."""
    weight = number(1, 1) + number(2, 8) + data(8, "w") + data(6, "word")
    return model(graph([node("Identity", ["w"], ["y"])], [], [value("y", [1], 8)], [weight]))


def make_text_input():
    return simple("Identity", [("x", [2], 8)], [("y", [2], 8)])


def make_domain():
    """An operator of another set, which no opset_import names."""
    return model(graph([node("Gelu", ["x"], ["y"], "gelu") + data(7, "com.example")], [value("x", [2])], [value("y", [2])]))


def make_loops():
    """An If within a Loop within an If, whose conditions are an input of the model."""
    then = graph([node("Add", ["v", "x"], ["t"])], [], [value("t", [4])])
    other = graph([node("Sub", ["v", "x"], ["e"])], [], [value("e", [4])])
    body = graph([node("Identity", ["go"], ["again"]), node("If", ["c"], ["w"], "choice", then_branch=then, else_branch=other)],
                 [value("i", [], INT64), value("go", [], 9), value("v", [4])], [value("again", [], 9), value("w", [4])])
    loop = graph([node("Loop", ["three", "", "x"], ["l"], "rounds", body=body)], [], [value("l", [4])])
    none = graph([node("Neg", ["x"], ["n"])], [], [value("n", [4])])
    nodes = [node("If", ["c"], ["y"], "outer", then_branch=loop, else_branch=none)]
    return model(graph(nodes, [value("x", [4]), value("c", [], 9)], [value("y", [4])], [tensor("three", [], [3], INT64)]))


def make_later():
    """Set 18: ReduceMax takes its axes as an input."""
    return simple("ReduceMax", [("x", [2, 3]), "axes"], [("y", [2, 1])], [tensor("axes", [1], [1], INT64)], opset=18)


def make_wrap():
    """Set 19: Pad has a mode that is not supported."""
    return simple("Pad", [("x", [3]), "pads"], [("y", [5])], [tensor("pads", [2], [1, 1], INT64)], opset=19, mode="wrap")


def make_large():
    """Numbers that fit a half, and sums of them and of their squares that do not."""
    net = Network()
    x = net.add("Mul", "scaled", [net.add("Abs", "positive", ["x"]), net.weight("factor", [], [4000.0])])
    outputs = [net.add("GlobalAveragePool", "whole", [x]), net.add("ReduceMean", "mean", [x], axes=[1, 2]),
               net.add("AveragePool", "windows", [x], kernel_shape=[9, 9], pads=[4] * 4, count_include_pad=1),
               net.add("LayerNormalization", "norm", [x, net.weight("gamma", [32], [1.0] * 32)], axis=3),
               net.add("ReduceL2", "length", [net.add("Div", "small", [x, net.weight("ten", [], [10.0])])], axes=[3])]
    return model(graph(net.nodes, [value("x", [1, 8, 32, 32])], [value(o, []) for o in outputs], net.weights), 17)


def make_deep():
    """Eight dense layers with 2 MB of weights."""
    net, x = Network(), "input"
    for i in range(8):
        x = net.add("MatMul", "dense%d" % i, [x, net.weight("w%d" % i, [256, 256])])
        x = net.add("Relu", "output" if i == 7 else "relu%d" % i, [x])
    return model(graph(net.nodes, [value("input", ["batch", 256])], [value("output", ["batch", 256])], net.weights))


def make_set(opset):
    """One function in the words of each operator set: what attributes were became inputs."""
    net = Network()

    def by_input(since, op, name, x, key, values, **attributes):
        if opset < since:
            return net.add(op, name, [x], **{key: values}, **attributes)
        return net.add(op, name, [x, net_ints(name + "." + key, values)], **attributes)

    def net_ints(name, values):
        net.weights.append(tensor(name, [len(values)], values, INT64))
        return name

    x = net.conv("conv", "input", 3, 8, 3)
    norm = [net.weight("norm%d" % i, [8], [0.5 + (i + j) % 3 for j in range(8)]) for i in range(4)]
    x = net.add("BatchNormalization", "norm", [x, *norm])
    if opset < 11:
        x = net.add("Clip", "clip", [x], min=-0.5, max=1.5)
        x = net.add("Pad", "pad", [x], pads=[0, 0, 1, 0, 0, 0, 0, 2])
    else:
        x = net.add("Clip", "clip", [x, net.weight("low", [], [-0.5]), net.weight("high", [], [1.5])])
        x = net.add("Pad", "pad", [x, net_ints("pads", [0, 0, 1, 0, 0, 0, 0, 2])])
    if opset < 10:
        x = net.add("Slice", "slice", [x], starts=[1, 2], ends=[9, 10], axes=[2, 3])
    else:
        x = net.add("Slice", "slice", [x, net_ints("starts", [1, 2]), net_ints("ends", [9, 10]), net_ints("axes", [2, 3])])
    x = by_input(13, "Unsqueeze", "unsqueeze", x, "axes", [0])
    x = by_input(13, "Squeeze", "squeeze", x, "axes", [0])
    x = by_input(13, "ReduceSum", "sum", x, "axes", [3], keepdims=0)
    x = by_input(18, "ReduceMax", "max", x, "axes", [2], keepdims=0)
    x = net.add("Dropout", "dropout", [x])
    x = net.add("Gemm", "gemm", [x, net.weight("w", [10, 8]), net.weight("b", [10], [0.0] * 10)], transB=1)
    net.add("Softmax", "output", [x], axis=1)
    return model(graph(net.nodes, [value("input", ["batch", 3, 8, 8])], [value("output", ["batch", 10])], net.weights), opset)


if __name__ == "__main__":
    random.seed(1)
    content = make_set(int(sys.argv[1][3:])) if sys.argv[1][3:].isdigit() else globals()["make_" + sys.argv[1]]()
    with open(sys.argv[2], "wb") as file:
        file.write(content)
