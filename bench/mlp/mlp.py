# SPDX-License-Identifier: Apache-2.0
# The same step in PyTorch (Debian: python3-torch), on as many threads as there are processors.
import os
import time

import torch

LAYERS, BATCH, STEPS, ROUNDS = [784, 512, 512, 10], 128, 50, 7
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


first, best = step().item(), 1e9
for _ in range(ROUNDS):
    start = time.monotonic()
    for _ in range(STEPS):
        last = step()
    best = min(best, (time.monotonic() - start) / STEPS)
print(f"pytorch  {best * 1e3:.3f} ms a step, best of {ROUNDS} times {STEPS}; loss {first:.3f} to {last.item():.3f}")
