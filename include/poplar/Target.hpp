// SPDX-License-Identifier: Apache-2.0
// Targets: descriptions of the machine that a graph is made for.
#ifndef POPLAR_TARGET_HPP
#define POPLAR_TARGET_HPP

#include <poplar/OptionFlags.hpp>
#include <poplar/TargetType.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/detail/compiled.hpp>
#include <poplar/detail/counted.hpp>
#include <poplar/detail/version.hpp>
#include <poplar/target.h>

#include <istream>
#include <utility>
#include <vector>

namespace poplar
{

// The IPUs at both ends of a flow; POP_ANY_IPU matches all.
struct GlobalExchangeFlow {
    // From an IPU to an IPU.
    GlobalExchangeFlow(unsigned source, unsigned destination) : src(source), dst(destination)
    {
    }

    unsigned src, dst; // numbers of the IPUs
};
// The bandwidth that a set of flows between IPUs shares, in bits per second.
struct GlobalExchangeConstraint {
    // Flows that share a bandwidth.
    GlobalExchangeConstraint(double bitsPerSecond, std::vector<GlobalExchangeFlow> sharing)
        : bandwidth(bitsPerSecond), flows(std::move(sharing))
    {
    }

    double bandwidth;                      // bits per second
    std::vector<GlobalExchangeFlow> flows; // that share the bandwidth
};

// The description of a machine.  Copies share it.
class POP_API Target
{
  public:
    Target();
    // A target of the C interface, copied.
    explicit Target(const pop_target &from);
    // Reads the output of serialize.
    explicit Target(std::istream &in);
    // Writes the target, for deserialize.
    void serialize(std::ostream &out) const;

    // A machine by name, without a device: "ipu1", "ipu2", "ipu21", "bow".
    static Target createIPUTarget(unsigned numIPUs, StringRef system, const OptionFlags &options = {});
    static Target createIPUTarget(unsigned numIPUs, unsigned tilesPerIPU, StringRef system,
                                  const OptionFlags &options = {});
    static Target createIPUTarget(StringRef system, const OptionFlags &options = {});
    // accurateHalf has no effect: half is rounded to 16 bits on every target.
    static Target createCPUTarget(bool accurateHalf = false, unsigned numIPUs = 1);
    // The target of a virtual graph: fewer IPUs or tiles, everything else the same.
    Target createVirtualTarget(unsigned numIPUs, unsigned tilesPerIPU) const;

    // IPU, IPU_MODEL or CPU.
    TargetType getTargetType() const;
    // "ipu1", "ipu2", "ipu21" or "cpu".
    StringRef getTargetArchString() const;
    // "ipu1", "ipu2", "ipu21", "bow", "cpu" or a custom name.
    std::string getTargetSystemString() const;
    // Number of IPUs.
    unsigned getNumIPUs() const;
    // Tiles of an IPU.
    unsigned getTilesPerIPU() const;
    unsigned getNumTiles() const;
    // Workers of a tile.
    unsigned getNumWorkerContexts() const;
    // Bytes of a tile's memory.
    unsigned getBytesPerTile() const;
    std::size_t getMemoryBytes() const;
    // Hz.
    double getTileClockFrequency() const;

    // Widths and sizes, of the data path in bits and in elements.
    unsigned getDataPathWidth() const;
    unsigned getVectorWidth(const Type &type) const;
    unsigned getFloatVectorWidth() const;
    unsigned getHalfVectorWidth() const;
    unsigned getQuarterVectorWidth() const;
    unsigned getTypeSize(const Type &type) const;
    unsigned getAtomicStoreGranularity() const;
    unsigned getRptCountMax() const;
    unsigned getNumStrideBits() const;
    // The largest and lowest finite value of a type; throws overflow_error if T cannot represent it.
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
    unsigned getFp8InFp16OutConvUnitsPerTile() const;
    unsigned getFp16InFp16OutConvUnitsPerTile() const;
    unsigned getFp16InFp32OutConvUnitsPerTile() const;
    unsigned getFp32InFp32OutConvUnitsPerTile() const;
    unsigned getFp8ConvUnitMaxPipelineDepth() const;
    unsigned getFp16ConvUnitMaxPipelineDepth() const;
    unsigned getFp32ConvUnitMaxPipelineDepth() const;
    unsigned getFp8ConvUnitInputLoadElemsPerCycle() const;
    unsigned getFp16ConvUnitInputLoadElemsPerCycle() const;
    unsigned getFp32ConvUnitInputLoadElemsPerCycle() const;
    unsigned getConvUnitCoeffLoadBytesPerCycle() const;
    unsigned getNumConvUnits(const Type &input, const Type &partials) const;
    unsigned getWeightsPerConvUnit(const Type &type) const;
    unsigned getConvUnitMaxPipelineDepth(const Type &type) const;
    unsigned getConvUnitInputLoadElemsPerCycle(const Type &type) const;
    // The form of older versions, with a flag for float activations instead of a type.
    unsigned getWeightsPerConvUnit(bool floatActivations) const;
    unsigned getConvUnitMaxPipelineDepth(bool floatActivations) const;
    unsigned getConvUnitInputLoadElemsPerCycle(bool floatActivations) const;

    // Exchange and sync.
    unsigned getExchangeBytesPerCycle() const;
    unsigned getMemcpyBytesPerCycle() const;
    bool supportsExchangeBusSharing() const;
    unsigned getTilesPerSharedExchangeBus() const;
    unsigned getMinIPUSyncDelay() const;
    unsigned getMaxIPUSyncDelay() const;
    unsigned getGlobalSyncCycles() const;
    // Limits of exchange between IPUs.
    std::vector<GlobalExchangeConstraint> getGlobalExchangeConstraints() const;

    // Tile memory: offsets of its elements, and the first interleaved element.
    std::vector<unsigned> getMemoryElementOffsets() const;
    // First memory element of the interleaved region.
    unsigned getInterleavedMemoryElementIndex() const;

    // The pod of the IPUs, by the target's options.
    std::string getIpuLinkConfiguration() const;
    std::string getIpuLinkTopology() const;
    unsigned getIpuLinkDomainSize() const;
    unsigned getInstanceSize() const;
    // Whether the IPUs have gateways.
    bool getGatewayMode() const;
    OptionFlags getTargetOptions() const;

    // Registers; 0 where no figure was published (docs/concepts/devices.md).
    unsigned makeFpIctlValue(bool inv, bool div0, bool oflo, bool esr, bool nanoo) const;
    // Register of floating-point control flags; 0: not known.
    unsigned getFpIctlRegIndex() const;
    // Register of debug data; 0: not known.
    unsigned getDbgDataRegIndex() const;
    // Tiles of a context of an exchange block; 0: not known.
    unsigned getNumTilesPerXBContext() const;
    // Contexts that share an exchange block; 0: not known.
    unsigned getNumContextsPerXB() const;

    std::size_t hash() const;
    friend POP_API bool operator==(const Target &a, const Target &b);
    friend bool operator!=(const Target &a, const Target &b)
    {
        return !(a == b);
    }
    friend POP_API bool operator<(const Target &a, const Target &b);

    // The C target; all zero for a default-constructed one.
    const pop_target &c() const;

  private:
    struct Machine;
    detail::Handle machine; // a Machine, or nothing
};

inline std::size_t hash_value(const Target &target)
{
    return target.hash();
}

// Old names of the conversions between host numbers and the devices' half.
POP_API void copyFloatToDeviceHalf(const Target &, const float *from, void *to, std::size_t count);
POP_API void copyDeviceHalfToFloat(const Target &, const void *from, float *to, std::size_t count);
// Converts doubles to half, rounding to nearest even.
POP_API void copyDoubleToDeviceHalf(const Target &, const double *from, void *to, std::size_t count);
// Converts half to double; exact.
POP_API void copyDeviceHalfToDouble(const Target &, const void *from, double *to, std::size_t count);

} // namespace poplar

namespace std
{
template <> struct hash<poplar::Target> {
    size_t operator()(const poplar::Target &target) const
    {
        return target.hash();
    }
};
} // namespace std

#ifdef TREMULA_HEADER_ONLY
#include <poplar/impl/Target.hpp>
#endif
#endif
