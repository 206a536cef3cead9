// SPDX-License-Identifier: Apache-2.0
// Custom floats in C++: options, configurations, and all forms of the casts.
#include "check.hpp"

#include <popfloat/experimental/CastToGfloat.hpp>
#include <popfloat/experimental/CastToHalf.hpp>
#include <popfloat/experimental/GfloatExpr.hpp>
#include <popfloat/experimental/codelets.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poputil/TileMapping.hpp>

using namespace poplar;
using namespace popfloat::experimental;

TEST(names)
{
    CHECK(roundTypeToString(RoundType::RN) == "RN" && formatTypeToString(FormatType::BFLOAT16) == "BFLOAT16" &&
          srDensityTypeToString(SRDensityType::BERNOULLI) == "BERNOULLI" && specTypeToString(SpecType::AUTO) == "AUTO");
    CHECK(specTypeToPoplarType(SpecType::INT8) == SIGNED_CHAR && specTypeToPoplarType(SpecType::BF16) == FLOAT);
    CHECK_THROWS(specTypeToPoplarType(SpecType::AUTO), poputil::poplibs_error, "AUTO");
    CHECK(poputil::VertexTemplateToString<RoundType>::to_string(RoundType::SX) ==
          "popfloat::experimental::RoundType::SX");
    CHECK(singleToHalf(1.0f) == 0x3c00 && singleToHalf(1e9f) == 0xffe0 && singleToHalf(1e9f, true) == 0x7bff &&
          halfToSingle(0xc000) == -2);
}

TEST(options)
{
    GfloatCast::GfloatFormatOptions format({ { "numMantissaBits", "3" },
                                             { "numExponentBits", "4" },
                                             { "numExponentBias", "8" },
                                             { "enableInfsAndNans", "false" } });
    CHECK(format.numMantissaBits == 3 && format.numExponentBits == 4 && format.numExponentBias == 8 &&
          format.enableDenorms && !format.enableInfsAndNans);
    GfloatCast::GfloatCastOptions rounding(
        { { "roundMode", "SX" }, { "srNoiseDensity", "UNIFORM" }, { "srNoiseMin", "-0.5" }, { "srNoiseMax", "0.5" } });
    CHECK(rounding.roundMode == RoundType::SX && rounding.srNoiseDensity == SRDensityType::UNIFORM &&
          rounding.srNoiseMin == -0.5 && rounding.numSRBits == 24 && rounding.enableNanooMode);
    CHECK_THROWS(rounding.parseGfloatCastOptions({ { "roundMode", "RX" } }), invalid_option, "RN");
    CHECK_THROWS(format.parseGfloatFormatOptions({ { "bits", "3" } }), invalid_option, "bits");
    const GfloatCast cast(format, rounding, HALF);
    CHECK(cast.getRoundMode() == RoundType::SX && cast.getGFStorageType() == SIGNED_CHAR && cast.isNanooModeEnabled() &&
          cast.getNativeStorageType() == HALF && !cast.getStoreAsNative() && !cast.inPlaceOp(HALF));
}

TEST(configurations)
{
    const GfloatCast::FormatConfig half, small(3, 4, 8, true, false), again(small), block(4, 0, 3, true, true),
        single(3, 4, 8, true, false, FLOAT);
    CHECK(half.getFormatType() == FormatType::IEEE_FP16 && half.getStorageType() == HALF &&
          !half.isPackedFloatFormat());
    CHECK(small == again && !(small == half) && small.getPackedFloatBits() == 8 && small.isPackedFloatFormat() &&
          small.getPackedFloatParameters() == 0x01080403 && small.getExponentBias() == 8 && !small.isBlockFloat() &&
          small.getCalculationType() == HALF);
    CHECK(block.isBlockFloat() && !block.infAndNansEnabled());
    CHECK(single.getCalculationType() == FLOAT && single.getStorageType() == SIGNED_CHAR &&
          single.getFormatType() == FormatType::ENABLE_DENORM_GF16);
    CHECK_THROWS(GfloatCast::FormatConfig(24, 8, 127, true, true), poputil::poplibs_error, "Invalid Gfloat format");
    const GfloatCast::RoundConfig nearest(RoundType::RN, 10, HALF),
        noise(RoundType::SX, 12, FLOAT, SRDensityType::BERNOULLI, 0.1f, 0.2f, 0.5f, -0.5f, 0.25f);
    CHECK(nearest.getSRBitMask() == std::vector<unsigned>(2, 0xffffffff) && nearest.getRoundingParams().size() == 2);
    CHECK(noise.getSRBitMask() == std::vector<unsigned>(2, 0xfffff800) && noise.getRoundingParams().size() == 9 &&
          noise.getDensityParam() == 49152 && noise.getSRNoiseScale() == 0.2f);
    CHECK(GfloatCast::RoundConfig(RoundType::SX, 5, HALF, SRDensityType::UNIFORM).getRoundingParams().size() == 6);
    const GfloatCast::CastConfig to =
        GfloatCast::CastConfig::createCastNativeToGF(FormatType::QUANTISED_FP16, HALF, HALF, nearest, true);
    CHECK(to.getCastParams() == std::vector<unsigned>({ 0xffffffff, 0xffffffff, 1 }) && to.inPlaceOp(HALF) &&
          to.getStoreAsNative() && to.getFormatType() == FormatType::QUANTISED_FP16);
}

TEST(casts)
{
    IPUModel model;
    model.tilesPerIPU = 3;
    const Device device = model.createDevice();
    Graph graph(device);
    popfloat::experimental::addCodelets(graph);
    const Tensor in = graph.addVariable(HALF, { 6 }, VariableMappingMethod::LINEAR, "in");
    graph.setInitialValue(in, std::vector<float>{ 1, 1.0625f, -3.3f, 1000, 0.0004f, -0.0f });
    const std::vector<float> wanted{ 1, 1, -3.25f, 240, 0, 0 };
    GfloatCast cast(GfloatCast::FormatConfig(3, 4, 8, true, false), GfloatCast::RoundConfig(RoundType::RN, 0, HALF),
                    false);
    program::Sequence prog;
    CHECK(!cast.isCastOpParamSet());
    CHECK_THROWS(cast.castNativeToGfloat(graph, in, prog), poputil::poplibs_error, "createCastOpParamsTensor");
    cast.createCastOpParamsTensor(graph, prog);
    CHECK(cast.isCastOpParamSet() && cast.getCastOpParams().shape() == std::vector<std::size_t>{ 29 });
    Tensor packed = cast.castNativeToGfloat(graph, in, prog, "q"),
           results[4] = { cast.castGfloatToNative(graph, packed, prog) };
    CHECK(packed.elementType() == SIGNED_CHAR);
    ComputeSet first = graph.addComputeSet(), second = graph.addComputeSet(), third = graph.addComputeSet();
    Tensor params =
        GfloatCast::createCastOpParamsTensor(graph, first, HALF, cast.getFormatConfig().getPackedFloatParameters());
    packed = GfloatCast::castNativeToGfloat(graph, in, params, second, cast.getNativeToGFConfig());
    results[1] = GfloatCast::castGfloatToNative(graph, packed, params, third, cast.getGFToNativeConfig());
    prog.add(program::Execute(first));
    prog.add(program::Execute(second));
    prog.add(program::Execute(third));
    GfloatCast copy(cast);
    copy.setGfloatCastParameters(&params);
    for (int i = 2; i < 4; ++i) {
        results[i] = graph.clone(in);
        prog.add(program::Copy(in, results[i]));
    }
    copy.castNativeToGfloatInPlace(graph, results[2], prog);
    GfloatCast::castNativeToGfloatInPlace(graph, results[3], params, prog, cast.getNativeToGFConfig());
    for (int i = 0; i < 4; ++i)
        graph.createHostRead("out" + std::to_string(i), results[i]);
    Engine engine(graph, prog);
    engine.load(device);
    engine.run();
    for (int i = 0; i < 4; ++i) {
        std::uint16_t halves[6];
        engine.readTensor("out" + std::to_string(i), halves, halves + 6);
        for (int k = 0; k < 6; ++k)
            CHECK(halfToSingle(halves[k]) == wanted[k]);
    }
}

MAIN()
