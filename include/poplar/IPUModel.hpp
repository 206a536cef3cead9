// SPDX-License-Identifier: Apache-2.0
// The IPU Model: an IPU that runs on the host, with cycles, memory and profiles.
#ifndef POPLAR_IPU_MODEL_HPP
#define POPLAR_IPU_MODEL_HPP

#include <poplar/Device.hpp>

#include <climits>

namespace poplar {

// Fields begin as the version has them; a program may change them before it creates devices.
struct IPUModel {
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
    bool supportsSuperTileSendReceive;
    unsigned interleavedMemoryElementIndex;
    unsigned minIPUSyncDelay; // cycles
    RelativeSyncDelayType relativeSyncDelay;
    unsigned globalSyncCycles;
    std::vector<GlobalExchangeConstraint> globalExchangeConstraints; // empty: the ladder of cards (docs/targets.md)
    unsigned dataPathWidth;                                          // bits
    unsigned fp8ConvUnitMaxPipelineDepth, fp16ConvUnitMaxPipelineDepth, fp32ConvUnitMaxPipelineDepth;
    unsigned fp8ConvUnitInputLoadElemsPerCycle, fp16ConvUnitInputLoadElemsPerCycle, fp32ConvUnitInputLoadElemsPerCycle;
    unsigned fp8InFp16OutConvUnitsPerTile, fp16InFp16OutConvUnitsPerTile, fp16InFp32OutConvUnitsPerTile, fp32InFp32OutConvUnitsPerTile;
    unsigned convUnitCoeffLoadBytesPerCycle;
    unsigned rptCountMax;
    unsigned numStrideBits;
    unsigned atomicStoreGranularity; // bytes
    bool compileIPUCode;

    explicit IPUModel(const char *version = "ipu2") : IPUVersion(version)
    {
        const pop_target target = standard(version);
        created = IPUVersion;
        numIPUs = target.num_ipus;
        supportsSuperTileSendReceive = target.supports_super_tile_send_receive;
        minIPUSyncDelay = target.min_ipu_sync_delay;
        relativeSyncDelay = RelativeSyncDelayType::AUTO;
        compileIPUCode = false;
#define POPLAR_IPU_MODEL_FIELD(field, c_field, target_field, least) field = target.target_field;
#include <poplar/detail/ipu_model_fields.def>
#undef POPLAR_IPU_MODEL_FIELD
    }
    explicit IPUModel(const std::string &version) : IPUModel(version.c_str()) {}

    // A modelled IPU, attached.  There is no device manager that models belong to, so its id is not used.
    Device createDevice(const OptionFlags &options = {}, bool accurateHalf = false, unsigned deviceManagerId = UINT_MAX) const
    {
        (void)deviceManagerId;
        pop_ipu_model model = pop_ipu_model();
        // C knows "as the version has it" by 0; fields that nobody changed follow the version when that was changed.
        const pop_target before = standard(created.c_str());
        model.version = IPUVersion.c_str();
        positive("numIPUs", numIPUs);
        model.num_ipus = numIPUs;
        model.no_super_tile_send_receive = !supportsSuperTileSendReceive;
        if (minIPUSyncDelay != before.min_ipu_sync_delay)
            model.min_ipu_sync_delay = &minIPUSyncDelay;
        model.relative_sync_delay = relativeSyncDelay == RelativeSyncDelayType::NO_DELAY ? POP_SYNC_DELAY_NONE : POP_SYNC_DELAY_AUTO;
        model.no_global_sync = globalSyncCycles == 0;
        model.compile_ipu_code = compileIPUCode;
        model.accurate_half = accurateHalf;
#define POPLAR_IPU_MODEL_FIELD(field, c_field, target_field, least)                                                    \
    if (field != before.target_field) {                                                                                \
        if (least)                                                                                                     \
            positive(#field, field);                                                                                   \
        model.c_field = field;                                                                                         \
    }
#include <poplar/detail/ipu_model_fields.def>
#undef POPLAR_IPU_MODEL_FIELD
        pop_exchange_limits limits;
        if (globalExchangeConstraints.size()) {
            limits = exchangeLimits();
            model.global_exchange_constraints = &limits;
        }
        pop_error error;
        pop_device *made = pop_ipu_model_create_device_options(&model, detail::Options(options), &error);
        if (!made)
            detail::raise(error);
        return Device(made);
    }

private:
    static pop_target standard(const char *version)
    {
        pop_target target;
        pop_error error;
        detail::check(pop_target_create_ipu(1, version, &target, &error), error);
        return target;
    }
    static void positive(const char *field, double value)
    {
        if (!(value > 0))
            detail::raise(POP_INVALID_MACHINE_MODEL, "%s of the IPU Model is %g, it must be positive", field, value);
    }
    pop_exchange_limits exchangeLimits() const
    {
        pop_exchange_limits limits = pop_exchange_limits();
        if (globalExchangeConstraints.size() > POP_MOST_EXCHANGE_LIMITS)
            detail::raise(POP_INVALID_MACHINE_MODEL, "%zu global exchange constraints, there may be %d",
                          globalExchangeConstraints.size(), static_cast<int>(POP_MOST_EXCHANGE_LIMITS));
        for (std::size_t k = 0; k < globalExchangeConstraints.size(); ++k) {
            const GlobalExchangeConstraint &constraint = globalExchangeConstraints.data()[k];
            pop_exchange_limit &limit = limits.limits[limits.count++];
            limit.bandwidth = constraint.bandwidth;
            limit.num_flows = static_cast<std::uint32_t>(constraint.flows.size());
            for (std::size_t i = 0; i < constraint.flows.size() && i < POP_MOST_EXCHANGE_FLOWS; ++i) {
                limit.flows[i].source = constraint.flows[i].src;
                limit.flows[i].destination = constraint.flows[i].dst;
            }
        }
        return limits;
    }

    std::string created; // the version that fields were filled from
};

} // namespace poplar
#endif
