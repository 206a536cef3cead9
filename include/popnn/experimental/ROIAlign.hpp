// SPDX-License-Identifier: Apache-2.0
// Regions of images, pooled to a fixed size by bilinear samples (popnn/roi_align.h).
#ifndef POPNN_EXPERIMENTAL_ROI_ALIGN_HPP
#define POPNN_EXPERIMENTAL_ROI_ALIGN_HPP

#include <poplar/Program.hpp>
#include <popnn/roi_align.h>
#include <poputil/detail/call.hpp>

namespace popnn
{
namespace experimental
{

// How regions are pooled.
struct roiAlignParams {
    std::size_t samplingRatio_; // samples of a bin in each direction
    std::size_t alignedHeight_; // rows of a region's bins
    std::size_t alignedWidth_;  // columns of a region's bins
    bool aligned_;              // whether regions move by half a pixel
    float spatialScale_;        // factor from the regions' coordinates to those of the data

    // samplingRatio samples of a bin in each direction, poolH x poolW bins of a region; aligned and spatialScale as the
    // fields. Nothing is checked before the call that uses them.
    roiAlignParams(std::size_t samplingRatio, std::size_t poolH, std::size_t poolW, bool aligned, float spatialScale)
        : samplingRatio_(samplingRatio), alignedHeight_(poolH), alignedWidth_(poolW), aligned_(aligned),
          spatialScale_(spatialScale)
    {
    }
    // The parameters of the C interface.
    popnn_roi_align_params c() const
    {
        popnn_roi_align_params params = { samplingRatio_, alignedHeight_, alignedWidth_, aligned_, spatialScale_ };
        return params;
    }
};

// bottomData {N, C, H, W}, bottomRois {R, 4}, bottomBatchIndex {R} INT; the result is {R, C, poolH, poolW}.
inline poplar::Tensor roiAlignFwd(poplar::Graph &graph, poplar::program::Sequence &prog, poplar::Tensor &bottomData,
                                  poplar::Tensor &bottomRois, poplar::Tensor &bottomBatchIndex,
                                  const roiAlignParams &params, const poplar::DebugContext &debugContext = {})
{
    const popnn_roi_align_params c = params.c();
    return poputil::detail::give(graph.c(),
                                 popnn_roi_align_fwd_at(poplar::detail::where(debugContext), graph.c(),
                                                        prog.cToGrow(graph.c()), bottomData.c(), bottomRois.c(),
                                                        bottomBatchIndex.c(), &c, poplar::detail::name(debugContext)));
}
// The gradient of bottomData from that of the result.
inline poplar::Tensor roiAlignInputGradient(poplar::Graph &graph, poplar::program::Sequence &prog,
                                            poplar::Tensor &bottomData, poplar::Tensor &bottomRois,
                                            poplar::Tensor &bottomBatchIndex, poplar::Tensor &topDataGrad,
                                            const roiAlignParams &params, const poplar::DebugContext &debugContext = {})
{
    const popnn_roi_align_params c = params.c();
    return poputil::detail::give(graph.c(), popnn_roi_align_input_gradient_at(
                                                poplar::detail::where(debugContext), graph.c(), prog.cToGrow(graph.c()),
                                                bottomData.c(), bottomRois.c(), bottomBatchIndex.c(), topDataGrad.c(),
                                                &c, poplar::detail::name(debugContext)));
}

} // namespace experimental
} // namespace popnn
#endif
