// SPDX-License-Identifier: Apache-2.0
// What tests of the operation libraries need beside the calls that they check: a device, a graph and a program,
// variables with values, and the values of tensors after a run.  A test's own fixture derives from it, adds the
// codelets of its libraries and what its tests share.
#ifndef TESTS_CPP_FIXTURE_HPP
#define TESTS_CPP_FIXTURE_HPP

#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/quarter.h>
#include <poputil/TileMapping.hpp>

#include <string>
#include <utility>
#include <vector>

struct TestFixture {
    typedef std::vector<float> Floats;
    typedef std::vector<std::size_t> Shape;

    poplar::Device device;
    poplar::Graph graph;
    poplar::program::Sequence prog;

    explicit TestFixture(poplar::Device on = poplar::Device::createCPUDevice())
        : device(std::move(on)), graph(device.getTarget()), prog()
    {
    }
    static poplar::Device model(unsigned tiles)
    {
        poplar::IPUModel description;
        description.tilesPerIPU = tiles;
        return description.createDevice();
    }

    poplar::Tensor variable(const poplar::Type &type, const Shape &shape)
    {
        poplar::Tensor t = graph.addVariable(type, shape, "t");
        poputil::mapTensorLinearly(graph, t);
        return t;
    }
    poplar::Tensor floats(const Shape &shape, const Floats &values)
    {
        poplar::Tensor t = variable(poplar::FLOAT, shape);
        graph.setInitialValue<float>(t, values);
        return t;
    }
    // A constant on tile 0.
    template <typename T>
    poplar::Tensor constant(const poplar::Type &type, const Shape &shape, const std::vector<T> &values)
    {
        poplar::Tensor t = graph.addConstant<T>(type, shape, values.data());
        graph.setTileMapping(t, 0);
        return t;
    }

    // A function of its own: with both calls inlined, gcc 12 reports a use after delete.
    __attribute__((noinline)) void start(poplar::Engine &engine)
    {
        engine.load(device);
        engine.run(0);
    }
    // The contents of the tensors after the program, converted to float.
    std::vector<Floats> run(const std::vector<poplar::Tensor> &tensors)
    {
        for (std::size_t i = 0; i < tensors.size(); ++i)
            graph.createHostRead("t" + std::to_string(i), tensors[i]);
        poplar::Engine engine(graph, prog);
        start(engine);
        std::vector<Floats> values;
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const poplar::Tensor &t = tensors[i];
            std::vector<char> raw(t.numElements() * graph.getTarget().getTypeSize(t.elementType()));
            engine.readTensor("t" + std::to_string(i), raw.data(), raw.data() + raw.size());
            values.push_back(Floats(t.numElements()));
            pop_convert(t.elementType().c(), raw.data(), POP_FLOAT, values.back().data(), t.numElements());
        }
        return values;
    }
    Floats run(const poplar::Tensor &t)
    {
        return run(std::vector<poplar::Tensor>{ t })[0];
    }
};

#endif
