// SPDX-License-Identifier: Apache-2.0
// Parameters of a convolution (poplin/conv_params.h).
#ifndef POPLIN_CONV_PARAMS_HPP
#define POPLIN_CONV_PARAMS_HPP

#include <poplar/Type.hpp>
#include <poplar/detail/error.hpp>
#include <poplin/conv_params.h>
#include <poputil/detail/call.hpp>
#include <poputil/exceptions.hpp>

#include <functional>
#include <initializer_list>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>
#include <tuple>
#include <vector>

namespace poplin
{

namespace detail
{

// Copies lists to the arrays of the C interface, and back.
template <typename To, typename From> void fill(To *to, const From &from, std::size_t dims, const char *what)
{
    if (from.size() != dims)
        throw poputil::poplibs_error(std::string("poplin::ConvParams: ") + what + " has " +
                                     std::to_string(from.size()) + " dimensions; the field has " +
                                     std::to_string(dims));
    for (std::size_t d = 0; d < dims && d < POPLIN_MAX_FIELD_DIMS; ++d)
        to[d] = from[d];
}
template <typename To, typename From> std::vector<To> vectorOf(const From *from, std::size_t dims)
{
    // A rank above the limit marks lists of different ranks, which have no dimensions.
    return std::vector<To>(from, from + (dims <= POPLIN_MAX_FIELD_DIMS ? dims : 0));
}

} // namespace detail

class ConvParams
{
  public:
    typedef poputil::detail::Where Where; // the caller's source location, filled in by the compiler

    // What happens to the input or the kernel first, for each field dimension.
    struct InputTransform {
        std::vector<unsigned> truncationLower; // elements cut off before each dimension, first
        std::vector<unsigned> truncationUpper; // elements cut off after each dimension, first
        std::vector<unsigned> dilation;     // distance between neighbouring elements: 1 is none, d inserts d - 1 zeros
        std::vector<unsigned> paddingLower; // zeros added before each dimension, after dilation
        std::vector<unsigned> paddingUpper; // zeros added after each dimension, after dilation
        std::vector<bool> flip;             // whether the order of a dimension's elements is reversed, last

        InputTransform() = default;
        // The identity transform.
        explicit InputTransform(std::size_t dims)
            : truncationLower(dims, 0), truncationUpper(dims, 0), dilation(dims, 1), paddingLower(dims, 0),
              paddingUpper(dims, 0), flip(dims, false)
        {
        }
        InputTransform(std::vector<unsigned> truncationLower_, std::vector<unsigned> truncationUpper_,
                       std::vector<unsigned> dilation_, std::vector<unsigned> paddingLower_,
                       std::vector<unsigned> paddingUpper_, std::vector<bool> flip_)
            : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
              dilation(std::move(dilation_)), paddingLower(std::move(paddingLower_)),
              paddingUpper(std::move(paddingUpper_)), flip(std::move(flip_))
        {
        }
    };

    // What happens to the output last, for each field dimension.
    struct OutputTransform {
        std::vector<unsigned> truncationLower; // elements cut off before each dimension, first
        std::vector<unsigned> truncationUpper; // elements cut off after each dimension, first
        std::vector<unsigned> stride;          // every stride-th element is kept; 1: all
        std::vector<unsigned> paddingLower;    // zeros added before each dimension, last
        std::vector<unsigned> paddingUpper;    // zeros added after each dimension, last

        OutputTransform() = default;
        // No change, for `dims` dimensions.
        explicit OutputTransform(std::size_t dims)
            : truncationLower(dims, 0), truncationUpper(dims, 0), stride(dims, 1), paddingLower(dims, 0),
              paddingUpper(dims, 0)
        {
        }
        // All parts.
        OutputTransform(std::vector<unsigned> truncationLower_, std::vector<unsigned> truncationUpper_,
                        std::vector<unsigned> stride_, std::vector<unsigned> paddingLower_,
                        std::vector<unsigned> paddingUpper_)
            : truncationLower(std::move(truncationLower_)), truncationUpper(std::move(truncationUpper_)),
              stride(std::move(stride_)), paddingLower(std::move(paddingLower_)), paddingUpper(std::move(paddingUpper_))
        {
        }
    };

    poplar::Type inputType;                   // of inputs and kernel
    poplar::Type outputType;                  // of the output
    std::size_t batchSize;                    // images
    std::vector<std::size_t> inputFieldShape; // extents of an image, channels aside
    std::vector<std::size_t> kernelShape;     // extents of the kernel: an entry for each field dimension
    std::size_t inputChannelsPerConvGroup;    // input channels of a group
    std::size_t outputChannelsPerConvGroup;   // output channels of a group
    std::size_t numConvGroups;                // groups: channels of one group use none of another
    InputTransform inputTransform;            // what happens to the input first
    InputTransform kernelTransform;           // what happens to the kernel first
    OutputTransform outputTransform;          // what happens to the output last

    ConvParams() : batchSize(0), inputChannelsPerConvGroup(0), outputChannelsPerConvGroup(0), numConvGroups(0)
    {
    }
    // A convolution without transforms, of one type.
    ConvParams(poplar::Type dataType, std::size_t batchSize_, std::vector<std::size_t> inputFieldShape_,
               std::vector<std::size_t> kernelShape_, std::size_t inputChannels, std::size_t outputChannels,
               std::size_t numConvGroups_, Where where = Where::here())
        : ConvParams(dataType, dataType, batchSize_, std::move(inputFieldShape_), std::move(kernelShape_),
                     inputChannels, outputChannels, numConvGroups_, where)
    {
    }
    ConvParams(poplar::Type inputType_, poplar::Type outputType_, std::size_t batchSize_,
               std::vector<std::size_t> inputFieldShape_, std::vector<std::size_t> kernelShape_,
               std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups_,
               Where where = Where::here())
        : inputType(inputType_), outputType(outputType_), batchSize(batchSize_),
          inputFieldShape(std::move(inputFieldShape_)), kernelShape(std::move(kernelShape_)),
          inputChannelsPerConvGroup(inputChannels), outputChannelsPerConvGroup(outputChannels),
          numConvGroups(numConvGroups_), inputTransform(inputFieldShape.size()),
          kernelTransform(inputFieldShape.size()), outputTransform(inputFieldShape.size())
    {
        validate(where);
    }
    // A convolution without transforms, of one type.
    ConvParams(poplar::Type dataType, std::size_t batchSize_, std::vector<std::size_t> inputFieldShape_,
               std::vector<std::size_t> kernelShape_, std::size_t inputChannels, std::size_t outputChannels,
               std::size_t numConvGroups_, InputTransform inputTransform_, InputTransform kernelTransform_,
               OutputTransform outputTransform_, Where where = Where::here())
        : ConvParams(dataType, dataType, batchSize_, std::move(inputFieldShape_), std::move(kernelShape_),
                     inputChannels, outputChannels, numConvGroups_, std::move(inputTransform_),
                     std::move(kernelTransform_), std::move(outputTransform_), where)
    {
    }
    // A convolution without transforms, with types of the inputs and of the output.
    ConvParams(poplar::Type inputType_, poplar::Type outputType_, std::size_t batchSize_,
               std::vector<std::size_t> inputFieldShape_, std::vector<std::size_t> kernelShape_,
               std::size_t inputChannels, std::size_t outputChannels, std::size_t numConvGroups_,
               InputTransform inputTransform_, InputTransform kernelTransform_, OutputTransform outputTransform_,
               Where where = Where::here())
        : inputType(inputType_), outputType(outputType_), batchSize(batchSize_),
          inputFieldShape(std::move(inputFieldShape_)), kernelShape(std::move(kernelShape_)),
          inputChannelsPerConvGroup(inputChannels), outputChannelsPerConvGroup(outputChannels),
          numConvGroups(numConvGroups_), inputTransform(std::move(inputTransform_)),
          kernelTransform(std::move(kernelTransform_)), outputTransform(std::move(outputTransform_))
    {
        validate(where);
    }
    // Converts from the C interface.
    explicit ConvParams(const poplin_conv_params &p)
        : inputType(p.input_type), outputType(p.output_type), batchSize(p.batch_size),
          inputFieldShape(detail::vectorOf<std::size_t>(p.input_field_shape, p.num_field_dims)),
          kernelShape(detail::vectorOf<std::size_t>(p.kernel_shape, p.num_field_dims)),
          inputChannelsPerConvGroup(p.input_channels_per_conv_group),
          outputChannelsPerConvGroup(p.output_channels_per_conv_group), numConvGroups(p.num_conv_groups),
          inputTransform(transformOf(p.input_transform, p.num_field_dims)),
          kernelTransform(transformOf(p.kernel_transform, p.num_field_dims)),
          outputTransform(transformOf(p.output_transform, p.num_field_dims))
    {
    }

    // Converts to the C interface; throws if lists have different lengths.
    poplin_conv_params c() const
    {
        const pop_shape field = { inputFieldShape.size(), inputFieldShape.data() },
                        kernel = { kernelShape.size(), kernelShape.data() };
        poplin_conv_params p =
            poplin_conv_params_make(inputType.c(), outputType.c(), batchSize, field, kernel, inputChannelsPerConvGroup,
                                    outputChannelsPerConvGroup, numConvGroups);
        setTransform(p.input_transform, inputTransform, field.rank);
        setTransform(p.kernel_transform, kernelTransform, field.rank);
        detail::fill(p.output_transform.truncation_lower, outputTransform.truncationLower, field.rank,
                     "outputTransform.truncationLower");
        detail::fill(p.output_transform.truncation_upper, outputTransform.truncationUpper, field.rank,
                     "outputTransform.truncationUpper");
        detail::fill(p.output_transform.stride, outputTransform.stride, field.rank, "outputTransform.stride");
        detail::fill(p.output_transform.padding_lower, outputTransform.paddingLower, field.rank,
                     "outputTransform.paddingLower");
        detail::fill(p.output_transform.padding_upper, outputTransform.paddingUpper, field.rank,
                     "outputTransform.paddingUpper");
        return p;
    }

    void validate(Where where = Where::here()) const
    {
        const poplin_conv_params p = c();
        pop_error error;
        if (poplin_conv_params_validate_at(where, &p, &error) != POP_OK)
            poputil::detail::raise(error);
    }
    ConvParams canonicalize() const
    {
        const poplin_conv_params p = c();
        return ConvParams(poplin_conv_params_canonicalize(&p));
    }

    // Number of field dimensions.
    std::size_t getNumFieldDims() const
    {
        return inputFieldShape.size();
    }
    // Number of groups.
    std::size_t getNumConvGroups() const
    {
        return numConvGroups;
    }
    // Number of images.
    std::size_t getBatchSize() const
    {
        return batchSize;
    }
    // Input size of a field dimension.
    std::size_t getInputSize(unsigned dim) const
    {
        return inputFieldShape[dim];
    }
    // Input sizes of the field.
    std::vector<std::size_t> getInputFieldShape() const
    {
        return inputFieldShape;
    }
    // Sizes of the kernel.
    std::vector<std::size_t> getKernelShape() const
    {
        return kernelShape;
    }
    // Input channels of a group.
    std::size_t getNumInputChansPerConvGroup() const
    {
        return inputChannelsPerConvGroup;
    }
    // Output channels of a group.
    std::size_t getNumOutputChansPerConvGroup() const
    {
        return outputChannelsPerConvGroup;
    }
    // Input channels of all groups.
    std::size_t getNumInputChans() const
    {
        return inputChannelsPerConvGroup * numConvGroups;
    }
    // Output channels of all groups.
    std::size_t getNumOutputChans() const
    {
        return outputChannelsPerConvGroup * numConvGroups;
    }
    // Input size of a field dimension after truncation.
    unsigned getTruncatedInputSize(unsigned dim) const
    {
        return static_cast<unsigned>(size(poplin_conv_truncated_input_size, dim));
    }
    // Input size of a field dimension after its transform.
    unsigned getTransformedInputSize(unsigned dim) const
    {
        return static_cast<unsigned>(size(poplin_conv_transformed_input_size, dim));
    }
    // Kernel size of a field dimension after truncation.
    unsigned getTruncatedKernelSize(unsigned dim) const
    {
        return static_cast<unsigned>(size(poplin_conv_truncated_kernel_size, dim));
    }
    // Kernel size of a field dimension after its transform.
    unsigned getTransformedKernelSize(unsigned dim) const
    {
        return static_cast<unsigned>(size(poplin_conv_transformed_kernel_size, dim));
    }
    // Output size of a field dimension before its transform.
    std::size_t getUntransformedOutputSize(unsigned dim) const
    {
        return size(poplin_conv_untransformed_output_size, dim);
    }
    // Output size of a field dimension.
    std::size_t getOutputSize(unsigned dim) const
    {
        return size(poplin_conv_output_size, dim);
    }
    // Output sizes of the field.
    std::vector<std::size_t> getOutputFieldShape() const
    {
        std::vector<std::size_t> shape;
        for (unsigned d = 0; d < inputFieldShape.size(); ++d)
            shape.push_back(getOutputSize(d));
        return shape;
    }

    friend bool operator==(const ConvParams &a, const ConvParams &b)
    {
        return compare(a, b) == 0;
    }
    friend bool operator!=(const ConvParams &a, const ConvParams &b)
    {
        return compare(a, b) != 0;
    }
    friend bool operator<(const ConvParams &a, const ConvParams &b)
    {
        return compare(a, b) < 0;
    }

  private:
    static int compare(const ConvParams &a, const ConvParams &b)
    {
        const poplin_conv_params left = a.c(), right = b.c();
        return poplin_conv_params_compare(&left, &right);
    }
    std::size_t size(std::size_t (*of)(const poplin_conv_params *, std::size_t), unsigned dim) const
    {
        const poplin_conv_params p = c();
        return of(&p, dim);
    }
    static InputTransform transformOf(const poplin_input_transform &t, std::size_t dims)
    {
        return InputTransform(
            detail::vectorOf<unsigned>(t.truncation_lower, dims), detail::vectorOf<unsigned>(t.truncation_upper, dims),
            detail::vectorOf<unsigned>(t.dilation, dims), detail::vectorOf<unsigned>(t.padding_lower, dims),
            detail::vectorOf<unsigned>(t.padding_upper, dims), detail::vectorOf<bool>(t.flip, dims));
    }
    static OutputTransform transformOf(const poplin_output_transform &t, std::size_t dims)
    {
        return OutputTransform(
            detail::vectorOf<unsigned>(t.truncation_lower, dims), detail::vectorOf<unsigned>(t.truncation_upper, dims),
            detail::vectorOf<unsigned>(t.stride, dims), detail::vectorOf<unsigned>(t.padding_lower, dims),
            detail::vectorOf<unsigned>(t.padding_upper, dims));
    }
    static void setTransform(poplin_input_transform &to, const InputTransform &from, std::size_t dims)
    {
        detail::fill(to.truncation_lower, from.truncationLower, dims, "truncationLower");
        detail::fill(to.truncation_upper, from.truncationUpper, dims, "truncationUpper");
        detail::fill(to.dilation, from.dilation, dims, "dilation");
        detail::fill(to.padding_lower, from.paddingLower, dims, "paddingLower");
        detail::fill(to.padding_upper, from.paddingUpper, dims, "paddingUpper");
        detail::fill(to.flip, from.flip, dims, "flip");
    }
};

inline std::ostream &operator<<(std::ostream &out, const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    std::vector<char> text(poplin_conv_params_to_text(&p, nullptr, 0) + 1);
    poplin_conv_params_to_text(&p, text.data(), text.size());
    return out << text.data();
}
// Reads the format that << writes, to the end of the stream.
inline std::istream &operator>>(std::istream &in, ConvParams &params)
{
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    poplin_conv_params read;
    pop_error error;
    if (poplin_conv_params_from_text(text.c_str(), &read, nullptr, &error) != POP_OK)
        throw poputil::poplibs_error(poplar::detail::errorText(error));
    params = ConvParams(read);
    return in;
}

namespace detail
{

// All members, for comparisons and hashes.
inline std::tuple<const std::vector<unsigned> &, const std::vector<unsigned> &, const std::vector<unsigned> &,
                  const std::vector<unsigned> &, const std::vector<unsigned> &, const std::vector<bool> &>
members(const ConvParams::InputTransform &t)
{
    return std::tie(t.truncationLower, t.truncationUpper, t.dilation, t.paddingLower, t.paddingUpper, t.flip);
}
inline std::tuple<const std::vector<unsigned> &, const std::vector<unsigned> &, const std::vector<unsigned> &,
                  const std::vector<unsigned> &, const std::vector<unsigned> &>
members(const ConvParams::OutputTransform &t)
{
    return std::tie(t.truncationLower, t.truncationUpper, t.stride, t.paddingLower, t.paddingUpper);
}
inline std::size_t hashed(std::initializer_list<const std::vector<unsigned> *> lists)
{
    std::size_t hash = 0;
    for (const std::vector<unsigned> *list : lists)
        for (unsigned number : *list)
            hash = (hash ^ number) * 0x9e3779b1u + (hash >> 7);
    return hash;
}

} // namespace detail

inline bool operator==(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b)
{
    return detail::members(a) == detail::members(b);
}
inline bool operator!=(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b)
{
    return !(a == b);
}
inline bool operator<(const ConvParams::InputTransform &a, const ConvParams::InputTransform &b)
{
    return detail::members(a) < detail::members(b);
}
inline bool operator==(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b)
{
    return detail::members(a) == detail::members(b);
}
inline bool operator!=(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b)
{
    return !(a == b);
}
inline bool operator<(const ConvParams::OutputTransform &a, const ConvParams::OutputTransform &b)
{
    return detail::members(a) < detail::members(b);
}

// Hashes: equal parameters have equal ones.
inline std::size_t hash_value(const ConvParams::InputTransform &t)
{
    return detail::hashed({ &t.truncationLower, &t.truncationUpper, &t.dilation, &t.paddingLower, &t.paddingUpper }) ^
           std::hash<std::vector<bool>>()(t.flip);
}
inline std::size_t hash_value(const ConvParams::OutputTransform &t)
{
    return detail::hashed({ &t.truncationLower, &t.truncationUpper, &t.stride, &t.paddingLower, &t.paddingUpper });
}
inline std::size_t hash_value(const ConvParams &params)
{
    const poplin_conv_params p = params.c();
    return static_cast<std::size_t>(poplin_conv_params_hash(&p));
}

} // namespace poplin

namespace std
{
template <> struct hash<poplin::ConvParams::InputTransform> {
    std::size_t operator()(const poplin::ConvParams::InputTransform &t) const
    {
        return poplin::hash_value(t);
    }
};
template <> struct hash<poplin::ConvParams::OutputTransform> {
    std::size_t operator()(const poplin::ConvParams::OutputTransform &t) const
    {
        return poplin::hash_value(t);
    }
};
template <> struct hash<poplin::ConvParams> {
    std::size_t operator()(const poplin::ConvParams &params) const
    {
        return poplin::hash_value(params);
    }
};
} // namespace std
#endif
