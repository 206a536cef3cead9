// SPDX-License-Identifier: Apache-2.0
// A model on a device: compiled or taken from the cache, trained, evaluated, saved.
#ifndef FRAMEWORK_SESSION_HPP
#define FRAMEWORK_SESSION_HPP

#include "checkpoint.hpp"
#include "compiled.hpp"
#include "data.hpp"
#include "debug_info.hpp"
#include "model.hpp"

#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>

#include <memory>

namespace framework
{

struct SessionOptions {
    unsigned replicas = 1;
    unsigned microBatches = 1; // of a step, in each replica
    float lossScale = 1;
    std::string cacheDirectory;  // empty: nothing is cached
    std::string reportDirectory; // empty: no report
    poplar::OptionFlags engine;  // further options
};

class Session
{
  public:
    // The device has an equal part for each replica, and outlives the session.
    Session(const Network &network, const Adam &adam, const SessionOptions &options, const poplar::Device &on);

    // Whether nothing was compiled.
    bool wasCached() const
    {
        return cached;
    }
    void setState(const Checkpoint &checkpoint);
    Checkpoint state();
    // Trains for some steps, with the rows that follow those of earlier steps; returns the mean loss of each.
    std::vector<double> train(const DataSet &data, unsigned steps);
    // The share of rows whose class is found.
    double accuracy(const DataSet &data);
    poplar::Engine &engine()
    {
        return *runs;
    }

  private:
    const Network network;
    const Adam adam;
    const SessionOptions options;
    const poplar::Device &device;
    std::vector<std::unique_ptr<OpDebugInfo>> records; // before the engine: they end after it
    std::map<std::string, Division> divisions;
    popef::Metadata metadata;
    std::unique_ptr<poplar::Engine> runs;
    bool cached = false;
    unsigned step = 0; // steps that were done

    Compiled compile(const Ir &ir, const poplar::OptionFlags &flags);
    void run(unsigned program, const char *name);
    void connectInputs(const std::string &prefix, const DataSet &data, std::size_t firstMicroBatch);
    void writeFrameworkFiles(const Ir &ir) const;
    const popef::Anchor &anchor(const std::string &handle) const;
};

} // namespace framework
#endif
