# SPDX-License-Identifier: Apache-2.0
# layers.py BENCH_LAYERS: layers of networks in PyTorch (Debian: python3-torch) and by that program, in float, on as many threads as there are processors.
# Both have the same operands, which the program writes, and their results are compared.  They alternate, so that other load affects both alike; the best of each counts.
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch

ROUNDS, SHORT = 15, 0.02  # rounds of each, and the min seconds of one
ROWS, COLUMNS, BATCH, CHANNELS, SIDE, STEPS, SEQUENCES, WIDTH, WORDS, LOOKUPS = 4096, 1024, 8, 64, 112, 64, 32, 256, 50000, 16384

torch.set_num_threads(len(os.sched_getaffinity(0)))
torch.set_grad_enabled(False)
ERROR = 1e-4  # the largest difference of results, relative to those above 1
batch_norm = torch.nn.BatchNorm2d(CHANNELS, track_running_stats=False)
layer_norm, lstm, gru = torch.nn.LayerNorm(COLUMNS), torch.nn.LSTM(WIDTH, WIDTH), torch.nn.GRU(WIDTH, WIDTH)


def softmax(x):
    x = x.view(ROWS, COLUMNS)
    return lambda: torch.softmax(x, 1)


def images(function):
    def layer(x, *parameters):
        x = x.view(BATCH, CHANNELS, SIDE, SIDE)
        if parameters:
            function.weight.data, function.bias.data = parameters
        return lambda: function(x)

    return layer


def normalised_rows(x, gamma, beta):
    x = x.view(ROWS, COLUMNS)
    layer_norm.weight.data, layer_norm.bias.data = gamma, beta
    return lambda: layer_norm(x)


def recurrent(layer, order, biases):
    """order: where PyTorch's units are among Poplar's; biases: how many each unit has."""

    def sequence(x, inputs, outputs, bias, *state):
        x, count = x.view(STEPS, SEQUENCES, WIDTH), len(order)
        for name, weights in ("weight_ih_l0", inputs), ("weight_hh_l0", outputs):
            units = weights.view(count, WIDTH, WIDTH)[order].transpose(1, 2)
            getattr(layer, name).data = units.reshape(count * WIDTH, WIDTH).contiguous()
        bias = bias.view(count, biases, WIDTH)[order]
        layer.bias_ih_l0.data = bias[:, 0].reshape(-1).contiguous()
        layer.bias_hh_l0.data = bias[:, 1].reshape(-1).contiguous() if biases == 2 else torch.zeros(count * WIDTH)
        state = [s.view(1, SEQUENCES, WIDTH) for s in state]
        return lambda: layer(x, tuple(state) if len(state) > 1 else state[0])[0]

    return sequence


def embedding(table, words):
    table, words = table.view(WORDS, WIDTH), words.view(torch.int32).long()
    return lambda: torch.nn.functional.embedding(words, table)


# From the operands, in the program's order, to the call that is measured.
LAYERS = {
    "softmax": softmax,
    "max-pool": images(lambda x: torch.nn.functional.max_pool2d(x, 3, 2, 1)),
    "average-pool": images(lambda x: torch.nn.functional.avg_pool2d(x, 2, 2)),
    "batch-norm": images(batch_norm),
    "layer-norm": normalised_rows,
    "lstm": recurrent(lstm, [1, 0, 2, 3], 1),
    "gru": recurrent(gru, [0, 1, 2], 2),
    "embedding": embedding,
}


def turn(run, times):
    start = time.monotonic()
    for _ in range(times):
        run()
    return (time.monotonic() - start) / times


def read(path):
    return torch.from_numpy(numpy.fromfile(path, numpy.float32))


def difference(wanted, directory, name):
    got = read(f"{directory}/{name}.out").view(wanted.shape)
    return ((got - wanted).abs() / wanted.abs().clamp(min=1)).max().item()


def compare(name, ours, directory):
    def ask(times):
        ours.stdin.write(f"{times} {name}\n")
        ours.stdin.flush()
        return float(ours.stdout.readline())

    ask(1)
    operands = [f"{directory}/{name}.{i}" for i in range(9)]
    run = LAYERS[name](*(read(path) for path in operands if os.path.exists(path)))
    error = difference(run(), directory, name)
    times = [max(1, int(SHORT / turn(run, 1))), max(1, int(SHORT / ask(1)))]
    best = [1e9, 1e9]
    for _ in range(ROUNDS):
        best = [min(best[0], turn(run, times[0])), min(best[1], ask(times[1]))]
        time.sleep(0.02)  # PyTorch's threads poll for more work for some milliseconds
    speed = f"pytorch {best[0] * 1e3:9.3f} ms   tremula {best[1] * 1e3:9.3f} ms   {best[0] / best[1]:6.2f} times PyTorch's speed"
    print(f"{name:14} {speed}   results differ by {error:.1e}", flush=True)
    return error <= ERROR


print(f"layers, float, {torch.get_num_threads()} threads, PyTorch {torch.__version__}")
with tempfile.TemporaryDirectory() as place:
    with subprocess.Popen([sys.argv[1], place], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        same = [compare(layer, program, place) for layer in sys.argv[2:] or LAYERS]
        program.stdin.close()
if not all(same):
    sys.exit(f"results differ by more than {ERROR}")
