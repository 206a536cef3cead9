// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include "executable_cache.hpp"
#include "lowering.hpp"
#include "streams.hpp"

#include <popdist/popdist_poplar.hpp>
#include <pvti/pvti.hpp>

#include <cmath>
#include <fstream>
#include <stdexcept>

namespace framework
{

static poplar::OptionFlags engineOptions(const SessionOptions &options)
{
    poplar::OptionFlags flags = options.engine;
    flags.set("exchange.enablePrefetch", "true");
    if (!options.reportDirectory.empty()) {
        flags.set("autoReport.all", "true");
        flags.set("autoReport.directory", options.reportDirectory);
    }
    return flags;
}

Session::Session(const Network &of, const Adam &optimiser, const SessionOptions &with, const poplar::Device &on)
    : network(of), adam(optimiser), options(with), device(on)
{
    const Ir ir = networkIr(network, adam);
    const poplar::OptionFlags flags = engineOptions(options);
    const ExecutableCache cache(options.cacheDirectory, ir,
                                poplar::EngineOptions(flags, device.getTarget(), options.replicas),
                                options.microBatches);
    Compiled compiled;
    cached = cache.load(compiled);
    if (!cached) {
        compiled = compile(ir, flags);
        cache.save(compiled);
    }
    divisions = compiled.divisions;
    metadata = compiled.metadata;
    writeFrameworkFiles(ir);
    runs.reset(new poplar::Engine(std::move(compiled.executable), flags));
    runs->load(device);
}

Compiled Session::compile(const Ir &ir, const poplar::OptionFlags &flags)
{
    static const char label[] = "Session::compile(...)"; // the label ends before the parenthesis
    static pvti::TraceChannel channel("Framework");
    const pvti::Tracepoint point(&channel, label, 16);
    poplar::Graph graph(device.getTarget(), poplar::replication_factor(options.replicas));
    Lowering lowering(ir, graph, options.microBatches);
    Compiled compiled;
    compiled.divisions = lowering.divisions();
    compiled.metadata.setExecutable("model");
    compiled.metadata.setReplicationFactor(options.replicas);
    compiled.metadata.setNumIpus(graph.getTarget().getNumIPUs());
    compiled.metadata.setAnchors(lowering.anchors());
    compiled.metadata.programFlow().setLoad({ StateFromHost });
    compiled.metadata.programFlow().setMain({ TrainStep, Evaluate });
    compiled.metadata.programFlow().setSave({ StateToHost });
    compiled.executable = poplar::compileGraph(graph, lowering.programs(), flags);
    records = lowering.takeDebugInfo();
    return compiled;
}

// Facts that the report shows beside the engine's own.
void Session::writeFrameworkFiles(const Ir &ir) const
{
    if (options.reportDirectory.empty())
        return;
    poplar::ProfileValue::Map facts, app;
    std::size_t operators = 0;
    for (const Phase phase : { Phase::Forward, Phase::Backward, Phase::Update })
        operators += ir.ops(phase).size();
    facts["name"] = "examples/framework";
    facts["operators"] = operators;
    facts["replicas"] = options.replicas;
    facts["microBatches"] = options.microBatches;
    facts["executableCached"] = cached;
    app["task"] = "digits of 14 x 14 pixels";
    app["hiddenUnits"] = network.hidden;
    app["precision"] = network.half ? "half" : "float";
    app["lossScale"] = options.lossScale;
    std::ofstream frameworkFile(options.reportDirectory + "/framework.json"),
        appFile(options.reportDirectory + "/app.json");
    poplar::serializeToJSON(frameworkFile, facts, true);
    poplar::serializeToJSON(appFile, app, true);
}

const popef::Anchor &Session::anchor(const std::string &handle) const
{
    for (const popef::Anchor &found : metadata.anchors())
        if (found.handle() == handle)
            return found;
    throw std::out_of_range("there is no stream '" + handle + "'");
}

void Session::run(unsigned program, const char *name)
{
    popdist::run(*runs, program, name); // in several processes: in all of them
}

// ---- state ----

// The elements of all replicas, one replica after another.
static std::string parameterOf(const std::string &state)
{
    return state.substr(0, state.rfind('/'));
}

void Session::setState(const Checkpoint &checkpoint)
{
    std::map<std::string, std::vector<float>> divided;
    for (const auto &entry : checkpoint.states) {
        const Division &division = divisions.at(parameterOf(entry.first));
        std::vector<float> &parts = divided[entry.first];
        parts.resize(division.getNumRearrangedTensorElems());
        division.rearrangeForCollective(entry.second, parts);
        runs->connectStream("from/" + entry.first, parts);
    }
    run(StateFromHost, "StateFromHost");
    step = checkpoint.step;
}

Checkpoint Session::state()
{
    Checkpoint checkpoint;
    checkpoint.step = step;
    std::map<std::string, std::vector<float>> divided;
    for (const popef::Anchor &found : metadata.anchors())
        if (found.programs() == std::vector<std::int64_t>{ StateToHost }) {
            std::vector<float> &parts = divided[found.name()];
            parts.resize(divisions.at(parameterOf(found.name())).getNumRearrangedTensorElems());
            runs->connectStream(found.handle(), parts);
        }
    run(StateToHost, "StateToHost");
    for (const auto &entry : divided) {
        const Division &division = divisions.at(parameterOf(entry.first));
        std::size_t elements = 0;
        for (const poplar::Interval &slice : division.getGatheredToRefSlices())
            elements += slice.size();
        std::vector<float> &whole = checkpoint.states[entry.first];
        whole.resize(elements);
        division.undoRearrangeForCollective(entry.second, whole);
    }
    return checkpoint;
}

// ---- runs ----

// New callbacks: what the old ones had fetched ahead is discarded.
void Session::connectInputs(const std::string &prefix, const DataSet &data, std::size_t firstMicroBatch)
{
    const Order order = { options.replicas, network.microBatch, firstMicroBatch };
    for (const char *name : { "pixels", "labels" })
        for (unsigned replica = 0; replica < options.replicas; ++replica)
            runs->connectStreamToCallback(prefix + name, replica,
                                          inputCallback(anchor(prefix + name), data, order, replica));
}

std::vector<double> Session::train(const DataSet &data, unsigned steps)
{
    const double rows = static_cast<double>(network.microBatch) * options.microBatches * options.replicas;
    std::vector<double> losses(steps, 0);
    unsigned current = 0;
    connectInputs("train/", data, std::size_t{ step } * options.microBatches);
    for (unsigned replica = 0; replica < options.replicas; ++replica)
        runs->connectStreamToCallback("train/loss", replica, outputCallback([&](std::size_t, const void *buffer) {
                                          const float *loss = static_cast<const float *>(buffer);
                                          for (std::size_t i = 0; i < network.microBatch; ++i)
                                              losses[current] += static_cast<double>(loss[i]) / rows;
                                      }));
    for (; current < steps; ++current) {
        ++step;
        // In the order of their names, as Tensors places them: lossScale, rate, unscale.
        float scalars[] = { options.lossScale, static_cast<float>(adam.rateAt(step)),
                            static_cast<float>(1 / (static_cast<double>(options.lossScale) * rows)) };
        runs->connectStream("train/scalars", scalars, scalars + 3);
        run(TrainStep, "TrainStep");
    }
    return losses;
}

double Session::accuracy(const DataSet &data)
{
    const std::size_t together = network.microBatch * options.replicas;
    std::size_t right = 0;
    connectInputs("evaluate/", data, 0);
    for (unsigned replica = 0; replica < options.replicas; ++replica)
        runs->connectStreamToCallback(
            "evaluate/prediction", replica, outputCallback([&, replica](std::size_t transfer, const void *buffer) {
                const Order order = { options.replicas, network.microBatch, 0 };
                for (std::size_t i = 0; i < network.microBatch; ++i) {
                    const std::size_t row = order.row(transfer, replica, i);
                    right += row < data.count() && static_cast<const std::uint32_t *>(buffer)[i] == data.labels[row];
                }
            }));
    for (std::size_t row = 0; row < data.count(); row += together)
        run(Evaluate, "Evaluate");
    return static_cast<double>(right) / static_cast<double>(data.count());
}

} // namespace framework
