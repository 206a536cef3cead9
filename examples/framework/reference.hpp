// SPDX-License-Identifier: Apache-2.0
// The training of the model in double precision, in plain loops: the known answer.
#ifndef FRAMEWORK_REFERENCE_HPP
#define FRAMEWORK_REFERENCE_HPP

#include "data.hpp"
#include "model.hpp"

namespace framework
{

class Reference
{
  public:
    Reference(const Network &network, const Adam &adam, const std::map<std::string, std::vector<float>> &weights);
    // A step over the rows of a data set from `first` on, cyclically; returns the mean loss.
    double train(const DataSet &data, std::size_t first, std::size_t rows);
    double accuracy(const DataSet &data) const;
    const std::vector<double> &weights(const std::string &parameter) const
    {
        return parameters.at(parameter).values;
    }

  private:
    struct Parameter {
        std::vector<double> values, gradient, first, second;
    };
    const Network network;
    const Adam adam;
    std::map<std::string, Parameter> parameters;
    unsigned step = 0;

    std::vector<double> layer(const std::string &name, const std::vector<double> &x) const;
    std::vector<double> backward(const std::string &name, const std::vector<double> &x,
                                 const std::vector<double> &ofResult);
    double row(const float *image, std::size_t label, double share);
};

} // namespace framework
#endif
