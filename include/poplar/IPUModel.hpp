// SPDX-License-Identifier: Apache-2.0
// The IPU Model: an IPU emulated on the host, with cycles, memory and profiles.
#ifndef POPLAR_IPU_MODEL_HPP
#define POPLAR_IPU_MODEL_HPP

#include <poplar/Device.hpp>
#include <poplar/detail/compiled.hpp>

#include <climits>

namespace poplar
{

// Fields have the values of the IPU version; a program may change them before it creates devices.
struct POP_API IPUModel {
    // Whether syncs take longer for tiles that are farther away.
    enum class RelativeSyncDelayType {
        AUTO,    // by the tile's place
        NO_DELAY // the same for all tiles
    };

    std::string IPUVersion; // "ipu1", "ipu2", "ipu21", "bow"
    unsigned numIPUs;
    unsigned tilesPerSuperTile;
    unsigned tilesPerIPU;
    unsigned numWorkerContexts;
    unsigned memoryBytesPerTile;
    double tileClockFrequency; // Hz
    unsigned exchangeBytesPerCycle;
    unsigned memcpyBytesPerCycle;
    unsigned instructionBytes;
    bool supportsSuperTileSendReceive; // whether neighbouring tiles share an exchange bus
    unsigned interleavedMemoryElementIndex;
    unsigned minIPUSyncDelay; // cycles
    RelativeSyncDelayType relativeSyncDelay;
    unsigned globalSyncCycles;
    std::vector<GlobalExchangeConstraint>
        globalExchangeConstraints; // empty: the ladder of cards (docs/concepts/devices.md)
    unsigned dataPathWidth;        // bits
    unsigned fp8ConvUnitMaxPipelineDepth, fp16ConvUnitMaxPipelineDepth, fp32ConvUnitMaxPipelineDepth;
    unsigned fp8ConvUnitInputLoadElemsPerCycle, fp16ConvUnitInputLoadElemsPerCycle, fp32ConvUnitInputLoadElemsPerCycle;
    // conv units for these types of inputs and results
    unsigned fp8InFp16OutConvUnitsPerTile, fp16InFp16OutConvUnitsPerTile, fp16InFp32OutConvUnitsPerTile,
        fp32InFp32OutConvUnitsPerTile;
    unsigned convUnitCoeffLoadBytesPerCycle;
    unsigned rptCountMax;
    unsigned numStrideBits;
    unsigned atomicStoreGranularity; // bytes
    bool compileIPUCode;

    // The model of a version: "ipu1", "ipu2", "ipu21" or "bow".
    explicit IPUModel(const char *version = "ipu2");
    explicit IPUModel(const std::string &version);
    IPUModel(const IPUModel &from);
    IPUModel(IPUModel &&from);
    IPUModel &operator=(const IPUModel &from);
    IPUModel &operator=(IPUModel &&from);
    ~IPUModel();

    // A modelled IPU, attached.  Models belong to no device manager, so its id is not used; this is logged at INFO.
    // accurateHalf has no effect: half is rounded to 16 bits on every device.
    Device createDevice(const OptionFlags &options = {}, bool accurateHalf = false,
                        unsigned deviceManagerId = UINT_MAX) const;

  private:
    static pop_target standard(const char *version);
    static void positive(const char *field, double value);
    std::string created; // the version that fields were filled from
};

} // namespace poplar

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/IPUModel.hpp>
#endif
#endif
