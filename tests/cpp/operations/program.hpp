// SPDX-License-Identifier: Apache-2.0
// Shared by these programs: the devices they run on, values, and the comparison with the host's results.
#ifndef TESTS_CPP_OPERATIONS_PROGRAM_HPP
#define TESTS_CPP_OPERATIONS_PROGRAM_HPP

#include <cmath>
#include <cstdio>
#include <functional>
#include <poplar/Device.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <random>
#include <string>
#include <vector>

namespace host
{

typedef std::vector<float> Values;

inline bool &failed()
{
    static bool any = false;
    return any;
}
inline void check(bool right, const std::string &what)
{
    if (!right) {
        std::fprintf(stderr, "%s\n", what.c_str());
        failed() = true;
    }
}
template <typename Got, typename Wanted>
void near(const std::string &what, const Got &got, const Wanted &wanted, double relative = 1e-4, double absolute = 1e-5)
{
    check(got.size() == wanted.size(), what + ": " + std::to_string(got.size()) + " values");
    for (std::size_t i = 0; i < got.size() && i < wanted.size(); ++i) {
        const double seen = static_cast<double>(got[i]), right = static_cast<double>(wanted[i]);
        if (!(std::fabs(seen - right) <= absolute + relative * std::fabs(right)))
            return check(false, what + "[" + std::to_string(i) + "] is " + std::to_string(seen) + ", not " +
                                    std::to_string(right));
    }
}

inline Values random(std::size_t count, float low = -1, float high = 1)
{
    static std::mt19937 generator(7);
    std::uniform_real_distribution<float> distribution(low, high);
    Values values(count);
    for (float &value : values)
        value = distribution(generator);
    return values;
}
// Row-major c{m,n} = a{m,k} b{k,n}.
template <typename A, typename B>
std::vector<double> product(const A &a, const B &b, std::size_t m, std::size_t k, std::size_t n)
{
    std::vector<double> c(m * n);
    for (std::size_t i = 0; i < m; ++i)
        for (std::size_t l = 0; l < k; ++l)
            for (std::size_t j = 0; j < n; ++j)
                c[i * n + j] += static_cast<double>(a[i * k + l]) * static_cast<double>(b[l * n + j]);
    return c;
}

inline void write(poplar::Engine &engine, const std::string &handle, const Values &values)
{
    engine.writeTensor(handle, values.data(), values.data() + values.size());
}
template <typename T = float> std::vector<T> read(poplar::Engine &engine, const std::string &handle, std::size_t count)
{
    std::vector<T> values(count);
    engine.readTensor(handle, values.data(), values.data() + count);
    return values;
}

// Runs the program on both modelled machines and on the CPU; returns main's result.
inline int onDevices(unsigned tiles, const std::function<void(const poplar::Device &)> &run)
{
    for (const char *version : { "ipu1", "ipu2" }) {
        poplar::IPUModel model(version);
        model.tilesPerIPU = tiles;
        run(model.createDevice());
    }
    run(poplar::Device::createCPUDevice());
    return failed();
}

} // namespace host
#endif
