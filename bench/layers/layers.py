# SPDX-License-Identifier: Apache-2.0
# layers.py BENCH_LAYERS: layers of networks in PyTorch (Debian: python3-torch) and by that program, in float, on as many threads as there are processors.
# Both alternate, so that other load affects both alike; the best of each counts.
import os
import subprocess
import sys
import time

import torch

ROUNDS, SHORT = 15, 0.02  # rounds of each, and the min seconds of one
ROWS, COLUMNS, BATCH, CHANNELS, SIDE, STEPS, SEQUENCES, WIDTH, WORDS, LOOKUPS = 4096, 1024, 8, 64, 112, 64, 32, 256, 50000, 16384

torch.set_num_threads(len(os.sched_getaffinity(0)))
torch.set_grad_enabled(False)
rows, images = torch.rand(ROWS, COLUMNS) * 2 - 1, torch.rand(BATCH, CHANNELS, SIDE, SIDE) * 2 - 1
sequences, words = torch.rand(STEPS, SEQUENCES, WIDTH) * 2 - 1, torch.randint(0, WORDS, (LOOKUPS,))
batch_norm = torch.nn.BatchNorm2d(CHANNELS, track_running_stats=False)
layer_norm, lstm, gru = torch.nn.LayerNorm(COLUMNS), torch.nn.LSTM(WIDTH, WIDTH), torch.nn.GRU(WIDTH, WIDTH)
table = torch.rand(WORDS, WIDTH)
LAYERS = {
    "softmax": lambda: torch.softmax(rows, 1),
    "max-pool": lambda: torch.nn.functional.max_pool2d(images, 3, 2, 1),
    "average-pool": lambda: torch.nn.functional.avg_pool2d(images, 2, 2),
    "batch-norm": lambda: batch_norm(images),
    "layer-norm": lambda: layer_norm(rows),
    "lstm": lambda: lstm(sequences),
    "gru": lambda: gru(sequences),
    "embedding": lambda: torch.nn.functional.embedding(words, table),
}


def turn(run, times):
    start = time.monotonic()
    for _ in range(times):
        run()
    return (time.monotonic() - start) / times


def compare(name, ours):
    def ask(times):
        ours.stdin.write(f"{times} {name}\n")
        ours.stdin.flush()
        return float(ours.stdout.readline())

    run = LAYERS[name]
    run(), ask(1)
    times = [max(1, int(SHORT / turn(run, 1))), max(1, int(SHORT / ask(1)))]
    best = [1e9, 1e9]
    for _ in range(ROUNDS):
        best = [min(best[0], turn(run, times[0])), min(best[1], ask(times[1]))]
        time.sleep(0.02)  # PyTorch's threads poll for more work for some milliseconds
    print(f"{name:14} pytorch {best[0] * 1e3:9.3f} ms   tremula {best[1] * 1e3:9.3f} ms   {best[0] / best[1]:6.2f} times PyTorch's speed", flush=True)


print(f"layers, float, {torch.get_num_threads()} threads, PyTorch {torch.__version__}")
with subprocess.Popen([sys.argv[1]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
    for layer in sys.argv[2:] or LAYERS:
        compare(layer, program)
    program.stdin.close()
