# SPDX-License-Identifier: Apache-2.0
"""The package tremula: what programs in Python build, compared with NumPy in double precision."""

import ast
import gc
import inspect
import math
import os
import unittest

try:
    import numpy as np
except ImportError:
    raise unittest.SkipTest("NumPy is not installed for this Python") from None

import tremula as tm


def run(graph, main, *names):
    engine = tm.Engine(graph, main)
    engine.run()
    return [engine[name] for name in names]


class Small(unittest.TestCase):
    def setUp(self):
        self.graph = tm.Graph(tm.IPUModel(tiles_per_ipu=4))
        self.random = np.random.default_rng(1)

    def variable(self, values, name):
        tensor = self.graph.host_access(self.graph.variable(values.dtype, values.shape, name=name).map_linearly(), name)
        self.graph.set_initial_value(tensor, values)
        return tensor

    def floats(self, *shape):
        return self.random.normal(size=shape).astype(np.float32)

    def value(self, build):
        """The value of what `build()` builds."""
        with self.graph.sequence() as main:
            self.graph.host_read(build(), "result")
        return run(self.graph, main, "result")[0]


class Views(Small):
    def test_indices_are_numpy_s(self):
        values = np.arange(2 * 3 * 5, dtype=np.int32).reshape(2, 3, 5)
        a = self.variable(values, "a")
        indices = [0, -1, (1, 2), (Ellipsis, 3), (slice(None), slice(1, None)), (0, slice(None, None, 2)), (slice(None), slice(None), slice(4, None, -2)), (None, 1), (slice(1, 1),),
                   (Ellipsis, slice(None, None, -1)), (1, Ellipsis, None), (slice(None), slice(2, 0, -1), slice(1, 4, 3))]
        with self.graph.sequence() as main:
            for i, index in enumerate(indices):
                view = a[index]
                self.assertEqual(view.shape, values[index].shape, index)
                if view.size:
                    self.graph.host_read(view, "view %d" % i)
        engine = tm.Engine(self.graph, main).run()
        for i, index in enumerate(indices):
            if values[index].size:
                np.testing.assert_array_equal(engine["view %d" % i], values[index], str(index))

    def test_wrong_indices(self):
        a = self.graph.variable("int", (2, 3))
        for index in (2, -3, (0, 3), (0, 0, 0), (Ellipsis, Ellipsis), "x", 1.5):
            with self.assertRaises(IndexError, msg=index):
                a[index]

    def test_shapes(self):
        a = self.graph.variable("float", (4, 6))
        self.assertEqual(a.reshape(-1, 3).shape, (8, 3))
        self.assertEqual(a.T.shape, (6, 4))
        self.assertEqual(a.reshape((2, 2, 6)).transpose(2, 0, 1).shape, (6, 2, 2))
        self.assertEqual(a[None].squeeze().shape, (4, 6))
        self.assertEqual(tm.concat([a, a[:1]]).shape, (5, 6))
        self.assertEqual(self.graph.variable("float").shape, ())
        self.assertEqual(self.graph.variable("float", (0, 3)).size, 0)
        self.assertEqual(self.graph.variable("float", (1,) * 8).ndim, 8)

    def test_views_of_many_steps_do_not_grow_without_bound(self):
        a = self.graph.variable("float", (8,))
        for _ in range(1000):
            tm.concat([a[::2], a[1::2]])
        gc.collect()


class Arithmetic(Small):
    def test_operators(self):
        a, b = self.floats(5, 7), self.floats(7)
        ta, tb = self.variable(a, "a"), self.variable(b, "b")
        cases = {
            "add": (lambda x, y: x + y * 2.0), "sub": (lambda x, y: 1 - x - y), "div": (lambda x, y: x / (y + 10)), "neg": (lambda x, y: -x), "abs": (lambda x, y: abs(x)),
            "less": (lambda x, y: x < y), "same": (lambda x, y: (x >= y) & (x != 0.0)), "pow": (lambda x, y: (x * x + 1) ** 0.5),
        }
        with self.graph.sequence() as main:
            for name, case in cases.items():
                self.graph.host_read(case(ta, tb), name)
        engine = tm.Engine(self.graph, main).run()
        for name, case in cases.items():
            expected = case(a.astype(np.float64), b.astype(np.float64))
            np.testing.assert_allclose(engine[name], expected, rtol=1e-5, atol=1e-6, err_msg=name)

    def test_in_place(self):
        a = self.variable(np.arange(5, dtype=np.int32), "a")
        with self.graph.sequence() as main:
            a += 3
            with self.graph.repeat(4):
                a *= 2
        np.testing.assert_array_equal(run(self.graph, main, "a")[0], (np.arange(5) + 3) * 16)

    def test_products_and_reductions(self):
        a, b, v = self.floats(5, 7), self.floats(7, 3), self.floats(7)
        ta, tb, tv = self.variable(a, "a"), self.variable(b, "b"), self.variable(v, "v")
        with self.graph.sequence() as main:
            for name, tensor in {"ab": ta @ tb, "av": ta @ tv, "sum": ta.sum(axis=0), "mean": ta.mean(axis=1, keepdims=True), "max": ta.max()}.items():
                self.graph.host_read(tensor, name)
        engine = tm.Engine(self.graph, main).run()
        wide = a.astype(np.float64)
        for name, expected in {"ab": wide @ b, "av": wide @ v, "sum": wide.sum(0), "mean": wide.mean(1, keepdims=True), "max": wide.max()}.items():
            np.testing.assert_allclose(engine[name], expected, rtol=1e-5, atol=1e-5, err_msg=name)
            self.assertEqual(engine[name].shape, expected.shape)

    def test_half(self):
        a = self.floats(9).astype(np.float16)
        ta = self.variable(a, "a")
        got = self.value(lambda: tm.popops.tanh(ta))
        self.assertEqual(got.dtype, np.float16)
        np.testing.assert_allclose(got.astype(float), np.tanh(a.astype(float)), atol=2e-3)

    def test_a_tensor_has_no_truth(self):
        with self.assertRaisesRegex(TypeError, "if_"):
            bool(self.graph.variable("float", ()))


class Operations(Small):
    def test_names_defaults_and_help(self):
        signature = inspect.signature(tm.poplin.mat_mul)
        self.assertEqual(list(signature.parameters)[:2], ["a", "b"])
        self.assertIs(signature.parameters["options"].default, None)
        self.assertIn("A{m,k} B{k,n}", tm.poplin.mat_mul.__doc__)
        self.assertIn("add_in_place", dir(tm.popops))
        with self.assertRaisesRegex(AttributeError, "did you mean"):
            tm.popops.reducee

    def test_stubs_say_what_the_functions_take(self):
        place = os.path.dirname(tm.__file__)
        for library in ("popops", "poplin", "popnn", "poprand", "poputil", "gcl"):
            with open(os.path.join(place, library + ".pyi")) as file:
                tree = ast.parse(file.read())
            for stub in tree.body:
                if isinstance(stub, ast.FunctionDef):
                    names = [argument.arg for argument in stub.args.args + stub.args.kwonlyargs]
                    self.assertEqual(names, list(inspect.signature(getattr(getattr(tm, library), stub.name)).parameters), library + "." + stub.name)

    def test_results_through_pointers_are_returned(self):
        acts = self.variable(self.floats(4, 3, 5), "acts")
        with self.graph.sequence() as main:
            mean, inverse = tm.poplin.norm_statistics(acts, 1e-5)
            self.graph.host_read(mean, "mean")
            self.graph.host_read(inverse, "inverse")
        engine = tm.Engine(self.graph, main).run()
        a = engine["acts"].astype(np.float64)
        np.testing.assert_allclose(engine["mean"], a.mean((0, 2)), atol=1e-5)
        np.testing.assert_allclose(engine["inverse"], 1 / np.sqrt(a.var((0, 2)) + 1e-5), rtol=1e-4)

    def test_structures(self):
        params = tm.poplin.conv_params_make("float", "float", 2, (5, 5), (3, 3), 4, 6, 1)
        with self.graph.sequence() as main:
            image = tm.poplin.create_input(params, name="in")
            weights = tm.poplin.create_weights(params, name="weights")
            out = tm.poplin.convolution(image, weights, params)
        self.assertEqual(out.shape, (2, 6, 3, 3))
        with self.assertRaisesRegex(AttributeError, "no field"):
            params.nonsense

    def test_enumerators_by_name(self):
        a = self.floats(4, 5)
        ta = self.variable(a, "a")
        np.testing.assert_allclose(self.value(lambda: tm.popops.reduce(ta, dims=1, params={"op": "MAX"})), a.max(1))
        with self.graph.sequence(), self.assertRaisesRegex(ValueError, "is none of"):
            tm.popops.reduce(ta, dims=1, params="MAXIMUM")


class Programs(Small):
    SOURCE = """
    #include <poplar/Vertex.hpp>
    struct Scale : poplar::Vertex {
        poplar::Input<poplar::Vector<float>> in;
        poplar::Output<float> out;
        float factor;
        void compute() {
            float sum = 0;
            for (auto x : in) sum += x;
            *out = sum * factor;
        }
    };
    """

    def test_vertices_from_arrays(self):
        self.graph.add_codelets(self.SOURCE, "cpp")
        values = self.floats(7, 3)
        a = self.variable(values, "a")
        out = self.variable(np.zeros(7, np.float32), "out")
        with self.graph.sequence() as main:
            stage = self.graph.compute_set("scale")
            stage.vertices("Scale", np.arange(7) % 4, {"in": a, "out": out}, factor=np.arange(7))
            self.graph.execute(stage)
        got = run(self.graph, main, "out")[0]
        np.testing.assert_allclose(got, values.astype(float).sum(1) * np.arange(7), rtol=1e-5, atol=1e-6)

    def test_mistakes_of_newcomers(self):
        a = self.variable(self.floats(3), "a")
        with self.assertRaisesRegex(TypeError, "no field 'tiles' .did you mean tiles_per_ipu"):
            tm.IPUModel(tiles=4)
        with self.graph.sequence():
            for call in (lambda: a + np.ones(3), lambda: np.ones(3) * a):
                with self.assertRaisesRegex(TypeError, r"not an array of shape \(3,\); graph.constant\(array\)"):
                    call()
        with self.assertRaisesRegex(TypeError, r"a tensor has no values.*engine\[name\]"):
            np.asarray(a)

    def test_mistakes_name_the_line_of_the_program(self):
        line = inspect.currentframe().f_lineno + 2
        with self.assertRaises(tm.InvalidTileMapping) as caught:
            self.graph.variable("float", (3,), tile=99)
        self.assertEqual((caught.exception.file, caught.exception.line), (__file__, line))
        with self.assertRaises(tm.Error):  # the graph can still be used
            self.graph.compute_set().vertices("Nothing", [0])
        self.graph.variable("float", (3,), tile=0)
        self.graph.add_codelets(self.SOURCE, "cpp")
        with self.assertRaisesRegex(tm.GraphConnectionError, "first dimension must be the number of vertices, 2"):
            self.graph.compute_set().vertices("Scale", [0, 1], {"in": self.graph.variable("float", (3, 2))})
        with self.assertRaises(RuntimeError):
            self.graph.variable("float", (3,)) + 1

    def test_streams_from_arrays_generators_and_functions(self):
        a = self.graph.variable("float", (3,), tile=1)
        numbers, squares = self.graph.stream_to_device("numbers", "float", 3), self.graph.stream_to_host("squares", "float", 3)
        with self.graph.sequence() as main:
            with self.graph.repeat(4):
                self.graph.copy(numbers, a)
                a *= a
                self.graph.copy(a, squares)
        engine = tm.Engine(self.graph, main)
        seen = []
        engine.connect(numbers, (np.full(3, i, np.float32) for i in range(6)))
        engine.connect(squares, lambda values: seen.append(values.copy()))
        engine.run()
        np.testing.assert_array_equal(seen, [[i * i] * 3 for i in range(4)])
        with self.assertRaisesRegex(RuntimeError, "generator ended"):
            engine.run()

        def fails():
            raise KeyError("mine")

        engine.connect(numbers, fails)
        with self.assertRaisesRegex(KeyError, "mine"):
            engine.run()

    def test_branches(self):
        a = self.variable(np.array([1], np.int32), "a")
        with self.graph.sequence() as main:
            with self.graph.if_((a > 5)[0]) as branch:
                a += 100
            with branch.otherwise():
                a += 10
        engine = tm.Engine(self.graph, main)
        self.assertEqual([int(engine.run()["a"][0]) for _ in range(3)], [11, 111, 211])

    def test_cycles_report_and_pictures(self):
        a = self.variable(self.floats(64), "a")
        with self.graph.sequence() as main:
            a += 1
        engine = tm.Engine(self.graph, main)
        engine.run()
        self.assertGreater(engine.cycles.compute, 0)
        self.assertEqual(engine.report().compilation.target.numTiles, 4)
        self.assertIn("cycles", engine._repr_html_())
        self.assertRegex(a._repr_html_(), "64 elements on .*elements on each tile, 0 to 1<")
        self.assertIn("Target", engine.summary())
        engine = tm.Engine(self.graph, main, progress=lambda done, total: self.assertLessEqual(done, total))

    def test_read_and_write(self):
        a = self.variable(np.arange(6, dtype=np.float32).reshape(2, 3), "a")
        with self.graph.sequence() as main:
            a *= 2
        engine = tm.Engine(self.graph, main)
        engine["a"] = 1.5
        out = np.empty((2, 3), np.float32)
        self.assertIs(engine.run().read("a", out), out)
        np.testing.assert_array_equal(out, 3)
        with self.assertRaises(ValueError):
            engine.read("a", np.empty((3, 2), np.float32))
        with self.assertRaisesRegex(KeyError, "host_access"):
            engine["b"]

    def test_cpu(self):
        graph = tm.Graph(tm.CPU())
        a = graph.variable("float", (5,), tile=0)
        graph.set_initial_value(a, np.arange(5))
        with graph.sequence() as main:
            graph.host_read(tm.popops.exp(a), "out")
        np.testing.assert_allclose(run(graph, main, "out")[0], np.exp(np.arange(5.0)), rtol=1e-6)

    def test_mapping(self):
        a = self.graph.variable("float", (6,))
        self.assertEqual(a.map_as({0: [(0, 2)], 3: [(2, 6)]}).mapping, {0: [(0, 2)], 3: [(2, 6)]})
        self.assertEqual(self.graph.variable("float", (3,)).mapping, {})
        self.assertEqual(self.graph.target.tiles, 4)
        self.assertTrue(math.isclose(self.graph.target.tile_clock_frequency, 1.33e9, rel_tol=0.5))


if __name__ == "__main__":
    unittest.main()
