# SPDX-License-Identifier: Apache-2.0
"""Trains the network of examples/training/mlp.c on the data that it saved, in double precision, and compares its output (standard input) with the results."""
import re
import sys

import numpy


def read(name, kind, *shape):
    return numpy.fromfile(f"{sys.argv[1]}/{name}", kind).reshape(shape)


epochs, batch, rate = open(f"{sys.argv[1]}/options").read().split()
epochs, batch, rate = int(epochs), int(batch), float(rate)
images = [read(f"images{i}", numpy.float32, -1, 784).astype(float) for i in range(2)]
labels = [read(f"labels{i}", numpy.uint32, -1) for i in range(2)]
w1, b1 = read("weights0", numpy.float32, 784, -1).astype(float), read("weights1", numpy.float32, -1).astype(float)
w2, b2 = read("weights2", numpy.float32, -1, 10).astype(float), read("weights3", numpy.float32, -1).astype(float)


def forward(x):
    hidden = numpy.maximum(x @ w1 + b1, 0)
    y = hidden @ w2 + b2
    y = numpy.exp(y - y.max(axis=1, keepdims=True))
    return hidden, y / y.sum(axis=1, keepdims=True)


def over(kind, train):
    """Mean loss and accuracy over whole batches."""
    global w1, b1, w2, b2
    loss = correct = 0
    count = len(labels[kind]) // batch
    for i in range(count):
        x, label = images[kind][i * batch:(i + 1) * batch], labels[kind][i * batch:(i + 1) * batch]
        hidden, p = forward(x)
        loss -= numpy.log(p[range(batch), label]).sum()
        correct += (p.argmax(axis=1) == label).sum()
        if train:
            p[range(batch), label] -= 1
            back = (p @ w2.T) * (hidden > 0)
            w2, b2 = w2 - rate / batch * hidden.T @ p, b2 - rate / batch * p.sum(axis=0)
            w1, b1 = w1 - rate / batch * x.T @ back, b1 - rate / batch * back.sum(axis=0)
    return loss / (count * batch), 100 * correct / (count * batch)


lines = [line for line in sys.stdin if line.startswith("epoch")]
if len(lines) != epochs:
    sys.exit(f"{len(lines)} epochs where {epochs} were expected")
bad = False
for line in lines:
    wanted = [*over(0, True), *over(1, False)]
    got = [float(x) for x in re.findall(r"(?:loss|accuracy) ([0-9.]+)", line)]
    print(line.strip(), "  in double precision:", " ".join(f"{x:.4f}" for x in wanted))
    # Losses in fp32 differ in the fourth digit; one digit in a hundred may be classified differently.
    bad |= abs(got[0] - wanted[0]) > 2e-3 * wanted[0] + 1e-4 or abs(got[2] - wanted[2]) > 2e-3 * wanted[2] + 1e-4
    bad |= abs(got[1] - wanted[1]) > 1 or abs(got[3] - wanted[3]) > 1
if wanted[3] < 80:
    sys.exit("the network does not learn")
sys.exit("training differs from double precision" if bad else 0)
