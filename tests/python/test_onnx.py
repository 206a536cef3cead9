# SPDX-License-Identifier: Apache-2.0
"""tremula.onnx: models of tests/onnx/models.py, compared with NumPy in double precision."""

import os
import sys
import unittest

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("NumPy is not installed for this Python") from None

import tremula as tm

try:
    import tremula.onnx
except ImportError as problem:
    raise unittest.SkipTest("this build has no libtremula_onnx: %s" % problem) from None

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "onnx"))
import models  # noqa: E402

W = np.random.default_rng(5).normal(size=(6, 4)).astype(np.float32)


def dense():
    """y = relu(x w), with an open first dimension."""
    net = models.Network()
    net.add("MatMul", "product", ["x", net.weight("w", [6, 4], [float(v) for v in W.ravel()])])
    net.add("Relu", "y", ["product"])
    return models.model(models.graph(net.nodes, [models.value("x", ["batch", 6])], [models.value("y", ["batch", 4])], net.weights))


def reshaping():
    """z = reshape(x, s): the contents of s decide a shape."""
    nodes = [models.node("Reshape", ["x", "s"], ["r"], "shape"), models.node("Add", ["r", "r"], ["z"], "twice")]
    return models.model(models.graph(nodes, [models.value("x", [12]), models.value("s", [2], models.INT64)], [models.value("z", ["a", "b"])]))


def integers():
    """Sums of int64, which are computed in 32 bits; and the shape of x, which is known when the graph is built."""
    nodes = [models.node("Add", ["x", "x"], ["sum"], "sum"), models.node("Shape", ["x"], ["shape"], "size")]
    return models.model(models.graph(nodes, [models.value("x", [2, 3], models.INT64)], [models.value("sum", [2, 3], models.INT64), models.value("shape", [2], models.INT64)]))


class Models(unittest.TestCase):
    def setUp(self):
        self.device = tm.IPUModel(tiles_per_ipu=8)

    def test_what_a_model_says(self):
        model = tm.onnx.load(models.make_small())
        self.assertEqual((model.opset, model.num_nodes, model.producer, model.missing), (13, 4, "models.py", []))
        self.assertEqual([(v.name, v.dtype, v.shape) for v in model.inputs + model.outputs],
                         [("input", np.float32, ("batch", 3, 8, 8)), ("output", np.float32, ("batch", 10))])
        self.assertEqual({use.name: use.nodes for use in model.operators}, {"Conv": 1, "Relu": 1, "Flatten": 1, "Gemm": 1})
        self.assertRegex(repr(model), "(?s)4 nodes.*input: float {batch, 3, 8, 8}.*all operators are supported")
        self.assertIn("Frobnicate x 1 (missing; first in 'strange')", repr(tm.onnx.load(models.make_unknown())))
        self.assertIn(("", "Conv"), [row[:2] for row in tm.onnx.operators()])

    def test_results_are_numpy_s(self):
        x = np.random.default_rng(6).normal(size=(5, 6)).astype(np.float32)
        expected = np.maximum(x.astype(float) @ W, 0)
        model = tm.onnx.load(dense())
        for session in (model.compile(self.device, batch=5), model.compile(self.device, dims={"batch": 5}), model.compile(self.device, {"x": (5, 6)}),
                        model.compile(self.device, {"x": x})):
            np.testing.assert_allclose(session.run({"x": x})["y"], expected, atol=1e-5)
            np.testing.assert_allclose(session({"x": -x})["y"], np.maximum(-x.astype(float) @ W, 0), atol=1e-5)
        half = model.compile(self.device, batch=5, type="half").run({"x": x})["y"]
        self.assertEqual(half.dtype, np.float32)
        np.testing.assert_allclose(half, expected, atol=2e-2)
        self.assertGreater(np.abs(half - expected).max(), 1e-5)

    def test_dimensions_without_names(self):
        model = tm.onnx.load(models.make_nameless())
        self.assertEqual(model.inputs[0].shape, (None, 4))
        for session in (model.compile(self.device, batch=3), model.compile(self.device, dims={"x:0:0": 3})):
            np.testing.assert_array_equal(session.run({"x:0": np.full((3, 4), -1.0)})["y"], np.zeros((3, 4)))

    def test_outputs_are_the_caller_s(self):
        session = tm.onnx.load(dense()).compile(self.device, batch=1)
        first = session.run({"x": np.ones((1, 6))})["y"]
        before = first.copy()
        session.run({"x": -np.ones((1, 6))})
        np.testing.assert_array_equal(first, before)

    def test_contents_that_decide_a_shape(self):
        model = tm.onnx.load(reshaping())
        x = np.arange(12, dtype=np.float32)
        for shape in ((3, 4), (6, 2)):
            z = model.compile(self.device, {"s": np.array(shape)}).run({"x": x})["z"]
            np.testing.assert_array_equal(z, 2 * x.reshape(shape))
        with self.assertRaisesRegex(tm.Error, "'s'"):
            model.compile(self.device)
        with self.assertRaisesRegex(ValueError, "input 's' decides a shape.*compile"):
            model.compile(self.device, {"s": np.array((3, 4))}).run({"x": x, "s": np.array((4, 3))})

    def test_integers_and_outputs_that_are_known(self):
        session = tm.onnx.load(integers()).compile(self.device)
        x = np.arange(6).reshape(2, 3)
        results = session.run({"x": x})
        self.assertEqual(results["sum"].dtype, np.int64)
        np.testing.assert_array_equal(results["sum"], 2 * x)
        np.testing.assert_array_equal(results["shape"], [2, 3])
        with self.assertRaises(tm.IndexError):
            session.run({"x": x + 2**40})

    def test_steps_of_the_host(self):
        """Boxes that only the running program knows: their number differs from run to run."""
        for kind, places in (("float", 5), ("half", 1)):
            session = tm.onnx.load(models.make_boxes()).compile(self.device, type=kind)
            corners = np.array([[0, 10, 1, 11], [0, 0, 1, 1], [0, 100, 1, 101]], float)
            for shift in (0.25, 0.0, -3.0):
                results = session.run({"shift": np.array([shift], np.float32)})
                self.assertEqual(results["chosen"].dtype, np.int64)
                np.testing.assert_array_equal(results["chosen"], [[0, 0, 3], [0, 0, 0], [0, 0, 5]])
                np.testing.assert_array_almost_equal(results["back"], corners, places)
        model = tm.onnx.load(models.make_boxes()).compile(self.device, {"shift": np.zeros(1, np.float32)})
        few = model.run({"shift": np.full(1, 1e9, np.float32)})  # in floats all boxes are one point there
        many = model.run({"shift": np.zeros(1, np.float32)})
        self.assertNotEqual(few["chosen"].shape, many["chosen"].shape)
        self.assertEqual(many["back"].shape, (3, 4))

    def test_mistakes_say_what_is_wrong(self):
        model = tm.onnx.load(dense())
        session = model.compile(self.device, batch=2)
        x = np.zeros((2, 6), np.float32)
        for call, kind, text in (
            (lambda: session.run(), KeyError, r"no values for input 'x': float32 of shape \(2, 6\)"),
            (lambda: session.run({"y": x}), KeyError, r"no input 'y' \(it has x\)"),
            (lambda: session.run({"x": x[:1]}), ValueError, r"compiled for the shape \(2, 6\), and has \(1, 6\)"),
            (lambda: session.run({"x": x + 1j}), TypeError, "elements of float32, and complex64 are given"),
            (lambda: model.compile(self.device), tm.Error, "'x' has no number for dimension 0, 'batch'"),
            (lambda: model.compile(self.device, dims={"width": 3}), tm.Error, "no input has a dimension 'width'"),
            (lambda: model.compile(self.device, {"z": x}), KeyError, "no input 'z'"),
            (lambda: model.compile(self.device, batch=2, type="quarter"), tm.Error, "quarter"),
            (lambda: tm.onnx.load("/nowhere.onnx"), tm.FileLoadError, "/nowhere.onnx"),
            (lambda: tm.onnx.load(b"nonsense"), tm.ParseError, "no ONNX model"),
            (lambda: tm.onnx.load(models.make_cycle()), tm.Error, "depends on its own result"),
            (lambda: tm.onnx.load(models.make_unknown()).compile(self.device), tm.Error, "Frobnicate"),
        ):
            with self.assertRaisesRegex(kind, text):
                call()
        np.testing.assert_array_equal(session.run({"x": x})["y"], np.zeros((2, 4)))  # a session can be used after a mistake

    def test_costs_by_node(self):
        session = tm.onnx.load(models.make_small()).compile(tm.IPUModel(tiles_per_ipu=16), batch=2)
        session.run({"input": np.ones((2, 3, 8, 8))})
        nodes = session.nodes
        self.assertEqual({row.name for row in nodes} >= {"conv", "output"}, True)
        self.assertEqual([row.cycles for row in nodes], sorted((row.cycles for row in nodes), reverse=True))
        steps = session.report().execution.steps
        self.assertEqual(sum(row.cycles for row in nodes) + nodes.other_cycles, sum(max(ipu.cycles for ipu in step.ipus) for step in steps))
        conv = next(row for row in nodes if row.name == "conv")
        works = [step for step in steps if step.program.typeName in ("OnTileExecute", "DoExchange")]
        self.assertEqual(conv.cycles, sum(max(ipu.cycles for ipu in step.ipus) for step in works if step.program.name.split("/")[0] == "conv"))
        self.assertEqual(conv.cycles, 3910)  # `tremula run` prints the same
        self.assertEqual((conv.operator, conv.weight_bytes), ("Conv", 4 * (8 * 3 * 9 + 8)))
        self.assertEqual(conv.flops, 2 * (2 * 8 * 8 * 8) * (3 * 3 * 3))
        self.assertIn("conv (Conv)", repr(nodes))
        self.assertRegex(repr(nodes), r"cycles +share +FLOP +weights +output  node\n(.*\n)* +\d+ +[\d.]+% +55296 +896 +4096  conv \(Conv\)")
        self.assertGreater(session.cycles.total, 0)
        self.assertIn("<svg", session._repr_html_())


if __name__ == "__main__":
    unittest.main()
