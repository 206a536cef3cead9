// SPDX-License-Identifier: Apache-2.0
// The parameters of a fully connected layer with sparse weights (popsparse/fully_connected_params.h).
#ifndef POPSPARSE_FULLY_CONNECTED_PARAMS_HPP
#define POPSPARSE_FULLY_CONNECTED_PARAMS_HPP

#include <popsparse/SparsityParams.hpp>
#include <popsparse/fully_connected_params.h>
#include <poputil/detail/call.hpp>

namespace popsparse
{
namespace dynamic
{

// A layer.  Both numbers of channels given to the functions that make it are those of one group.
class FullyConnectedParams
{
    typedef poputil::detail::Where Where;

  public:
    FullyConnectedParams() : params()
    {
    }
    // Weights that store a share of all elements, 0 to 1.
    static FullyConnectedParams createWithNzRatio(const SparsityParams &sparsityParams, double nzRatio,
                                                  std::size_t batchSize, std::size_t numGroups,
                                                  std::size_t inputChannels, std::size_t outputChannels,
                                                  Where where = Where::here())
    {
        return FullyConnectedParams(
            sparsityParams,
            popsparse_dynamic_fully_connected_params_create_with_nz_ratio(sparsityParams.c(), nzRatio, batchSize,
                                                                          numGroups, inputChannels, outputChannels),
            where);
    }
    // Weights that store a number of elements, of all groups.
    static FullyConnectedParams createWithNumNonZeroValues(const SparsityParams &sparsityParams,
                                                           std::size_t numNonZeroElems, std::size_t batchSize,
                                                           std::size_t numGroups, std::size_t inputChannels,
                                                           std::size_t outputChannels, Where where = Where::here())
    {
        return FullyConnectedParams(
            sparsityParams,
            popsparse_dynamic_fully_connected_params_create_with_num_non_zero_values(
                sparsityParams.c(), numNonZeroElems, batchSize, numGroups, inputChannels, outputChannels),
            where);
    }

    // Rows of the layer's input.
    std::size_t getBatchSize() const
    {
        return params.batch_size;
    }
    // Groups: independent matrices of weights.
    std::size_t getNumGroups() const
    {
        return params.num_groups;
    }
    // Channels of the input, of all groups together.
    std::size_t getInputChannels() const
    {
        return params.num_groups * params.input_channels_per_group;
    }
    // Channels of the output, of all groups together.
    std::size_t getOutputChannels() const
    {
        return params.num_groups * params.output_channels_per_group;
    }
    // Columns of one group's weights.
    std::size_t getInputChannelsPerGroup() const
    {
        return params.input_channels_per_group;
    }
    // Rows of one group's weights.
    std::size_t getOutputChannelsPerGroup() const
    {
        return params.output_channels_per_group;
    }
    // The blocks of the weights.
    const SparsityParams &getSparsityParams() const
    {
        return sparsity;
    }
    // The share of the weights that is stored, 0 to 1; of a layer made with a number of values, that number divided by
    // all elements.
    double getNzRatio() const
    {
        return params.nz_ratio;
    }
    // Elements that are stored, of all groups; of a layer made with a share, that share of all elements, rounded up.
    std::size_t getNumNonZeroValues() const
    {
        return params.num_non_zero_values;
    }
    // The parameters of the C interface, which this object owns.
    const popsparse_dynamic_fully_connected_params &c() const
    {
        return params;
    }

  private:
    FullyConnectedParams(const SparsityParams &sparsityParams, const popsparse_dynamic_fully_connected_params &made,
                         Where where)
        : sparsity(sparsityParams), params(made)
    {
        pop_error error;
        if (popsparse_dynamic_fully_connected_params_validate_at(where, &params, &error) != POP_OK)
            poputil::detail::raise(error);
    }
    SparsityParams sparsity;
    popsparse_dynamic_fully_connected_params params;
};

inline bool operator<(const FullyConnectedParams &a, const FullyConnectedParams &b)
{
    const popsparse_dynamic_fully_connected_params &p = a.c(), &q = b.c();
    return std::tie(a.getSparsityParams(), p.nz_ratio, p.num_non_zero_values, p.batch_size, p.num_groups,
                    p.input_channels_per_group, p.output_channels_per_group) <
           std::tie(b.getSparsityParams(), q.nz_ratio, q.num_non_zero_values, q.batch_size, q.num_groups,
                    q.input_channels_per_group, q.output_channels_per_group);
}
inline bool operator==(const FullyConnectedParams &a, const FullyConnectedParams &b)
{
    return !(a < b) && !(b < a);
}
inline bool operator!=(const FullyConnectedParams &a, const FullyConnectedParams &b)
{
    return !(a == b);
}
inline std::ostream &operator<<(std::ostream &out, const FullyConnectedParams &p)
{
    return out << "{ sparsityParams: " << p.getSparsityParams() << ", nzRatio: " << p.getNzRatio()
               << ", batchSize: " << p.getBatchSize() << ", numGroups: " << p.getNumGroups()
               << ", inputChannelsPerGroup: " << p.getInputChannelsPerGroup()
               << ", outputChannelsPerGroup: " << p.getOutputChannelsPerGroup() << " }";
}

} // namespace dynamic
} // namespace popsparse
#endif
