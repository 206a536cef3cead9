// SPDX-License-Identifier: Apache-2.0
// Trains the model on drawn digits, in half, by two replicas of four tiles each:
//
//     train [--steps N] [--checkpoint FILE] [--cache DIRECTORY] [--report DIRECTORY] [--float]
//
// With a checkpoint that is there, training goes on from it; it is written at the end.
#include "reference.hpp"
#include "session.hpp"

#include <poplar/IPUModel.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace
{

struct Arguments {
    unsigned steps = 60;
    std::string checkpoint, cache, report;
    bool inHalf = true;
};

[[noreturn]] void usage()
{
    std::fputs("usage: train [--steps N] [--checkpoint FILE] [--cache DIRECTORY] [--report DIRECTORY] [--float]\n",
               stderr);
    std::exit(2);
}

Arguments parse(int argc, char **argv)
{
    Arguments arguments;
    for (int i = 1; i < argc; ++i) {
        const std::string word = argv[i];
        if (word == "--float") {
            arguments.inHalf = false;
            continue;
        }
        if (i + 1 == argc)
            usage();
        const char *const value = argv[++i];
        if (word == "--steps")
            arguments.steps = static_cast<unsigned>(std::strtoul(value, nullptr, 10));
        else if (word == "--checkpoint")
            arguments.checkpoint = value;
        else if (word == "--cache")
            arguments.cache = value;
        else if (word == "--report")
            arguments.report = value;
        else
            usage();
    }
    return arguments;
}

} // namespace

int main(int argc, char **argv)
try {
    using namespace framework;
    const Arguments arguments = parse(argc, argv);
    const Network network = { DataSet::pixels, 32, DataSet::classes, 8, arguments.inHalf };
    const DataSet training = drawnDigits(2000, 1), unseen = drawnDigits(400, 2);
    SessionOptions options;
    options.replicas = 2;
    options.microBatches = 2;
    options.lossScale = arguments.inHalf ? 1024 : 1;
    options.cacheDirectory = arguments.cache;
    options.reportDirectory = arguments.report;

    poplar::IPUModel model("ipu2");
    model.numIPUs = options.replicas;
    model.tilesPerIPU = 4;
    const poplar::Device device = model.createDevice();
    Session session(network, Adam(), options, device);
    std::printf("executable: %s\n", session.wasCached() ? "from the cache" : "compiled");
    const bool goesOn = !arguments.checkpoint.empty() && access(arguments.checkpoint.c_str(), R_OK) == 0;
    session.setState(goesOn ? Checkpoint::load(arguments.checkpoint) : Checkpoint::of(initialWeights(network, 1)));
    for (unsigned done = 0; done < arguments.steps;) {
        const unsigned steps = arguments.steps - done < 20 ? arguments.steps - done : 20;
        const std::vector<double> losses = session.train(training, steps);
        done += steps;
        std::printf("%4u steps: loss %.4f\n", done, losses.back());
    }
    std::printf("unseen digits: accuracy %.1f %%\n", 100 * session.accuracy(unseen));
    if (!arguments.checkpoint.empty())
        session.state().save(arguments.checkpoint);
    return 0;
} catch (const std::exception &error) {
    std::fprintf(stderr, "train: %s\n", error.what());
    return 1;
}
