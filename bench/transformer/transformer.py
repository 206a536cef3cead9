# SPDX-License-Identifier: Apache-2.0
"""transformer.py PROGRAM: runs bench_transformer on small stacks and compares what it trained with a step in double precision."""
import subprocess
import sys
import tempfile

import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def gelu_gradient(x):
    t = np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * np.sqrt(2 / np.pi) * (1 + 3 * 0.044715 * x * x)


class Norm:
    def __init__(self, gamma, beta):
        self.gamma, self.beta = gamma, beta

    def forward(self, x):
        self.inverse = 1 / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)
        self.whitened = (x - x.mean(axis=1, keepdims=True)) * self.inverse
        return self.whitened * self.gamma + self.beta

    def backward(self, dy):
        self.gradients = [(dy * self.whitened).sum(axis=0), dy.sum(axis=0)]
        d = dy * self.gamma
        return self.inverse * (d - d.mean(axis=1, keepdims=True) - self.whitened * (d * self.whitened).mean(axis=1, keepdims=True))


class Dense:
    def __init__(self, weights, biases):
        self.weights, self.biases = weights, biases

    def forward(self, x):
        self.x = x
        return x @ self.weights + self.biases

    def backward(self, dy):
        self.gradients = [self.x.T @ dy, dy.sum(axis=0)]
        return dy @ self.weights.T


class Layer:
    def __init__(self, dense, norms, heads):
        self.dense, self.norms, self.heads = dense, norms, heads

    def split(self, t):
        return t.reshape(t.shape[0], self.heads, -1).transpose(1, 0, 2)

    def joined(self, t):
        return t.transpose(1, 0, 2).reshape(t.shape[1], -1)

    def forward(self, x):
        queries, out, wide, narrow = self.dense
        self.q, self.k, self.v = (self.split(t) for t in np.split(queries.forward(x), 3, axis=1))
        self.scale = 1 / np.sqrt(self.q.shape[2])
        scores = self.q @ self.k.transpose(0, 2, 1) * self.scale
        e = np.exp(scores - scores.max(axis=2, keepdims=True))
        self.p = e / e.sum(axis=2, keepdims=True)
        y = self.norms[0].forward(out.forward(self.joined(self.p @ self.v)) + x)
        self.hidden = wide.forward(y)
        return self.norms[1].forward(narrow.forward(gelu(self.hidden)) + y)

    def backward(self, dy):
        queries, out, wide, narrow = self.dense
        dz = self.norms[1].backward(dy)
        da = self.norms[0].backward(wide.backward(narrow.backward(dz) * gelu_gradient(self.hidden)) + dz)
        dc = self.split(out.backward(da))
        dp = dc @ self.v.transpose(0, 2, 1)
        ds = self.p * (dp - (dp * self.p).sum(axis=2, keepdims=True)) * self.scale
        d = [ds @ self.k, ds.transpose(0, 2, 1) @ self.q, self.p.transpose(0, 2, 1) @ dc]
        return queries.backward(np.concatenate([self.joined(t) for t in d], axis=1)) + da


def adam(w, g):
    return w - 0.01 * (0.1 * g) / (np.sqrt(0.01 * g * g) + 0.001)


def step(values, layers, heads, x, target):
    """What is trained, after the step, and the sum of the squared errors."""
    stack = []
    for i in range(layers):
        dense = [Dense(*values[8 * i + 2 * k:8 * i + 2 * k + 2]) for k in range(4)]
        norms = [Norm(*values[8 * layers + 4 * i + 2 * k:8 * layers + 4 * i + 2 * k + 2]) for k in range(2)]
        stack.append(Layer(dense, norms, heads))
    y = x
    for layer in stack:
        y = layer.forward(y)
    d = 2 * (y - target)
    for layer in reversed(stack):
        d = layer.backward(d)
    gradients = [g for layer in stack for part in layer.dense for g in part.gradients] + [g for layer in stack for part in layer.norms for g in part.gradients]
    return [adam(w, g) for w, g in zip(values, gradients)], ((y - target) ** 2).sum()


def shapes(layers, width):
    dense = [(width, 3 * width), (3 * width,), (width, width), (width,), (width, 4 * width), (4 * width,), (4 * width, width), (width,)]
    return dense * layers + [(width,)] * 4 * layers


def check(program, device, kind, layers, width, heads, sequence, ipus):
    """The largest difference of a trained value and the relative one of the loss."""
    random = np.random.default_rng(layers * width + sequence)
    of = np.float16 if kind == "half" else np.float32
    values = [(random.standard_normal(s) * (1 / np.sqrt(s[0])) + (len(s) == 1)).astype(of) for s in shapes(layers, width)]
    x, target = (random.standard_normal((sequence, width)).astype(of) for _ in range(2))
    with tempfile.TemporaryDirectory() as place:
        with open(place + "/before", "wb") as file:
            for v in values + [x, target]:
                file.write(v.tobytes())
        command = [program, device, kind, *map(str, (layers, width, heads, sequence, ipus)), place + "/before", place + "/after"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        with open(place + "/after", "rb") as file:
            data = file.read()
    wanted, loss = step([v.astype(np.float64) for v in values], layers, heads, x.astype(np.float64), target.astype(np.float64))
    worst, at = 0.0, 0
    for w in wanted:
        got = np.frombuffer(data, of, w.size, at).reshape(w.shape).astype(np.float64)
        at += got.size * of().itemsize
        worst = max(worst, np.abs(got - w).max())
    return worst, abs(np.frombuffer(data, np.float32, 1, at)[0] / loss - 1)


def main():
    failed = False
    for row in (("cpu", "float", 2, 24, 3, 7, 1), ("ipu2", "float", 1, 24, 3, 7, 1), ("ipu2", "float", 2, 32, 2, 5, 2), ("ipu2", "half", 1, 24, 3, 7, 1)):
        worst, loss = check(sys.argv[1], *row)
        allowed, of_loss = (0.02, 0.02) if row[1] == "half" else (2e-4, 1e-5)
        failed |= not (worst <= allowed and loss <= of_loss)
        print("%-40s trained within %.1e (allowed %.0e), loss within %.1e" % (" ".join(map(str, row)), worst, allowed, loss))
    sys.exit(failed)


main()
