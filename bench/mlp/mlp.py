# SPDX-License-Identifier: Apache-2.0
# mlp.py BENCH_MLP: a training step in PyTorch (Debian: python3-torch), and the same by that program, from the same numbers, on as many threads as there are
# processors.  Short rounds of both alternate, each while the other sleeps, so that other load affects both alike; the best of each counts.  At
# the end both must have the same losses.
import os
import subprocess
import sys
import tempfile
import time

import torch

LAYERS, BATCH, STEPS, ROUNDS = [784, 512, 512, 10], 128, 5, 40
torch.set_num_threads(len(os.sched_getaffinity(0)))
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(784, 512), torch.nn.ReLU(), torch.nn.Linear(512, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
optimiser = torch.optim.SGD(model.parameters(), lr=0.05)
criterion = torch.nn.CrossEntropyLoss()
batch, labels = torch.rand(BATCH, 784) - 0.5, torch.randint(0, 10, (BATCH,))


def step():
    optimiser.zero_grad(set_to_none=True)
    loss = criterion(model(batch), labels)
    loss.backward()
    optimiser.step()
    return loss


def steps():
    start = time.monotonic()
    for _ in range(STEPS):
        last = step()
    return (time.monotonic() - start) / STEPS, last


data = tempfile.NamedTemporaryFile()
for layer in model:
    if isinstance(layer, torch.nn.Linear):
        data.write(layer.weight.detach().t().contiguous().numpy().tobytes())
        data.write(layer.bias.detach().numpy().tobytes())
data.write(batch.numpy().tobytes())
data.write(labels.float().numpy().tobytes())
data.flush()

first, best, theirs = step().item(), 1e9, 1e9
with subprocess.Popen([sys.argv[1], str(STEPS), data.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
    for _ in range(ROUNDS):
        seconds, last = steps()
        best = min(best, seconds)
        time.sleep(0.02)  # its threads poll for more work for some milliseconds
        other.stdin.write("\n")
        other.stdin.flush()
        theirs = min(theirs, float(other.stdout.readline()))
    other.stdin.close()
    their_first, their_last = map(float, other.stdout.read().split())
print(f"pytorch  {best * 1e3:.3f} ms a step; loss {first:.4f} to {last.item():.4f}")
print(f"tremula  {theirs * 1e3:.3f} ms a step; loss {their_first:.4f} to {their_last:.4f}")
print(f"{best / theirs:.2f} times PyTorch's speed (best of {ROUNDS} turns of {STEPS} steps each)")
if abs(their_first / first - 1) > 1e-3 or abs(their_last / last.item() - 1) > 1e-3:
    sys.exit("the losses differ")
