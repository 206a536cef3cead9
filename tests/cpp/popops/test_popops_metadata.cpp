// SPDX-License-Identifier: Apache-2.0
// 8-bit floats in C++: metadata, host conversions, tensors, constants, reading and writing.
#include "check.hpp"

#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/Program.hpp>
#include <poplar/QuarterFloat.hpp>
#include <poplar/TypeConversion.hpp>
#include <popops/Cast.hpp>
#include <popops/codelets.hpp>
#include <poputil/Util.hpp>

#include <cmath>
#include <sstream>

using namespace poplar;
typedef QuarterMetadata::Format Format;

TEST(metadata_is_a_byte)
{
    const QuarterMetadata metadata(Format::F152, -3), other(Format::F143, -3);
    CHECK(metadata.getFormat() == Format::F152 && metadata.getScale() == -3 && metadata.getBinary() == 0x3d &&
          other.getBinary() == 0xbd);
    CHECK(QuarterMetadata(Format::F143, 0).getBinary() == 0x80 && QuarterMetadata(Format::F152, 1).getBinary() == 0x01);
    CHECK(metadata != other && metadata == QuarterMetadata::fromBinary(0x3d) &&
          other == QuarterMetadata::fromBinary(0xfd) && QuarterMetadata() == QuarterMetadata(Format::F143, 0));
    std::ostringstream text;
    text << other;
    CHECK(text.str() == "F143, scale -3" && other.toString() == text.str());
    const MetadataType byte = 0x9f;
    CHECK(unpackMetadata(&byte) == QuarterMetadata(Format::F143, 31));
    CHECK(toQuarter(250.0f, QuarterMetadata(), false).bits() == 0x7f &&
          toQuarter(250.0f, QuarterMetadata()).bits() == 0x80);
    CHECK(toQuarter(half(0.75f), QuarterMetadata()).bits() == 0x3c &&
          toFloat(quarter::fromBits(0x3c), other) == 0.09375f &&
          static_cast<float>(toHalf(quarter::fromBits(0x7f), metadata)) == 7168);
}

TEST(host_conversions)
{
    const std::vector<float> values{ 0.75f, -1000, 0.001f, 240 };
    std::uint8_t codes[4];
    convertToDeviceType(QUARTER, QuarterMetadata(Format::F143, 0), values, codes);
    CHECK(codes[0] == 0x3c && codes[1] == 0x80 && codes[2] == 1 && codes[3] == 0x7f);
    convertToDeviceType(QUARTER, QuarterMetadata(Format::F143, 0), ArrayRef<float>(values), codes, false);
    CHECK(codes[1] == 0xff);
    std::vector<double> back(4);
    convertFromDeviceType(QUARTER, QuarterMetadata(Format::F143, 0), codes, back);
    CHECK(back[0] == 0.75 && back[1] == -240 && back[2] == std::ldexp(1.0, -10) && back[3] == 240);
    half one;
    convertFromDeviceType(QUARTER, QuarterMetadata(Format::F143, 1), codes, ArrayRef<half>(&one, 1));
    CHECK(static_cast<float>(one) == 1.5f);
    CHECK(calculateMetadataForConversion(QUARTER, std::vector<float>{ 480 }, Format::F143) ==
          QuarterMetadata(Format::F143, 1));
    CHECK(calculateMetadataForConversion(QUARTER, ArrayRef<float>(values), Format::F152, CostMetric::MEAN_SQUARE_ERROR)
              .getFormat() == Format::F152);
    CHECK_THROWS(convertToDeviceType(HALF, QuarterMetadata(), values, codes), type_error, "half");
    CHECK_THROWS(convertToDeviceType(QUARTER, values, codes), type_error, "quarter");
}

TEST(tensors_share_metadata)
{
    IPUModel model("ipu21");
    model.tilesPerIPU = 4;
    const Device device = model.createDevice();
    Graph graph(device);
    popops::addCodelets(graph);
    const Tensor metadata = createVariableMetadataTensor(graph, Format::F143, 2, { "metadata" }),
                 constant = createConstantMetadataTensor(graph, QuarterMetadata(Format::F152, 0)),
                 in = graph.addVariable(QUARTER, metadata, { 2, 3 }, VariableMappingMethod::LINEAR, "in"),
                 own = graph.addVariable(QUARTER, { 6 }, VariableMappingMethod::LINEAR, "own"),
                 clone = graph.clone(QUARTER, metadata, own, "clone"),
                 values = graph.addConstant(QUARTER, constant, { 2 }, std::vector<float>{ 0.25f, 1e9f }, "values"),
                 filled = graph.addConstant(QUARTER, constant, {}, 3.0f, "filled"), none;
    CHECK(metadata.shape().empty() && metadata.elementType() == QUARTER_METADATA &&
          createVariableMetadataTensor(graph, QuarterMetadata(Format::F143, 1)).rank() == 0);
    CHECK(poputil::createConstantMetadataTensor(graph, Format::F143, 1).shape() == std::vector<std::size_t>{ 1 } &&
          poputil::createVariableMetadataTensor(graph, Format::F143, 1).rank() == 1);
    CHECK(in.hasMetadata() && !metadata.hasMetadata() && in[1].slice(1, 3).getMetadata() == metadata &&
          clone.getMetadata() == metadata && own.getMetadata() != metadata && values.getMetadata() == constant);
    CHECK(graph.addVariable(FLOAT, none, { 1 }).elementType() == FLOAT &&
          graph.addConstant(FLOAT, none, { 2 }, 1.0f).numElements() == 2);
    graph.setTileMapping(values, 1);
    graph.setTileMapping(filled, 2);
    graph.setInitialValue(own.getMetadata(), static_cast<unsigned char>(0x3f));
    graph.createHostWrite("in", in);
    graph.createHostRead("in", in);
    graph.createHostRead("own", own);
    program::Sequence prog;
    prog.add(program::Copy(in.flatten(), own));
    const Tensor scale = graph.addConstant(INT, {}, -4);
    graph.setTileMapping(scale, 3);
    const Tensor computed = createVariableMetadataTensor(graph, Format::F143, scale, prog),
                 again = popops::cast(graph, values, QUARTER, computed, prog),
                 read = popops::cast(graph, concat(values, filled.flatten()), FLOAT, prog);
    graph.createHostRead("again", again);
    graph.createHostRead("read", read);
    Engine engine(graph, prog);
    engine.load(device);
    std::uint8_t codes[6] = { 1, 2, 0x80, 0x7f, 0xff, 0 }, got[6];
    QuarterMetadata back;
    engine.readTensor("in", back, got, got + 6);
    CHECK(back == QuarterMetadata(Format::F143, 2)); // its initial value
    engine.writeTensor("in", QuarterMetadata(Format::F152, -7), codes, codes + 6);
    engine.run();
    engine.readTensor("in", back, got, got + 6);
    CHECK(back == QuarterMetadata(Format::F152, -7) && std::equal(codes, codes + 6, got));
    engine.readTensor("own", back, got, got + 6); // a copy moves elements only
    CHECK(back == QuarterMetadata(Format::F152, -1) && std::equal(codes, codes + 6, got));
    engine.readTensor("again", back, got, got + 2);
    CHECK(back == QuarterMetadata(Format::F143, -4) && got[0] == 0x50 && got[1] == 0x80);
    float floats[3];
    engine.readTensor("read", floats, floats + 3);
    CHECK(floats[0] == 0.25f && std::isnan(floats[1]) && floats[2] == 3);
    CHECK_THROWS(engine.writeTensor("in", QuarterMetadata(), codes, codes + 3), tensor_io_state_error, "6 bytes");
    CHECK_THROWS(engine.writeTensor("x", QuarterMetadata(), codes, codes + 3), tensor_io_state_error, "x/metadata");
}

TEST(errors)
{
    Graph graph(Target::createIPUTarget(1, 4, "ipu21"));
    const Tensor metadata = createConstantMetadataTensor(graph, Format::F143, 0),
                 bytes = graph.addVariable(UNSIGNED_CHAR, { 4 });
    CHECK_THROWS(graph.addVariable(HALF, metadata, { 4 }), tensor_metadata_error, "half");
    CHECK_THROWS(graph.clone(FLOAT, metadata, bytes), tensor_metadata_error, "float");
    CHECK_THROWS(bytes.getMetadata(), tensor_metadata_error, "test_popops_metadata.cpp");
    CHECK_THROWS(bytes.reinterpret(QUARTER), tensor_metadata_error, "copy");
    CHECK_THROWS(graph.addConstant(QUARTER, { 1 }, 1.0f), tensor_metadata_error, "createConstantMetadataTensor");
    CHECK_THROWS(createVariableMetadataTensor(graph, Format::F143, 40), tensor_metadata_error, "-32 to 31");
    CHECK(graph.addVariable(QUARTER, metadata, { 4 })
              .associateMetadata(metadata)
              .reinterpret(UNSIGNED_CHAR)
              .elementType() == UNSIGNED_CHAR);
}

MAIN()
