// SPDX-License-Identifier: Apache-2.0
// Targets.
#ifndef POPLAR_IMPL_TARGET_HPP
#define POPLAR_IMPL_TARGET_HPP

#include <poplar/Target.hpp>
#include <poplar/impl/text_file.hpp>

namespace poplar
{

struct Target::Machine : detail::Counted {
    explicit Machine(const pop_target &from) : Counted(end), target(from)
    {
    }
    static void end(Counted *self)
    {
        delete static_cast<Machine *>(self);
    }
    const pop_target target;
};

POPLAR_IMPL Target::Target()
{
}
POPLAR_IMPL Target::Target(const pop_target &from) : machine(new Machine(from))
{
}
POPLAR_IMPL Target::Target(std::istream &in)
{
    pop_target read;
    pop_error error;
    detail::check(pop_target_from_text(detail::readAll(in).c_str(), &read, &error), error);
    machine = detail::Handle(new Machine(read));
}
POPLAR_IMPL void Target::serialize(std::ostream &out) const
{
    std::vector<char> text(pop_target_to_text(&c(), nullptr, 0) + 1);
    pop_target_to_text(&c(), text.data(), text.size());
    out << text.data();
}
POPLAR_IMPL Target Target::createIPUTarget(unsigned numIPUs, StringRef system, const OptionFlags &options)
{
    return createIPUTarget(numIPUs, 0, system, options);
}
POPLAR_IMPL Target Target::createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef system,
                                           const OptionFlags &options)
{
    pop_target target;
    pop_error error;
    detail::check(pop_target_create_ipu_options(numIPUs, tilesPerIPU, detail::CString(system), detail::Options(options),
                                                &target, &error),
                  error);
    return Target(target);
}
POPLAR_IMPL Target Target::createIPUTarget(StringRef system, const OptionFlags &options)
{
    return createIPUTarget(0, 0, system, options);
}
POPLAR_IMPL Target Target::createCPUTarget(bool accurateHalf, unsigned numIPUs)
{
    return Target(pop_target_create_cpu(accurateHalf, numIPUs));
}
POPLAR_IMPL Target Target::createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const
{
    return Target(pop_target_create_virtual(&c(), numIPUs, tilesPerIPU));
}
POPLAR_IMPL TargetType Target::getTargetType() const
{
    return static_cast<TargetType>(c().type);
}
POPLAR_IMPL StringRef Target::getTargetArchString() const
{
    return c().arch;
}
POPLAR_IMPL std::string Target::getTargetSystemString() const
{
    return c().system;
}
POPLAR_IMPL unsigned Target::getNumIPUs() const
{
    return c().num_ipus;
}
POPLAR_IMPL unsigned Target::getTilesPerIPU() const
{
    return c().tiles_per_ipu;
}
POPLAR_IMPL unsigned Target::getNumTiles() const
{
    return pop_target_num_tiles(&c());
}
POPLAR_IMPL unsigned Target::getNumWorkerContexts() const
{
    return c().num_worker_contexts;
}
POPLAR_IMPL unsigned Target::getBytesPerTile() const
{
    return c().bytes_per_tile;
}
POPLAR_IMPL std::size_t Target::getMemoryBytes() const
{
    return pop_target_memory_bytes(&c());
}
POPLAR_IMPL double Target::getTileClockFrequency() const
{
    return c().tile_clock_frequency;
}
POPLAR_IMPL unsigned Target::getDataPathWidth() const
{
    return c().data_path_width;
}
POPLAR_IMPL unsigned Target::getVectorWidth(const Type &type) const
{
    return pop_target_vector_width(&c(), type.c());
}
POPLAR_IMPL unsigned Target::getFloatVectorWidth() const
{
    return getVectorWidth(FLOAT);
}
POPLAR_IMPL unsigned Target::getHalfVectorWidth() const
{
    return getVectorWidth(HALF);
}
POPLAR_IMPL unsigned Target::getQuarterVectorWidth() const
{
    return getVectorWidth(QUARTER);
}
POPLAR_IMPL unsigned Target::getTypeSize(const Type &type) const
{
    return pop_target_type_size(&c(), type.c());
}
POPLAR_IMPL unsigned Target::getAtomicStoreGranularity() const
{
    return c().atomic_store_granularity;
}
POPLAR_IMPL unsigned Target::getRptCountMax() const
{
    return c().rpt_count_max;
}
POPLAR_IMPL unsigned Target::getNumStrideBits() const
{
    return c().num_stride_bits;
}
POPLAR_IMPL unsigned Target::getFp8InFp16OutConvUnitsPerTile() const
{
    return c().fp8_in_fp16_out_conv_units;
}
POPLAR_IMPL unsigned Target::getFp16InFp16OutConvUnitsPerTile() const
{
    return c().fp16_in_fp16_out_conv_units;
}
POPLAR_IMPL unsigned Target::getFp16InFp32OutConvUnitsPerTile() const
{
    return c().fp16_in_fp32_out_conv_units;
}
POPLAR_IMPL unsigned Target::getFp32InFp32OutConvUnitsPerTile() const
{
    return c().fp32_in_fp32_out_conv_units;
}
POPLAR_IMPL unsigned Target::getFp8ConvUnitMaxPipelineDepth() const
{
    return c().fp8_conv_unit_max_pipeline_depth;
}
POPLAR_IMPL unsigned Target::getFp16ConvUnitMaxPipelineDepth() const
{
    return c().fp16_conv_unit_max_pipeline_depth;
}
POPLAR_IMPL unsigned Target::getFp32ConvUnitMaxPipelineDepth() const
{
    return c().fp32_conv_unit_max_pipeline_depth;
}
POPLAR_IMPL unsigned Target::getFp8ConvUnitInputLoadElemsPerCycle() const
{
    return c().fp8_conv_unit_input_load_elems_per_cycle;
}
POPLAR_IMPL unsigned Target::getFp16ConvUnitInputLoadElemsPerCycle() const
{
    return c().fp16_conv_unit_input_load_elems_per_cycle;
}
POPLAR_IMPL unsigned Target::getFp32ConvUnitInputLoadElemsPerCycle() const
{
    return c().fp32_conv_unit_input_load_elems_per_cycle;
}
POPLAR_IMPL unsigned Target::getConvUnitCoeffLoadBytesPerCycle() const
{
    return c().conv_unit_coeff_load_bytes_per_cycle;
}
POPLAR_IMPL unsigned Target::getNumConvUnits(const Type &input, const Type &partials) const
{
    return pop_target_num_conv_units(&c(), input.c(), partials.c());
}
POPLAR_IMPL unsigned Target::getWeightsPerConvUnit(const Type &type) const
{
    return pop_target_weights_per_conv_unit(&c(), type.c());
}
POPLAR_IMPL unsigned Target::getConvUnitMaxPipelineDepth(const Type &type) const
{
    return pop_target_conv_unit_max_pipeline_depth(&c(), type.c());
}
POPLAR_IMPL unsigned Target::getConvUnitInputLoadElemsPerCycle(const Type &type) const
{
    return pop_target_conv_unit_input_load_elems_per_cycle(&c(), type.c());
}
POPLAR_IMPL unsigned Target::getWeightsPerConvUnit(bool floatActivations) const
{
    return getWeightsPerConvUnit(floatActivations ? FLOAT : HALF);
}
POPLAR_IMPL unsigned Target::getConvUnitMaxPipelineDepth(bool floatActivations) const
{
    return getConvUnitMaxPipelineDepth(floatActivations ? FLOAT : HALF);
}
POPLAR_IMPL unsigned Target::getConvUnitInputLoadElemsPerCycle(bool floatActivations) const
{
    return getConvUnitInputLoadElemsPerCycle(floatActivations ? FLOAT : HALF);
}
POPLAR_IMPL unsigned Target::getExchangeBytesPerCycle() const
{
    return c().exchange_bytes_per_cycle;
}
POPLAR_IMPL unsigned Target::getMemcpyBytesPerCycle() const
{
    return c().memcpy_bytes_per_cycle;
}
POPLAR_IMPL bool Target::supportsExchangeBusSharing() const
{
    return pop_target_supports_exchange_bus_sharing(&c());
}
POPLAR_IMPL unsigned Target::getTilesPerSharedExchangeBus() const
{
    return pop_target_tiles_per_shared_exchange_bus(&c());
}
POPLAR_IMPL unsigned Target::getMinIPUSyncDelay() const
{
    return c().min_ipu_sync_delay;
}
POPLAR_IMPL unsigned Target::getMaxIPUSyncDelay() const
{
    return c().max_ipu_sync_delay;
}
POPLAR_IMPL unsigned Target::getGlobalSyncCycles() const
{
    return c().global_sync_cycles;
}
POPLAR_IMPL std::vector<GlobalExchangeConstraint> Target::getGlobalExchangeConstraints() const
{
    std::vector<GlobalExchangeConstraint> constraints;
    for (std::size_t i = 0; i < pop_target_num_global_exchange_constraints(&c()); ++i) {
        const std::size_t count = pop_target_global_exchange_flows(&c(), i, nullptr, 0);
        const detail::Memory memory(count, sizeof(pop_exchange_flow));
        pop_exchange_flow *const list = static_cast<pop_exchange_flow *>(memory.at);
        pop_target_global_exchange_flows(&c(), i, list, count);
        GlobalExchangeConstraint constraint(pop_target_global_exchange_bandwidth(&c(), i), {});
        for (std::size_t k = 0; k < count; ++k)
            constraint.flows.emplace_back(list[k].source, list[k].destination);
        constraints.push_back(std::move(constraint));
    }
    return constraints;
}
POPLAR_IMPL std::vector<unsigned> Target::getMemoryElementOffsets() const
{
    std::vector<unsigned> offsets(pop_target_memory_element_offsets(&c(), nullptr, 0));
    pop_target_memory_element_offsets(&c(), offsets.data(), offsets.size());
    return offsets;
}
POPLAR_IMPL unsigned Target::getInterleavedMemoryElementIndex() const
{
    return c().interleaved_memory_element_index;
}
POPLAR_IMPL std::string Target::getIpuLinkConfiguration() const
{
    return c().ipu_link_configuration;
}
POPLAR_IMPL std::string Target::getIpuLinkTopology() const
{
    return c().ipu_link_topology;
}
POPLAR_IMPL unsigned Target::getIpuLinkDomainSize() const
{
    return pop_target_ipu_link_domain_size(&c());
}
POPLAR_IMPL unsigned Target::getInstanceSize() const
{
    return pop_target_instance_size(&c());
}
POPLAR_IMPL bool Target::getGatewayMode() const
{
    return c().gateway_mode;
}
POPLAR_IMPL OptionFlags Target::getTargetOptions() const
{
    std::string text(pop_target_options(&c(), nullptr, 0), ' ');
    pop_target_options(&c(), &text[0], text.size() + 1);
    OptionFlags options;
    readJSON(text, options);
    return options;
}
POPLAR_IMPL unsigned Target::makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const
{
    return pop_target_make_fp_ictl_value(&c(), inv, div0, oflo, esr, nanoo);
}
POPLAR_IMPL unsigned Target::getFpIctlRegIndex() const
{
    return c().fp_ictl_reg_index;
}
POPLAR_IMPL unsigned Target::getDbgDataRegIndex() const
{
    return c().dbg_data_reg_index;
}
POPLAR_IMPL unsigned Target::getNumTilesPerXBContext() const
{
    return c().tiles_per_xb_context;
}
POPLAR_IMPL unsigned Target::getNumContextsPerXB() const
{
    return c().contexts_per_xb;
}
POPLAR_IMPL std::size_t Target::hash() const
{
    return static_cast<std::size_t>(pop_target_hash(&c()));
}
POPLAR_IMPL bool operator==(const Target &a, const Target &b)
{
    return a.machine.get() == b.machine.get() || pop_target_equal(&a.c(), &b.c());
}
POPLAR_IMPL bool operator<(const Target &a, const Target &b)
{
    return pop_target_compare(&a.c(), &b.c()) < 0;
}
POPLAR_IMPL const pop_target &Target::c() const
{
    static const pop_target none = pop_target();
    return machine.get() ? static_cast<const Machine *>(machine.get())->target : none;
}

POPLAR_IMPL void copyFloatToDeviceHalf(const Target &, const float *from, void *to, std::size_t count)
{
    pop_convert(POP_FLOAT, from, POP_HALF, to, count);
}
POPLAR_IMPL void copyDeviceHalfToFloat(const Target &, const void *from, float *to, std::size_t count)
{
    pop_convert(POP_HALF, from, POP_FLOAT, to, count);
}
POPLAR_IMPL void copyDoubleToDeviceHalf(const Target &, const double *from, void *to, std::size_t count)
{
    pop_convert(POP_DOUBLE, from, POP_HALF, to, count);
}
POPLAR_IMPL void copyDeviceHalfToDouble(const Target &, const void *from, double *to, std::size_t count)
{
    pop_convert(POP_HALF, from, POP_DOUBLE, to, count);
}

} // namespace poplar
#endif
