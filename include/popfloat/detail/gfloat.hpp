// SPDX-License-Identifier: Apache-2.0
// The definitions of popfloat/experimental/CastToGfloat.hpp.
#ifndef POPFLOAT_DETAIL_GFLOAT_HPP
#define POPFLOAT_DETAIL_GFLOAT_HPP

#include <popfloat/experimental/CastToGfloat.hpp>
#include <poplar/HalfFloat.hpp>
#include <poputil/OptionParsing.hpp>

#include <cstring>
#include <limits>

namespace popfloat
{
namespace experimental
{

// ---- options ----

inline GfloatCast::GfloatFormatOptions::GfloatFormatOptions()
    : numMantissaBits(10), numExponentBits(5), numExponentBias(15), enableDenorms(true), enableInfsAndNans(true)
{
}
inline GfloatCast::GfloatFormatOptions::GfloatFormatOptions(const poplar::OptionFlags &options) : GfloatFormatOptions()
{
    parseGfloatFormatOptions(options);
}
inline void GfloatCast::GfloatFormatOptions::parseGfloatFormatOptions(const poplar::OptionFlags &options)
{
    using poplibs::OptionHandler;
    const poplibs::OptionSpec spec{ { "numMantissaBits", OptionHandler::createWithInteger(numMantissaBits) },
                                    { "numExponentBits", OptionHandler::createWithInteger(numExponentBits) },
                                    { "numExponentBias", OptionHandler::createWithInteger(numExponentBias) },
                                    { "enableDenorms", OptionHandler::createWithBool(enableDenorms) },
                                    { "enableInfsAndNans", OptionHandler::createWithBool(enableInfsAndNans) } };
    for (const auto &option : options)
        spec.parse(option.first, option.second);
}
inline GfloatCast::GfloatCastOptions::GfloatCastOptions()
    : roundMode(RoundType::INV), srNoiseDensity(SRDensityType::INVALID), numSRBits(24), srNoiseOffset(0),
      srNoiseScale(0), srNoiseMax(0), srNoiseMin(0), bernoulliProb(0), enableNanooMode(true)
{
}
inline GfloatCast::GfloatCastOptions::GfloatCastOptions(const poplar::OptionFlags &options) : GfloatCastOptions()
{
    parseGfloatCastOptions(options);
}
inline void GfloatCast::GfloatCastOptions::parseGfloatCastOptions(const poplar::OptionFlags &options)
{
    using poplibs::OptionHandler;
    std::map<std::string, RoundType> modes;
    std::map<std::string, SRDensityType> densities;
    for (int i = 0; i < POPFLOAT_ROUNDS; ++i)
        modes[roundTypeToString(static_cast<RoundType>(i))] = static_cast<RoundType>(i);
    for (int i = 0; i < POPFLOAT_DENSITIES; ++i)
        densities[srDensityTypeToString(static_cast<SRDensityType>(i))] = static_cast<SRDensityType>(i);
    const poplibs::OptionSpec spec{
        { "roundMode", OptionHandler::createWithEnum(roundMode, modes) },
        { "srNoiseDensity", OptionHandler::createWithEnum(srNoiseDensity, densities) },
        { "numSRBits", OptionHandler::createWithInteger(numSRBits) },
        { "srNoiseOffset", OptionHandler::createWithDouble(srNoiseOffset, -std::numeric_limits<double>::max()) },
        { "srNoiseScale", OptionHandler::createWithDouble(srNoiseScale, -std::numeric_limits<double>::max()) },
        { "srNoiseMax", OptionHandler::createWithDouble(srNoiseMax, -std::numeric_limits<double>::max()) },
        { "srNoiseMin", OptionHandler::createWithDouble(srNoiseMin, -std::numeric_limits<double>::max()) },
        { "bernoulliProb", OptionHandler::createWithDouble(bernoulliProb, -std::numeric_limits<double>::max()) },
        { "enableNanooMode", OptionHandler::createWithBool(enableNanooMode) }
    };
    for (const auto &option : options)
        spec.parse(option.first, option.second);
}

// ---- formats ----

inline void GfloatCast::FormatConfig::choose(SpecType storage, SpecType native)
{
    format = popfloat_effective_format(&format);
    if (!popfloat_choose_cast(&format, static_cast<popfloat_spec>(storage), static_cast<popfloat_spec>(native), &cast))
        throw poputil::poplibs_error("Invalid Gfloat format: " + std::to_string(format.mantissa_bits) +
                                     " bits of mantissa and " + std::to_string(format.exponent_bits) +
                                     " of exponent; at most 23 and 8 are allowed");
}
inline GfloatCast::FormatConfig::FormatConfig() : FormatConfig(10, 5, 15, true, true)
{
}
inline GfloatCast::FormatConfig::FormatConfig(unsigned numMantissaBits, unsigned numExponentBits, int exponentBias,
                                              bool enDenorms, bool enInfsAndNans, SpecType specCalculationType)
    : format{ numMantissaBits, numExponentBits, exponentBias, enDenorms, enInfsAndNans }, cast()
{
    choose(specCalculationType == SpecType::FP32 ? SpecType::FP32 : SpecType::AUTO, SpecType::AUTO);
    if (specCalculationType == SpecType::FP32 && getPackedFloatBits() <= 16) // the calculation's type, not storage's
        cast.storage = getPackedFloatBits() <= 8 ? POP_SIGNED_CHAR : POP_SHORT;
}
inline GfloatCast::FormatConfig::FormatConfig(GfloatFormatOptions options, poplar::Type calculationType)
    : FormatConfig(options.numMantissaBits, options.numExponentBits, static_cast<int>(options.numExponentBias),
                   options.enableDenorms, options.enableInfsAndNans, calculationType)
{
}
inline GfloatCast::FormatConfig::FormatConfig(unsigned numMantissaBits, unsigned numExponentBits, int exponentBias,
                                              bool enDenorms, bool enInfsAndNans, poplar::Type calculationType)
    : FormatConfig(numMantissaBits, numExponentBits, exponentBias, enDenorms, enInfsAndNans,
                   calculationType == poplar::FLOAT ? SpecType::FP32 : SpecType::AUTO)
{
}

// ---- rounding ----

inline GfloatCast::RoundConfig::RoundConfig(RoundType roundMode, unsigned numSRBits, poplar::Type calculationType,
                                            SRDensityType srNoiseDensity, float srNoiseOffset, float srNoiseScale,
                                            float srNoiseMax, float srNoiseMin, float bernoulliProb)
    : rounding(), calculation(calculationType)
{
    rounding.mode = static_cast<popfloat_round>(roundMode);
    rounding.density = static_cast<popfloat_density>(srNoiseDensity);
    rounding.sr_bits = numSRBits;
    rounding.offset = srNoiseOffset;
    rounding.scale = srNoiseScale;
    rounding.max = srNoiseMax;
    rounding.min = srNoiseMin;
    rounding.bernoulli = bernoulliProb;
}
inline GfloatCast::RoundConfig::RoundConfig(GfloatCastOptions options, poplar::Type calculationType)
    : RoundConfig(options.roundMode, options.numSRBits, calculationType, options.srNoiseDensity,
                  static_cast<float>(options.srNoiseOffset), static_cast<float>(options.srNoiseScale),
                  static_cast<float>(options.srNoiseMax), static_cast<float>(options.srNoiseMin),
                  static_cast<float>(options.bernoulliProb))
{
}
inline std::vector<unsigned> GfloatCast::RoundConfig::getSRBitMask() const
{
    const unsigned bits = calculation == poplar::FLOAT ? 23 : 10;
    const unsigned kept = bits > rounding.sr_bits ? (1u << (bits - rounding.sr_bits)) - 1 : 0;
    const unsigned mask = calculation == poplar::FLOAT ? ~kept : (~kept & 0xffff) | (~kept & 0xffff) << 16;
    return std::vector<unsigned>(2, mask);
}
inline std::vector<unsigned> GfloatCast::RoundConfig::getNoiseParams() const
{
    const float values[6] = { rounding.offset, rounding.scale, 0.5f + rounding.offset,
                              rounding.scale,  rounding.max,   rounding.min };
    std::vector<unsigned> words;
    for (unsigned i = 0; i < 6; i += calculation == poplar::FLOAT ? 1 : 2) {
        unsigned bits;
        std::memcpy(&bits, &values[i], sizeof(bits));
        words.push_back(calculation == poplar::FLOAT
                            ? bits
                            : pop_half_from_float(values[i]) | static_cast<unsigned>(pop_half_from_float(values[i + 1]))
                                                                   << 16);
    }
    return words;
}
inline unsigned GfloatCast::RoundConfig::getDensityParam() const
{
    return rounding.density == POPFLOAT_BERNOULLI ? static_cast<unsigned>((1 - rounding.bernoulli) * 65536.0f) : 0;
}
inline std::vector<unsigned> GfloatCast::RoundConfig::getRoundingParams() const
{
    std::vector<unsigned> words = getSRBitMask();
    if (rounding.density != POPFLOAT_DENSITY_INVALID) {
        const std::vector<unsigned> noise = getNoiseParams();
        words.insert(words.end(), noise.begin(), noise.end());
        words.push_back(getDensityParam());
    }
    return words;
}

// ---- casts ----

inline GfloatCast::CastConfig::CastConfig() : cast()
{
    cast.calculation = cast.native = cast.storage = POP_FLOAT;
}
inline GfloatCast::CastConfig GfloatCast::CastConfig::createCastNativeToGF(FormatType formatType,
                                                                           poplar::Type calculationType,
                                                                           poplar::Type storageType,
                                                                           RoundConfig roundCfg, bool enableNanoo)
{
    CastConfig config;
    config.cast.type = static_cast<popfloat_format_type>(formatType);
    config.cast.calculation = calculationType.c();
    config.cast.native = config.cast.storage = storageType.c();
    config.cast.rounding = roundCfg.rounding;
    config.cast.rounding.nanoo = enableNanoo;
    config.round = roundCfg;
    return config;
}
inline GfloatCast::CastConfig GfloatCast::CastConfig::createCastGFToNative(FormatType formatType,
                                                                           poplar::Type calculationType,
                                                                           poplar::Type storageType)
{
    return createCastNativeToGF(formatType, calculationType, storageType, RoundConfig(), true);
}
inline std::vector<unsigned> GfloatCast::CastConfig::getCastParams() const
{
    std::vector<unsigned> words = getRoundingParams();
    words.push_back(isNanooModeEnabled());
    return words;
}

inline void GfloatCast::configure(const RoundConfig &roundCfg, bool enableNanoo, SpecType GFType, SpecType NativeType)
{
    popfloat_cast cast = format.cast;
    const poplar::Type kept = format.getStorageType();
    format.choose(GFType, NativeType);
    if (GFType == SpecType::AUTO) {
        format.cast.storage = kept.c();
        format.cast.calculation = cast.calculation;
        format.cast.type = cast.type;
    }
    cast = format.cast;
    nativeToGf = CastConfig::createCastNativeToGF(format.getFormatType(), format.getCalculationType(),
                                                  format.getStorageType(), roundCfg, enableNanoo);
    gfToNative =
        CastConfig::createCastGFToNative(format.getFormatType(), format.getCalculationType(), format.getNativeType());
}
inline GfloatCast::GfloatCast(const FormatConfig &formatCfg, const RoundConfig &roundCfg, const bool enableNanoo,
                              const SpecType &GFType, const SpecType &NativeType)
    : format(formatCfg)
{
    configure(roundCfg, enableNanoo, GFType, NativeType);
}
inline GfloatCast::GfloatCast(const GfloatFormatOptions &gfFormatOptions, const GfloatCastOptions &gfCastOptions,
                              poplar::Type calculationType, const SpecType &GFType, const SpecType &NativeType)
    : format(gfFormatOptions, calculationType)
{
    configure(RoundConfig(gfCastOptions, calculationType), gfCastOptions.enableNanooMode, GFType, NativeType);
}
inline const poplar::Tensor &GfloatCast::needParams() const
{
    if (!params.valid())
        throw poputil::poplibs_error("GfloatCast: the parameters are not set: call createCastOpParamsTensor first");
    return params;
}

#define POPFLOAT_GIVE(function, ...)                                                                                   \
    poputil::detail::give(graph.c(), function(poplar::detail::where(debugContext), graph.c(), __VA_ARGS__,             \
                                              poplar::detail::name(debugContext)))
inline poplar::Tensor GfloatCast::createCastOpParamsTensor(poplar::Graph &graph, const poplar::ComputeSet &cs,
                                                           poplar::Type calculationType, const unsigned gfPacked,
                                                           const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_create_params_in_at, calculationType.c(), gfPacked, cs.c());
}
inline poplar::Tensor GfloatCast::createCastOpParamsTensor(poplar::Graph &graph, const poplar::ComputeSet &cs,
                                                           poplar::Type calculationType, poplar::Tensor gfPacked,
                                                           const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_create_params_of_in_at, calculationType.c(), gfPacked.c(), cs.c());
}
inline poplar::Tensor GfloatCast::createCastOpParamsTensor(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                           poplar::Type calculationType, const unsigned gfPacked,
                                                           const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_create_params_at, calculationType.c(), gfPacked, prog.cToGrow(graph.c()));
}
inline poplar::Tensor GfloatCast::createCastOpParamsTensor(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                           poplar::Type calculationType, poplar::Tensor gfPacked,
                                                           const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_create_params_of_at, calculationType.c(), gfPacked.c(), prog.cToGrow(graph.c()));
}
inline void GfloatCast::createCastOpParamsTensor(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                 const poplar::DebugContext &debugContext)
{
    params =
        createCastOpParamsTensor(graph, prog, getCalculationType(), format.getPackedFloatParameters(), debugContext);
}
inline void GfloatCast::createCastOpParamsTensor(poplar::Graph &graph, const poplar::ComputeSet &cs)
{
    params = createCastOpParamsTensor(graph, cs, getCalculationType(), format.getPackedFloatParameters());
}

inline poplar::Tensor GfloatCast::castNativeToGfloat(poplar::Graph &graph, poplar::Tensor input,
                                                     const poplar::Tensor &param, poplar::program::Sequence &prog,
                                                     const CastConfig &config, const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_cast_native_to_gfloat_at, input.c(), param.c(), &config.cast,
                         prog.cToGrow(graph.c()));
}
inline poplar::Tensor GfloatCast::castNativeToGfloat(poplar::Graph &graph, poplar::Tensor input,
                                                     const poplar::Tensor &param, const poplar::ComputeSet &cs,
                                                     const CastConfig &config, const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_cast_native_to_gfloat_in_at, input.c(), param.c(), &config.cast, cs.c());
}
inline poplar::Tensor GfloatCast::castNativeToGfloat(poplar::Graph &graph, poplar::Tensor input,
                                                     poplar::program::Sequence &prog,
                                                     const poplar::DebugContext &debugContext)
{
    return castNativeToGfloat(graph, input, needParams(), prog, nativeToGf, debugContext);
}
inline void GfloatCast::castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input,
                                                  const poplar::Tensor &param, poplar::program::Sequence &prog,
                                                  const CastConfig &config, const poplar::DebugContext &debugContext)
{
    popfloat_cast_native_to_gfloat_in_place_at(poplar::detail::where(debugContext), graph.c(), input.c(), param.c(),
                                               &config.cast, prog.cToGrow(graph.c()),
                                               poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void GfloatCast::castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input,
                                                  const poplar::Tensor &param, const poplar::ComputeSet &cs,
                                                  const CastConfig &config, const poplar::DebugContext &debugContext)
{
    popfloat_cast_native_to_gfloat_in_place_in_at(poplar::detail::where(debugContext), graph.c(), input.c(), param.c(),
                                                  &config.cast, cs.c(), poplar::detail::name(debugContext));
    poputil::detail::check(graph.c());
}
inline void GfloatCast::castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input,
                                                  poplar::program::Sequence &prog,
                                                  const poplar::DebugContext &debugContext)
{
    castNativeToGfloatInPlace(graph, input, needParams(), prog, nativeToGf, debugContext);
}
inline void GfloatCast::castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input,
                                                  const poplar::ComputeSet &cs)
{
    castNativeToGfloatInPlace(graph, input, needParams(), cs, nativeToGf);
}
inline poplar::Tensor GfloatCast::castGfloatToNative(poplar::Graph &graph, poplar::Tensor input,
                                                     const poplar::Tensor &param, poplar::program::Sequence &prog,
                                                     const CastConfig &config, const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_cast_gfloat_to_native_at, input.c(), param.c(), &config.cast,
                         prog.cToGrow(graph.c()));
}
inline poplar::Tensor GfloatCast::castGfloatToNative(poplar::Graph &graph, poplar::Tensor input,
                                                     const poplar::Tensor &param, const poplar::ComputeSet &cs,
                                                     const CastConfig &config, const poplar::DebugContext &debugContext)
{
    return POPFLOAT_GIVE(popfloat_cast_gfloat_to_native_in_at, input.c(), param.c(), &config.cast, cs.c());
}
inline poplar::Tensor GfloatCast::castGfloatToNative(poplar::Graph &graph, poplar::Tensor input,
                                                     poplar::program::Sequence &prog,
                                                     const poplar::DebugContext &debugContext)
{
    return castGfloatToNative(graph, input, needParams(), prog, gfToNative, debugContext);
}
inline poplar::Tensor GfloatCast::castGfloatToNative(poplar::Graph &graph, poplar::Tensor input,
                                                     const poplar::ComputeSet &cs)
{
    return castGfloatToNative(graph, input, needParams(), cs, gfToNative);
}
#undef POPFLOAT_GIVE

} // namespace experimental
} // namespace popfloat
#endif
