// SPDX-License-Identifier: Apache-2.0
// Targets: what machine a graph is for.
#ifndef POPLAR_TARGET_HPP
#define POPLAR_TARGET_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/detail/version.hpp>
#include <poplar/target.h>

#include <utility>
#include <vector>

namespace poplar {

// From an IPU to another; POP_ANY_IPU is all.
struct GlobalExchangeFlow {
    GlobalExchangeFlow(unsigned source, unsigned destination) : src(source), dst(destination) {}

    unsigned src, dst;
};
// What flows between IPUs carry together, in bits per second.
struct GlobalExchangeConstraint {
    template <int = 0>
    GlobalExchangeConstraint(double bitsPerSecond, std::vector<GlobalExchangeFlow> sharing) : bandwidth(bitsPerSecond), flows(std::move(sharing))
    {
    }

    double bandwidth;
    std::vector<GlobalExchangeFlow> flows;
};

// A description of a machine, as a value: copies share it.
class Target {
public:
    Target() {}
    explicit Target(const pop_target &from) : machine(new Machine(from)) {}
    // Reads what serialize wrote.
    explicit Target(std::istream &in)
    {
        pop_target read;
        pop_error error;
        detail::check(pop_target_from_text(detail::readAll(in).c_str(), &read, &error), error);
        machine = detail::Handle(new Machine(read));
    }
    void serialize(std::ostream &out) const
    {
        char text[POP_TARGET_TEXT_SIZE];
        pop_target_to_text(&c(), text, sizeof(text));
        out << text;
    }

    // A machine that need not be there: "ipu1", "ipu2", "ipu21", "bow".
    static Target createIPUTarget(unsigned numIPUs, StringRef system, const OptionFlags &options = {})
    {
        return createIPUTarget(numIPUs, 0, system, options);
    }
    static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef system, const OptionFlags &options = {})
    {
        pop_target target;
        pop_error error;
        detail::check(pop_target_create_ipu_options(numIPUs, tilesPerIPU, detail::CString(system), detail::Options(options), &target, &error),
                      error);
        return Target(target);
    }
    static Target createIPUTarget(StringRef system, const OptionFlags &options = {}) { return createIPUTarget(0, 0, system, options); }
    static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1) { return Target(pop_target_create_cpu(accurateHalf, numIPUs)); }
    // What a virtual graph sees: fewer IPUs or tiles, everything else the same.
    Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const
    {
        return Target(pop_target_create_virtual(&c(), numIPUs, tilesPerIPU));
    }

    TargetType getTargetType() const { return static_cast<TargetType>(c().type); }
    StringRef getTargetArchString() const { return c().arch; }
    std::string getTargetSystemString() const { return c().system; }
    unsigned getNumIPUs() const { return c().num_ipus; }
    unsigned getTilesPerIPU() const { return c().tiles_per_ipu; }
    unsigned getNumTiles() const { return pop_target_num_tiles(&c()); }
    unsigned getNumWorkerContexts() const { return c().num_worker_contexts; }
    unsigned getBytesPerTile() const { return c().bytes_per_tile; }
    std::size_t getMemoryBytes() const { return pop_target_memory_bytes(&c()); }
    double getTileClockFrequency() const { return c().tile_clock_frequency; }

    // Widths and sizes, of the data path in bits and in elements.
    unsigned getDataPathWidth() const { return c().data_path_width; }
    unsigned getVectorWidth(const Type &type) const { return pop_target_vector_width(&c(), type.c()); }
    unsigned getFloatVectorWidth() const { return getVectorWidth(FLOAT); }
    unsigned getHalfVectorWidth() const { return getVectorWidth(HALF); }
    unsigned getQuarterVectorWidth() const { return getVectorWidth(QUARTER); }
    unsigned getTypeSize(const Type &type) const { return pop_target_type_size(&c(), type.c()); }
    unsigned getAtomicStoreGranularity() const { return c().atomic_store_granularity; }
    unsigned getRptCountMax() const { return c().rpt_count_max; }
    unsigned getNumStrideBits() const { return c().num_stride_bits; }
    // The largest and lowest finite value of a type; overflow_error when T cannot hold it.
    template <typename T> T getTypeLimitsMaxAs(const Type &type) const
    {
        T value;
        pop_error error;
        detail::check(pop_target_type_limits_as(&c(), type.c(), detail::hostType<T>(), nullptr, &value, &error), error);
        return value;
    }
    template <typename T> T getTypeLimitsLowestAs(const Type &type) const
    {
        T value;
        pop_error error;
        detail::check(pop_target_type_limits_as(&c(), type.c(), detail::hostType<T>(), &value, nullptr, &error), error);
        return value;
    }

    // Convolution units of a tile.
    unsigned getFp8InFp16OutConvUnitsPerTile() const { return c().fp8_in_fp16_out_conv_units; }
    unsigned getFp16InFp16OutConvUnitsPerTile() const { return c().fp16_in_fp16_out_conv_units; }
    unsigned getFp16InFp32OutConvUnitsPerTile() const { return c().fp16_in_fp32_out_conv_units; }
    unsigned getFp32InFp32OutConvUnitsPerTile() const { return c().fp32_in_fp32_out_conv_units; }
    unsigned getFp8ConvUnitMaxPipelineDepth() const { return c().fp8_conv_unit_max_pipeline_depth; }
    unsigned getFp16ConvUnitMaxPipelineDepth() const { return c().fp16_conv_unit_max_pipeline_depth; }
    unsigned getFp32ConvUnitMaxPipelineDepth() const { return c().fp32_conv_unit_max_pipeline_depth; }
    unsigned getFp8ConvUnitInputLoadElemsPerCycle() const { return c().fp8_conv_unit_input_load_elems_per_cycle; }
    unsigned getFp16ConvUnitInputLoadElemsPerCycle() const { return c().fp16_conv_unit_input_load_elems_per_cycle; }
    unsigned getFp32ConvUnitInputLoadElemsPerCycle() const { return c().fp32_conv_unit_input_load_elems_per_cycle; }
    unsigned getConvUnitCoeffLoadBytesPerCycle() const { return c().conv_unit_coeff_load_bytes_per_cycle; }
    unsigned getNumConvUnits(const Type &input, const Type &partials) const { return pop_target_num_conv_units(&c(), input.c(), partials.c()); }
    unsigned getWeightsPerConvUnit(const Type &type) const { return pop_target_weights_per_conv_unit(&c(), type.c()); }
    unsigned getConvUnitMaxPipelineDepth(const Type &type) const { return pop_target_conv_unit_max_pipeline_depth(&c(), type.c()); }
    unsigned getConvUnitInputLoadElemsPerCycle(const Type &type) const
    {
        return pop_target_conv_unit_input_load_elems_per_cycle(&c(), type.c());
    }
    // As older versions asked: whether activations are float, or half.
    unsigned getWeightsPerConvUnit(bool floatActivations) const { return getWeightsPerConvUnit(floatActivations ? FLOAT : HALF); }
    unsigned getConvUnitMaxPipelineDepth(bool floatActivations) const { return getConvUnitMaxPipelineDepth(floatActivations ? FLOAT : HALF); }
    unsigned getConvUnitInputLoadElemsPerCycle(bool floatActivations) const
    {
        return getConvUnitInputLoadElemsPerCycle(floatActivations ? FLOAT : HALF);
    }

    // Exchange and sync.
    unsigned getExchangeBytesPerCycle() const { return c().exchange_bytes_per_cycle; }
    unsigned getMemcpyBytesPerCycle() const { return c().memcpy_bytes_per_cycle; }
    bool supportsExchangeBusSharing() const { return pop_target_supports_exchange_bus_sharing(&c()); }
    unsigned getTilesPerSharedExchangeBus() const { return pop_target_tiles_per_shared_exchange_bus(&c()); }
    unsigned getMinIPUSyncDelay() const { return c().min_ipu_sync_delay; }
    unsigned getMaxIPUSyncDelay() const { return c().max_ipu_sync_delay; }
    unsigned getGlobalSyncCycles() const { return c().global_sync_cycles; }
    // A template so that who does not call it does not compile it.
    template <typename Constraint = GlobalExchangeConstraint> std::vector<Constraint> getGlobalExchangeConstraints() const
    {
        std::vector<Constraint> constraints;
        for (std::size_t i = 0; i < pop_target_num_global_exchange_constraints(&c()); ++i) {
            const std::size_t count = pop_target_global_exchange_flows(&c(), i, nullptr, 0);
            const detail::Memory memory(count, sizeof(pop_exchange_flow));
            pop_exchange_flow *const list = static_cast<pop_exchange_flow *>(memory.at);
            pop_target_global_exchange_flows(&c(), i, list, count);
            Constraint constraint(pop_target_global_exchange_bandwidth(&c(), i), {});
            for (std::size_t k = 0; k < count; ++k)
                constraint.flows.emplace_back(list[k].source, list[k].destination);
            constraints.push_back(std::move(constraint));
        }
        return constraints;
    }

    // Tile memory: where its elements begin, and from which of them on memory is interleaved.
    template <typename List = std::vector<unsigned>> List getMemoryElementOffsets() const
    {
        List offsets(pop_target_memory_element_offsets(&c(), nullptr, 0));
        pop_target_memory_element_offsets(&c(), offsets.data(), offsets.size());
        return offsets;
    }
    unsigned getInterleavedMemoryElementIndex() const { return c().interleaved_memory_element_index; }

    // The pod that IPUs stand in, as options told.
    std::string getIpuLinkConfiguration() const { return c().ipu_link_configuration; }
    std::string getIpuLinkTopology() const { return c().ipu_link_topology; }
    unsigned getIpuLinkDomainSize() const { return pop_target_ipu_link_domain_size(&c()); }
    unsigned getInstanceSize() const { return pop_target_instance_size(&c()); }
    bool getGatewayMode() const { return c().gateway_mode; }
    OptionFlags getTargetOptions() const
    {
        std::string text(pop_target_options(&c(), nullptr, 0), ' ');
        pop_target_options(&c(), &text[0], text.size() + 1);
        OptionFlags options;
        readJSON(text, options);
        return options;
    }

    // Registers; 0 where nothing published tells (docs/targets.md).
    unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const
    {
        return pop_target_make_fp_ictl_value(&c(), inv, div0, oflo, esr, nanoo);
    }
    unsigned getFpIctlRegIndex() const { return c().fp_ictl_reg_index; }
    unsigned getDbgDataRegIndex() const { return c().dbg_data_reg_index; }
    unsigned getNumTilesPerXBContext() const { return c().tiles_per_xb_context; }
    unsigned getNumContextsPerXB() const { return c().contexts_per_xb; }

    std::size_t hash() const { return static_cast<std::size_t>(pop_target_hash(&c())); }
    friend bool operator==(const Target &a, const Target &b) { return a.machine.get() == b.machine.get() || pop_target_equal(&a.c(), &b.c()); }
    friend bool operator!=(const Target &a, const Target &b) { return !(a == b); }
    friend bool operator<(const Target &a, const Target &b) { return pop_target_compare(&a.c(), &b.c()) < 0; }

    // The C interface's; all zero for a target that nobody made.
    const pop_target &c() const
    {
        static const pop_target none = pop_target();
        return machine.get() ? static_cast<const Machine *>(machine.get())->target : none;
    }

private:
    struct Machine : detail::Counted {
        explicit Machine(const pop_target &from) : Counted(end), target(from) {}
        static void end(Counted *self) { delete static_cast<Machine *>(self); }
        const pop_target target;
    };
    detail::Handle machine; // a Machine, or nothing
};

inline std::size_t hash_value(const Target &target)
{
    return target.hash();
}

// Old names of conversions between host numbers and half as devices hold it.
inline void copyFloatToDeviceHalf(const Target &, const float *from, void *to, std::size_t count)
{
    pop_convert(POP_FLOAT, from, POP_HALF, to, count);
}
inline void copyDeviceHalfToFloat(const Target &, const void *from, float *to, std::size_t count)
{
    pop_convert(POP_HALF, from, POP_FLOAT, to, count);
}
inline void copyDoubleToDeviceHalf(const Target &, const double *from, void *to, std::size_t count)
{
    pop_convert(POP_DOUBLE, from, POP_HALF, to, count);
}
inline void copyDeviceHalfToDouble(const Target &, const void *from, double *to, std::size_t count)
{
    pop_convert(POP_HALF, from, POP_DOUBLE, to, count);
}

} // namespace poplar

namespace std {
template <> struct hash<poplar::Target> {
    size_t operator()(const poplar::Target &target) const { return target.hash(); }
};
} // namespace std
#endif
