// SPDX-License-Identifier: Apache-2.0
// Tutorial 5: a basic machine learning example.  Logistic regression of handwritten digits by gradient descent: ten
// outputs, each a weighted sum of 784 pixels; the weights follow the gradient of the cross entropy of their softmax,
// batch after batch.
//
//     ./regression-demo [-IPU] [DIRECTORY]      a modelled IPU, or one of type IPU; the directory of the MNIST files
//     (data)
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/codelets.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/codelets.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Zero.hpp>
#include <popops/codelets.hpp>

#include "digits/digits.h"

#include <iomanip>
#include <iostream>
#include <string>

using namespace poplar;
using namespace poplar::program;

namespace
{

const unsigned batchSize = 16, numEpochs = 3;
const float learningRate = 0.05f;

// A model, or the first device of type IPU
Device getDevice(bool useIpu)
{
    if (!useIpu) {
        IPUModel ipuModel;
        return ipuModel.createDevice();
    }
    DeviceManager manager = DeviceManager::createDeviceManager();
    for (Device &device : manager.getDevices(TargetType::IPU, 1))
        if (device.attach())
            return std::move(device);
    std::cerr << "there is no device of type IPU (TREMULA_IPU=ipu2 models one)\n";
    std::exit(EXIT_FAILURE);
}

struct Network {
    Tensor numCorrect;
    Sequence train, test; // a batch each
};

Network build(Graph &graph)
{
    // Streams for the data: a batch of pictures and their labels
    Tensor images = graph.addVariable(FLOAT, { batchSize, DIGITS_PIXELS }, VariableMappingMethod::LINEAR, "images");
    Tensor labels = graph.addVariable(UNSIGNED_INT, { batchSize }, VariableMappingMethod::LINEAR, "labels");
    DataStream imageStream = graph.addHostToDeviceFIFO("images", FLOAT, batchSize * DIGITS_PIXELS);
    DataStream labelStream = graph.addHostToDeviceFIFO("labels", UNSIGNED_INT, batchSize);

    // The weights have the layout that the product plans
    Tensor weights = poplin::createMatMulInputRHS(graph, FLOAT, { batchSize, DIGITS_PIXELS },
                                                  { DIGITS_PIXELS, DIGITS_CLASSES }, "weights");
    Tensor loss = graph.addVariable(FLOAT, { batchSize }, VariableMappingMethod::LINEAR, "loss");
    Network network;
    network.numCorrect = graph.addVariable(UNSIGNED_INT, {}, VariableMappingMethod::LINEAR, "numCorrect");

    // Forward: the probability of each digit, and the gradient of the loss
    Sequence &forward = network.test;
    forward.add(Copy(imageStream, images));
    forward.add(Copy(labelStream, labels));
    Tensor outputs = poplin::matMul(graph, images, weights, forward, "outputs");
    popnn::nonLinearityInPlace(graph, popnn::NonLinearityType::SOFTMAX, outputs, forward, "softmax");
    Tensor deltas = graph.clone(outputs, "deltas");
    forward.add(popnn::calcLoss(graph, outputs, labels, loss, deltas, network.numCorrect,
                                popnn::LossType::CROSS_ENTROPY_LOSS, "loss"));

    // Backward: update the weights
    network.train.add(forward);
    poplin::matMulAcc(graph, weights, -learningRate / batchSize, images.transpose(), deltas, network.train, "update");
    return network;
}

// Counts from zero over all batches of a set of digits
Sequence over(Graph &graph, const Network &network, const Sequence &batch, const digits &set)
{
    Sequence all;
    popops::zero(graph, network.numCorrect, all, "numCorrect");
    all.add(Repeat(static_cast<unsigned>(set.count / batchSize), batch));
    return all;
}

double accuracy(Engine &engine, unsigned program, digits &set)
{
    std::size_t used = set.count / batchSize * batchSize;
    unsigned correct = 0;
    engine.connectStream("images", set.images, set.images + used * DIGITS_PIXELS);
    engine.connectStream("labels", set.labels, set.labels + used);
    engine.run(program);
    engine.readTensor("numCorrect", &correct);
    return 100.0 * correct / static_cast<double>(used);
}

} // namespace

int main(int argc, char **argv)
{
    bool useIpu = argc > 1 && std::string(argv[1]) == "-IPU";
    const char *directory = argc > 1 + useIpu ? argv[1 + useIpu] : "data";
    digits train = digits_load(directory, "train", 4000, 1), test = digits_load(directory, "t10k", 1000, 2);
    if (train.drawn)
        std::cout << "No MNIST files in " << directory << ": " << train.count << " digits are drawn instead\n";

    Device device = getDevice(useIpu);
    Graph graph(device.getTarget());
    popops::addCodelets(graph);
    poplin::addCodelets(graph);
    popnn::addCodelets(graph);
    Network network = build(graph);
    graph.createHostRead("numCorrect", network.numCorrect);

    Engine engine(graph, { over(graph, network, network.train, train), over(graph, network, network.test, test) });
    engine.load(device);
    std::cout << std::fixed << std::setprecision(1);
    for (unsigned epoch = 1; epoch <= numEpochs; ++epoch) {
        double right = accuracy(engine, 0, train);
        std::cout << "Epoch " << epoch << ": accuracy " << right << " % while training, " << accuracy(engine, 1, test)
                  << " % in the test\n"
                  << std::flush;
    }
    digits_free(&train);
    digits_free(&test);
    return 0;
}
