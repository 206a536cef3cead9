// SPDX-License-Identifier: Apache-2.0
// The framework of examples/framework: it computes what a double-precision reference computes, whatever the number of
// replicas, and from the cache and checkpoints; its mistakes have errors.
#include "../cpp/check.hpp"

#include "executable_cache.hpp"
#include "operators.hpp"
#include "reference.hpp"
#include "session.hpp"

#include <poplar/IPUModel.hpp>

#include <cmath>
#include <cstdlib>
#include <dirent.h>
#include <fstream>
#include <unistd.h>

using namespace framework;

namespace
{

constexpr unsigned rowsOfStep = 24;

poplar::Device deviceOf(unsigned replicas)
{
    poplar::IPUModel model("ipu2");
    model.numIPUs = replicas;
    model.tilesPerIPU = 4;
    return model.createDevice();
}

// A step has the same rows for any number of replicas and micro batches.
Network networkOf(unsigned replicas, unsigned microBatches, bool half)
{
    return { DataSet::pixels, 13, DataSet::classes, rowsOfStep / replicas / microBatches, half };
}

SessionOptions optionsOf(unsigned replicas, unsigned microBatches, float lossScale)
{
    SessionOptions options;
    options.replicas = replicas;
    options.microBatches = microBatches;
    options.lossScale = lossScale;
    return options;
}

const DataSet &digits()
{
    static const DataSet set = drawnDigits(301, 1); // no multiple of a step's rows
    return set;
}

// Losses of some steps, and the weights afterwards.
struct Trained {
    std::vector<double> losses;
    Checkpoint state;
};

Trained train(unsigned replicas, unsigned microBatches, bool half, float lossScale, unsigned steps)
{
    const Network network = networkOf(replicas, microBatches, half);
    const poplar::Device device = deviceOf(replicas);
    Session session(network, Adam(), optionsOf(replicas, microBatches, lossScale), device);
    session.setState(Checkpoint::of(initialWeights(network, 5)));
    Trained trained;
    trained.losses = session.train(digits(), steps);
    trained.state = session.state();
    return trained;
}

struct Known {
    std::vector<double> losses;
    Reference reference;
};

Known known(unsigned steps)
{
    const Network network = networkOf(1, 1, false);
    Known answer = { {}, Reference(network, Adam(), initialWeights(network, 5)) };
    for (unsigned step = 0; step < steps; ++step)
        answer.losses.push_back(answer.reference.train(digits(), std::size_t{ step } * rowsOfStep, rowsOfStep));
    return answer;
}

// The largest difference of losses.
double furthest(const std::vector<double> &a, const std::vector<double> &b)
{
    double most = a.size() == b.size() ? 0 : 1e9;
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
        most = std::max(most, std::isfinite(a[i]) ? std::fabs(a[i] - b[i]) : 1e9);
    return most;
}

double furthestWeight(const Trained &trained, const Known &answer)
{
    double most = 0;
    for (const char *parameter : { "hidden/weights", "hidden/bias", "output/weights", "output/bias" }) {
        const std::vector<float> &got = trained.state.states.at(statesOf(parameter).weights);
        most = std::max(most, furthest({ got.begin(), got.end() }, answer.reference.weights(parameter)));
    }
    return most;
}

class Scratch
{
  public:
    std::string path;
    Scratch()
    {
        char name[] = "/tmp/tremula-framework-XXXXXX";
        path = mkdtemp(name);
    }
    ~Scratch()
    {
        for (const std::string &file : files())
            unlink((path + "/" + file).c_str());
        rmdir(path.c_str());
    }
    std::vector<std::string> files() const
    {
        std::vector<std::string> names;
        DIR *directory = opendir(path.c_str());
        while (const dirent *entry = readdir(directory))
            if (entry->d_name[0] != '.')
                names.push_back(entry->d_name);
        closedir(directory);
        return names;
    }
};

} // namespace

TEST(float_training_has_the_known_answer)
{
    const Known answer = known(12);
    const unsigned shapes[][2] = { { 1, 1 }, { 2, 2 }, { 1, 4 }, { 4, 1 } }; // replicas, micro batches
    for (const auto &shape : shapes) {
        const Trained trained = train(shape[0], shape[1], false, 1, 12);
        std::printf("%u replicas, %u micro batches: losses within %.1e, weights within %.1e\n", shape[0], shape[1],
                    furthest(trained.losses, answer.losses), furthestWeight(trained, answer));
        CHECK(furthest(trained.losses, answer.losses) < 2e-5);
        CHECK(furthestWeight(trained, answer) < 1e-5);
    }
}

// Gradients of unlikely classes are below the smallest half without a scale.
TEST(half_training_needs_its_loss_scale)
{
    const Known answer = known(12);
    const double scaled = furthest(train(2, 2, true, 1024, 12).losses, answer.losses),
                 tiny = furthest(train(2, 2, true, 1.0f / 1048576, 12).losses, answer.losses);
    std::printf("half: losses within %.1e with a scale of 1024, %.1e with 2^-20\n", scaled, tiny);
    CHECK(scaled < 0.01);
    CHECK(tiny > 20 * scaled);
}

TEST(training_finds_digits)
{
    const Network network = { DataSet::pixels, 32, DataSet::classes, 16, true };
    const DataSet unseen = drawnDigits(203, 2);
    const poplar::Device device = deviceOf(2);
    Session session(network, Adam(), optionsOf(2, 1, 1024), device);
    session.setState(Checkpoint::of(initialWeights(network, 1)));
    const double before = session.accuracy(unseen);
    session.train(drawnDigits(2000, 1), 120);
    const double after = session.accuracy(unseen);
    std::printf("accuracy of unseen digits: %.1f %% before, %.1f %% after\n", 100 * before, 100 * after);
    CHECK(before < 0.3 && after > 0.8);
}

TEST(a_checkpoint_continues_to_the_bit)
{
    const Scratch scratch;
    const Network network = networkOf(2, 2, true);
    const poplar::Device device = deviceOf(2);
    const Trained whole = train(2, 2, true, 1024, 6);
    {
        Session first(network, Adam(), optionsOf(2, 2, 1024), device);
        first.setState(Checkpoint::of(initialWeights(network, 5)));
        first.train(digits(), 4);
        first.state().save(scratch.path + "/checkpoint.popef");
    }
    Session second(network, Adam(), optionsOf(2, 2, 1024), device);
    second.setState(Checkpoint::load(scratch.path + "/checkpoint.popef"));
    const std::vector<double> losses = second.train(digits(), 2);
    CHECK(losses[0] == whole.losses[4] && losses[1] == whole.losses[5]);
    CHECK(second.state().step == 6 && second.state().states == whole.state.states);
    CHECK_THROWS(Checkpoint::load(scratch.path + "/none"), poplar::file_load_error, "none");
}

TEST(a_cached_executable_is_the_compiled_one)
{
    const Scratch scratch;
    const Network network = networkOf(2, 1, true);
    const poplar::Device device = deviceOf(2);
    SessionOptions options = optionsOf(2, 1, 1024);
    options.cacheDirectory = scratch.path;
    Checkpoint states[3];
    for (int i = 0; i < 3; ++i) {
        if (i == 2) { // a damaged file is not used, and is replaced
            CHECK(scratch.files().size() == 1);
            std::ofstream(scratch.path + "/" + scratch.files()[0], std::ios::app) << "damage";
        }
        Session session(network, Adam(), options, device);
        CHECK(session.wasCached() == (i == 1));
        session.setState(Checkpoint::of(initialWeights(network, 5)));
        session.train(digits(), 3);
        states[i] = session.state();
    }
    CHECK(states[0].states == states[1].states && states[0].states == states[2].states);
    CHECK(Session(network, Adam(), options, device).wasCached());
    options.engine.set("target.deterministicWorkers", "true");
    CHECK(!Session(network, Adam(), options, device).wasCached()); // other options: another executable
    Adam slower;
    slower.beta1 = 0.8;
    CHECK(!Session(network, slower, options, device).wasCached()); // another operator's attribute
    CHECK(scratch.files().size() == 3);
}

TEST(models_that_do_not_fit_are_refused)
{
    Ir ir;
    ir.declare({ "a", poplar::FLOAT, { 2, 3 }, Role::Input, "" });
    ir.declare({ "b", poplar::FLOAT, { 2, 3 }, Role::Parameter, "" });
    CHECK_THROWS(ir.apply(Phase::Forward, "MatMul", { "a", "b" }), std::invalid_argument, "MatMul:0: 'a' and 'b'");
    CHECK_THROWS(ir.apply(Phase::Forward, "MatMul", { "a" }), std::invalid_argument, "input 1 is missing");
    CHECK_THROWS(ir.apply(Phase::Forward, "Conv", { "a" }), std::invalid_argument, "no operator 'Conv'");
    CHECK_THROWS(ir.apply(Phase::Forward, "Relu", { "c" }), std::out_of_range, "no value 'c'");
    CHECK_THROWS(ir.declare({ "a", poplar::FLOAT, {}, Role::Input, "" }), std::invalid_argument, "two values 'a'");
    CHECK(ir.apply(Phase::Forward, "MatMul", { "a", "b" }, { { "transposeB", 1 } }).size() == 1);
}
MAIN()
