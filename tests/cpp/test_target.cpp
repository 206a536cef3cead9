// SPDX-License-Identifier: Apache-2.0
// Targets: every query, with the numbers of docs/concepts/devices.md; and conversions of host data.
#include "check.hpp"

#include <poplar/IeeeHalf.hpp>
#include <poplar/Target.hpp>

#include <cstdint>
#include <limits>
#include <sstream>
#include <unordered_map>

using namespace poplar;

static const Target ipu1 = Target::createIPUTarget(1, "ipu1"), ipu2 = Target::createIPUTarget(1, "ipu2");

TEST(target_types)
{
    CHECK(ipu2.getTargetType() == TargetType::IPU);
    CHECK(Target::createCPUTarget().getTargetType() == TargetType::CPU);
    CHECK(std::string(toString(TargetType::IPU_MODEL)) == "IPU_MODEL");
}
TEST(tiles_and_workers)
{
    const Target two = Target::createIPUTarget(2, "ipu2");
    CHECK(two.getNumIPUs() == 2 && two.getTilesPerIPU() == 1472 && two.getNumTiles() == 2944);
    CHECK(ipu1.getNumTiles() == 1216 && ipu1.getNumWorkerContexts() == 6);
}
TEST(memory)
{
    CHECK(ipu1.getBytesPerTile() == 262144 && ipu2.getBytesPerTile() == 638976);
    CHECK(ipu1.getMemoryBytes() == std::size_t(262144) * 1216);
}
TEST(widths_and_sizes)
{
    CHECK(ipu2.getExchangeBytesPerCycle() == 4 && ipu2.getMemcpyBytesPerCycle() == 8);
    CHECK(ipu2.getDataPathWidth() == 64);
    CHECK(ipu2.getVectorWidth(FLOAT) == 2 && ipu2.getVectorWidth(HALF) == 4 &&
          ipu2.getVectorWidth(poplar::QUARTER) == 8);
    CHECK(ipu2.getFloatVectorWidth() == 2 && ipu2.getHalfVectorWidth() == 4 && ipu2.getQuarterVectorWidth() == 8);
    CHECK(ipu2.getTypeSize(FLOAT) == 4 && ipu2.getTypeSize(HALF) == 2 && ipu2.getTypeSize(BOOL) == 1 &&
          ipu2.getTypeSize(LONGLONG) == 8);
    CHECK(ipu2.getAtomicStoreGranularity() == 4 && ipu2.getRptCountMax() == 4095 && ipu2.getNumStrideBits() == 10);
}
TEST(convolution_units)
{
    CHECK(ipu1.getFp16InFp16OutConvUnitsPerTile() == 8 && ipu2.getFp16InFp16OutConvUnitsPerTile() == 16);
    CHECK(ipu2.getFp16InFp32OutConvUnitsPerTile() == 8 && ipu2.getFp32InFp32OutConvUnitsPerTile() == 16);
    CHECK(ipu2.getFp8InFp16OutConvUnitsPerTile() == 0 &&
          Target::createIPUTarget(1, "ipu21").getFp8InFp16OutConvUnitsPerTile() == 16);
    CHECK(ipu2.getFp8ConvUnitMaxPipelineDepth() == 0 && ipu2.getFp16ConvUnitMaxPipelineDepth() == 4 &&
          ipu2.getFp32ConvUnitMaxPipelineDepth() == 4);
    CHECK(ipu2.getFp8ConvUnitInputLoadElemsPerCycle() == 0 && ipu2.getFp16ConvUnitInputLoadElemsPerCycle() == 4 &&
          ipu2.getFp32ConvUnitInputLoadElemsPerCycle() == 2);
    CHECK(ipu2.getConvUnitCoeffLoadBytesPerCycle() == 16);
    CHECK(ipu2.getNumConvUnits(HALF, FLOAT) == 8 && ipu2.getNumConvUnits(FLOAT, HALF) == 0);
    CHECK(ipu2.getWeightsPerConvUnit(HALF) == 16 && ipu2.getWeightsPerConvUnit(FLOAT) == 8);
    CHECK(ipu2.getWeightsPerConvUnit(false) == 16 && ipu2.getWeightsPerConvUnit(true) == 8);
    CHECK(ipu2.getConvUnitInputLoadElemsPerCycle(HALF) == 4 && ipu2.getConvUnitInputLoadElemsPerCycle(true) == 2);
    CHECK(ipu2.getConvUnitMaxPipelineDepth(FLOAT) == 4 && ipu2.getConvUnitMaxPipelineDepth(false) == 4);
}
TEST(buses_and_memory_elements)
{
    CHECK(ipu2.supportsExchangeBusSharing() && ipu2.getTilesPerSharedExchangeBus() == 2);
    const std::vector<unsigned> offsets = ipu1.getMemoryElementOffsets();
    CHECK(!offsets.empty() && offsets.front() == 0 && ipu1.getInterleavedMemoryElementIndex() == 8);
    CHECK(offsets[8] == 0x20000);
}
TEST(sync_and_exchange_between_ipus)
{
    CHECK(ipu1.getMinIPUSyncDelay() == 59 && ipu1.getMaxIPUSyncDelay() == 118 && ipu1.getGlobalSyncCycles() == 500);
    CHECK(ipu1.getGlobalExchangeConstraints().empty());
    const std::vector<GlobalExchangeConstraint> constraints =
        Target::createIPUTarget(2, "ipu2").getGlobalExchangeConstraints();
    CHECK(constraints.size() == 2 && constraints[0].flows.size() == 1);
    CHECK(constraints[0].flows[0].src == 0 && constraints[0].flows[0].dst == 1 && constraints[0].bandwidth > 4e11);
}
TEST(clock_and_names)
{
    CHECK(ipu1.getTileClockFrequency() == 1.6e9);
    const Target bow = Target::createIPUTarget(1, "bow");
    CHECK(bow.getTargetArchString() == "ipu2" && bow.getTargetSystemString() == "bow");
    const std::string arch = ipu1.getTargetArchString();
    CHECK(arch == "ipu1" && ipu1.getTargetArchString() != "ipu2");
}
TEST(limits_of_types)
{
    CHECK(ipu2.getTypeLimitsMaxAs<float>(HALF) == 65504.0f && ipu2.getTypeLimitsLowestAs<double>(HALF) == -65504.0);
    CHECK(ipu2.getTypeLimitsMaxAs<std::uint64_t>(UNSIGNED_INT) == 0xffffffffu &&
          ipu2.getTypeLimitsLowestAs<int>(SHORT) == -32768);
    CHECK(ipu2.getTypeLimitsMaxAs<double>(FLOAT) == static_cast<double>(std::numeric_limits<float>::max()));
    CHECK_THROWS(ipu2.getTypeLimitsMaxAs<int>(FLOAT), poplar_error, "");
}
TEST(pods_and_registers)
{
    const Target pod = Target::createIPUTarget(4, "ipu2", { { "ipuLinkDomainSize", "16" }, { "gatewayMode", "true" } });
    CHECK(pod.getIpuLinkConfiguration() == "default" && pod.getIpuLinkTopology() == "default");
    CHECK(pod.getIpuLinkDomainSize() == 16 && pod.getInstanceSize() == 4 && pod.getGatewayMode());
    CHECK(pod.getTargetOptions().at("ipuLinkDomainSize") == "16");
    CHECK(ipu2.makeFpIctlValue(true, false, false, false, false) !=
          ipu2.makeFpIctlValue(false, true, false, false, false));
    CHECK(ipu2.getFpIctlRegIndex() == 0 && ipu2.getDbgDataRegIndex() == 0);
    CHECK(ipu2.getNumTilesPerXBContext() == 0 && ipu2.getNumContextsPerXB() == 0);
}
TEST(making_targets)
{
    CHECK(Target::createIPUTarget(2, 4, "ipu2").getNumTiles() == 8);
    CHECK(Target::createIPUTarget("ipu1").getNumTiles() == 1216);
    CHECK(Target::createIPUTarget("ipu2", { { "gatewayMode", "true" } }).getGatewayMode());
    CHECK(Target::createIPUTarget(1, 8, "ipu2", {}).getNumTiles() == 8);
    CHECK(Target::createCPUTarget().getNumTiles() == 1 && Target::createCPUTarget(true, 2).getNumIPUs() == 2);
    CHECK(ipu2.createVirtualTarget(1, 7).getNumTiles() == 7);
    CHECK(Target::createIPUTarget(8, "IPU-POD16").getNumIPUs() == 8 &&
          Target::createIPUTarget("IPU-POD16").getNumIPUs() == 16 && Target::createIPUTarget(2, "").getNumIPUs() == 2);
    CHECK(Target::createIPUTarget(64, "BOW-POD64").getTileClockFrequency() > ipu2.getTileClockFrequency());
    CHECK_THROWS(Target::createIPUTarget(1, "ipu9"), invalid_machine_model,
                 "unknown system 'ipu9' (did you mean 'ipu1'?)");
    CHECK_THROWS(Target::createIPUTarget(1, "ipu2", { { "gatewayMod", "true" } }), invalid_option, "gatewayMode");
}
TEST(targets_are_values)
{
    Target none, copy = ipu2;
    CHECK(none.getNumTiles() == 0 && none != ipu2 && none == Target());
    CHECK(copy == ipu2 && copy == Target::createIPUTarget(1, "ipu2") && copy != ipu1);
    CHECK((ipu1 < ipu2) != (ipu2 < ipu1));
    CHECK(copy.hash() == Target::createIPUTarget(1, "ipu2").hash());
    std::unordered_map<Target, int> map;
    map[copy] = 3;
    CHECK(map[ipu2] == 3);
    std::stringstream text;
    ipu2.createVirtualTarget(1, 16).serialize(text);
    CHECK(Target(text) == ipu2.createVirtualTarget(1, 16));
    std::istringstream wrong("ipu2 tils=3");
    CHECK_THROWS(Target(wrong), parse_error, "tiles");
    copy = none;
    CHECK(copy.getNumTiles() == 0);
}

TEST(half_conversions)
{
    const std::vector<float> from{ 1.0f, -2.5f, 65504.0f, 1.0f / 3 };
    std::vector<std::uint16_t> raw(4);
    std::vector<float> back(4);
    copyFloatToDeviceHalf(ipu2, from.data(), raw.data(), from.size());
    CHECK(raw[0] == 0x3c00 && raw[1] == 0xc100 && raw[2] == 0x7bff && raw[3] == 0x3555);
    poplar::copyDeviceHalfToFloat(ipu2, raw.data(), back.data(), back.size());
    CHECK(back[0] == 1.0f && back[1] == -2.5f && back[2] == 65504.0f);
    const double wide[] = { 0.5, -1 };
    double wideBack[2];
    copyDoubleToDeviceHalf(ipu2, wide, raw.data(), 2);
    copyDeviceHalfToDouble(ipu2, raw.data(), wideBack, 2);
    CHECK(wideBack[0] == 0.5 && wideBack[1] == -1);
}
TEST(conversion)
{
    const std::vector<double> from{ 0.5, 3, -1 };
    std::uint16_t raw[3];
    convertToDeviceType(HALF, ArrayRef<double>(from), raw);
    CHECK(raw[0] == 0x3800 && raw[1] == 0x4200 && raw[2] == 0xbc00);
    float back[3];
    convertFromDeviceType(HALF, raw, ArrayRef<float>(back, 3));
    CHECK(back[0] == 0.5f && back[1] == 3 && back[2] == -1);
    std::int8_t bytes[3];
    convertToDeviceType<int>(SIGNED_CHAR, { 1, -2, 3 }, bytes);
    CHECK(bytes[1] == -2);
    std::vector<long> longs(3);
    convertFromDeviceType(SIGNED_CHAR, bytes, longs);
    CHECK(longs[1] == -2 && longs[2] == 3);
    std::vector<IeeeHalf> halves(3);
    convertFromDeviceType(HALF, raw, halves);
    CHECK(static_cast<float>(halves[0]) == 0.5f && static_cast<float>(halves[2]) == -1);
    CHECK(static_cast<float>(ipu2.getTypeLimitsMaxAs<IeeeHalf>(HALF)) == 65504.0f);
    CHECK_THROWS(convertToDeviceType(poplar::QUARTER, from, raw), type_error, "quarter");
}
TEST(version)
{
    CHECK(!versionString().empty() && !packageHash().empty());
    const std::string version = versionString();
    CHECK(version.find('.') != std::string::npos);
}

MAIN()
