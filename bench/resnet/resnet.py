# SPDX-License-Identifier: Apache-2.0
# resnet.py BENCH_RESNET time|check: a training step of ResNet-50 by that program and in PyTorch (Debian: python3-torch).
# time: both on as many threads as there are processors, four images of 224 x 224; ours in half on the modelled ipu2 and in float on the CPU device, PyTorch
# in float.
# check: four images of 64 x 64, on both devices, in float and in half, against PyTorch in double precision from the same rounded values: the gradients of all
# trained tensors, from what the step changed, and the losses.  A deviation is the norm of the difference over the norm of the reference.  Fifty layers of
# norms and relus amplify roundings (a value near 0 passes a relu or does not), so half is compared with the same in PyTorch where results of layers and
# their gradients are rounded to half: ours may deviate as much, the median by half more, others twice.
import os
import subprocess
import sys
import tempfile
import time

import numpy
import torch
from torch.nn import functional

BLOCKS, IMAGES, CLASSES, EPSILON = (3, 4, 6, 3), 4, 1000, 1e-5
TYPES = {"half": torch.half, "float": torch.float}
ALLOWED = 1e-5, 1e-2, 3e-2  # in float: deviation of the losses, of the median gradient, of the worst


def convolutions():
    """Of each convolution: inputs, outputs, kernel, stride, gain of its norm."""
    yield 3, 64, 7, 2, 1.0
    inputs = 64
    for stage, blocks in enumerate(BLOCKS):
        for block in range(blocks):
            width, stride = 64 << stage, 2 if stage and not block else 1
            yield inputs, width, 1, 1, 1.0
            yield width, width, 3, stride, 1.0
            yield width, 4 * width, 1, 1, 0.5  # sums of shortcuts grow slowly
            if not block:
                yield inputs, 4 * width, 1, stride, 1.0
            inputs = 4 * width


def initial(generator):
    """What is trained, in the order of network.h."""
    def random(*shape):
        return torch.randn(*shape, generator=generator)

    tensors = []
    for inputs, outputs, kernel, _, gain in convolutions():
        tensors.append(random(outputs, inputs, kernel, kernel) * (2 / (inputs * kernel * kernel)) ** 0.5)
        tensors += [gain * (1 + 0.1 * random(outputs)), 0.1 * random(outputs)]
    return tensors + [random(2048, CLASSES) * 2048**-0.5, 0.1 * random(CLASSES)]


class ToHalf(torch.autograd.Function):
    @staticmethod
    def forward(context, value):
        return value.half().double()

    @staticmethod
    def backward(context, gradient):
        return gradient.half().double()


def losses(trained, images, labels, rounded=lambda value: value):
    layers = zip(convolutions(), *[iter(trained[:-2])] * 3)

    def layer(values):
        (_, _, kernel, stride, _), weights, gamma, beta = next(layers)
        out = rounded(functional.conv2d(values, weights, stride=stride, padding=kernel // 2))
        return rounded(functional.batch_norm(out, None, None, gamma, beta, training=True, eps=EPSILON))

    out = functional.max_pool2d(layer(images).relu(), 3, 2, 1)
    for blocks in BLOCKS:
        for block in range(blocks):
            values = layer(layer(layer(out).relu()).relu())
            out = rounded(values + (layer(out) if not block else out)).relu()
    logits = rounded(rounded(out.mean((2, 3))) @ trained[-2]) + trained[-1]
    return functional.cross_entropy(rounded(logits), labels, reduction="none")


def step(trained, images, labels, rate, **options):
    each = losses(trained, images, labels, **options)
    gradients = torch.autograd.grad(each.sum(), trained)
    with torch.no_grad():
        for tensor, gradient in zip(trained, gradients):
            tensor -= rate * gradient
    return each.detach(), gradients


def run(program, device, name, side, rate, values, after=None):
    with tempfile.NamedTemporaryFile() as before:
        for tensor in values[:-1]:
            before.write(tensor.to(TYPES[name]).numpy().tobytes())
        before.write(values[-1].to(torch.int32).numpy().tobytes())
        before.flush()
        arguments = [program, device, name, str(IMAGES), str(side), str(CLASSES), repr(rate), before.name]
        return subprocess.run(arguments + ([after] if after else []), check=True, stdout=subprocess.PIPE, text=True).stdout


def data(side):
    generator = torch.Generator().manual_seed(1)
    images = torch.randn(IMAGES, 3, side, side, generator=generator)
    return initial(generator), images, torch.randint(0, CLASSES, (IMAGES,), generator=generator)


def time_both(program):
    trained, images, labels = data(224)
    for device, name in (("ipu2", "half"), ("cpu", "float")):
        print(f"tremula, {device}, {name}, {IMAGES} images of 224 x 224:")
        print(run(program, device, name, 224, 0.001, [*trained, images, labels]), end="", flush=True)
    trained = [tensor.requires_grad_() for tensor in trained]
    for name in "step", "again", "again", "again":
        start = time.monotonic()
        step(trained, images, labels, 0.001)
        print(f"pytorch {torch.__version__}, float, {torch.get_num_threads()} threads: {name} {time.monotonic() - start:9.3f} s", flush=True)


def deviation(value, reference):
    return float((value - reference).norm() / reference.norm())


def deviations(losses_gradients, reference):
    """Of the losses, of the median gradient, of the worst; and which that is."""
    of_each = [deviation(o.flatten(), r.flatten()) for o, r in zip(losses_gradients[1], reference[1])]
    return (deviation(losses_gradients[0], reference[0]), sorted(of_each)[len(of_each) // 2], max(of_each)), of_each.index(max(of_each))


def report(who, found, worst):
    print(f"{who:22} deviation of the losses {found[0]:.1e}, of the gradients: median {found[1]:.1e}, worst {found[2]:.1e} (tensor {worst})", flush=True)


def ours(program, device, name, values, before, rate):
    """Losses and gradients."""
    with tempfile.NamedTemporaryFile() as after:
        run(program, device, name, 64, rate, values, after.name)
        found = torch.from_numpy(numpy.fromfile(after.name, {"half": "f2", "float": "f4"}[name])).double()
    sizes = [tensor.numel() for tensor in before] + [IMAGES]
    if found.numel() != sum(sizes):
        sys.exit(f"{device}, {name}: {found.numel()} values, expected {sum(sizes)}")
    *changed, our_losses = found.split(sizes)
    return our_losses, [(b.flatten() - c) / rate for b, c in zip(before, changed)]


def check(program):
    bad, rate = False, 0.25  # large, so that half keeps what changed
    trained, images, labels = data(64)
    for name in "float", "half":
        before, rounded_images = [tensor.to(TYPES[name]).double() for tensor in trained], images.to(TYPES[name]).double()

        def pytorch(**options):
            return step([tensor.clone().requires_grad_() for tensor in before], rounded_images, labels, rate, **options)

        reference, allowed = pytorch(), ALLOWED
        if name == "half":
            found, worst = deviations(pytorch(rounded=ToHalf.apply), reference)
            report("pytorch, rounded", found, worst)
            allowed = [factor * value for factor, value in zip((2, 1.5, 2), found)]
        for device in "cpu", "ipu2":
            found, worst = deviations(ours(program, device, name, [*trained, images, labels], before, rate), reference)
            report(f"tremula, {device}, {name}", found, worst)
            bad |= any(not f <= a for f, a in zip(found, allowed))
    if bad:
        sys.exit("too far from the reference")


torch.set_num_threads(len(os.sched_getaffinity(0)))
{"time": time_both, "check": check}[sys.argv[2]](sys.argv[1])
