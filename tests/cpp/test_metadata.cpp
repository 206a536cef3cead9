// SPDX-License-Identifier: Apache-2.0
// 8-bit floats: the names exist, and errors state that no device has them.
#include "check.hpp"

#include <poplar/Graph.hpp>
#include <poplar/MetadataCreation.hpp>

using namespace poplar;

TEST(eight_bit_floats_are_refused_by_name)
{
    const QuarterMetadata metadata(QuarterMetadata::Format::F152, -3), other(QuarterMetadata::Format::F143, -3);
    CHECK(metadata.getFormat() == QuarterMetadata::Format::F152 && metadata.getScale() == -3 &&
          metadata.getBinary() == 0x3d && other.getBinary() == 0xbd);
    CHECK(QuarterMetadata(QuarterMetadata::Format::F143, 0).getBinary() == 0x80 &&
          QuarterMetadata(QuarterMetadata::Format::F152, 1).getBinary() == 0x01);
    Graph graph(Target::createIPUTarget(1, 4, "ipu21"));
    CHECK_THROWS(createVariableMetadataTensor(graph, QuarterMetadata::Format::F143, 0, { "scale" }),
                 tensor_metadata_error, "QUARTER");
    CHECK_THROWS(createConstantMetadataTensor(graph, QuarterMetadata::Format::F152, 1), tensor_metadata_error,
                 "test_metadata.cpp");
    CHECK_THROWS(createConstantMetadataTensor(graph, metadata, "name"), tensor_metadata_error, "8-bit floats");
    CHECK_THROWS(createVariableMetadataTensor(graph, metadata), tensor_metadata_error, "8-bit floats");
}

MAIN()
