// SPDX-License-Identifier: Apache-2.0
// The state of a training: weights and moments, whole, however many replicas share them; and the step.
#ifndef FRAMEWORK_CHECKPOINT_HPP
#define FRAMEWORK_CHECKPOINT_HPP

#include <map>
#include <string>
#include <vector>

namespace framework
{

struct Checkpoint {
    unsigned step = 0; // steps that were done
    std::map<std::string, std::vector<float>> states;

    // Starts from weights, by the names of parameters; moments are zero.
    static Checkpoint of(const std::map<std::string, std::vector<float>> &weights);
    // A PopEF file of tensors. A file that is there is replaced when the new one is complete.
    void save(const std::string &path) const;
    static Checkpoint load(const std::string &path);
};

} // namespace framework
#endif
