// SPDX-License-Identifier: Apache-2.0
// A user of the libraries with codelets: each library finds those that are installed with it.
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/codelets.hpp>
#include <poputil/TileMapping.hpp>

int main()
{
    poplar::IPUModel model;
    model.tilesPerIPU = 8;
    poplar::Device device = model.createDevice();
    poplar::Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    poplar::Tensor ones = graph.addConstant(poplar::FLOAT, { 6, 6 }, 1.0f);
    poputil::mapTensorLinearly(graph, ones);
    poplar::program::Sequence prog;
    poplar::Tensor product = poplin::matMul(graph, ones, ones, prog, "product");
    popnn::reluInPlace(graph, product, prog, "relu");
    graph.createHostRead("product", product);
    poplar::Engine engine(graph, prog);
    engine.load(device);
    engine.run(0);
    float values[36];
    engine.readTensor("product", values, values + 36);
    return values[0] != 6 || values[35] != 6;
}
