// SPDX-License-Identifier: Apache-2.0
// Casts to custom floats and back (popfloat/gfloat.h has the formats and the rules).
#ifndef POPFLOAT_EXPERIMENTAL_CAST_TO_GFLOAT_HPP
#define POPFLOAT_EXPERIMENTAL_CAST_TO_GFLOAT_HPP

#include <popfloat/experimental/GfloatExpr.hpp>
#include <popfloat/experimental/GfloatExprUtil.hpp>
#include <popfloat/gfloat.h>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poputil/detail/call.hpp>

#include <vector>

namespace popfloat
{
namespace experimental
{

// A format, how to round to it, and its parameters on the device, which createCastOpParamsTensor makes.
class GfloatCast
{
  public:
    // A format by name.  The constructor with options sets the members that are named; others keep their defaults.
    struct GfloatFormatOptions {
        unsigned numMantissaBits; // 10 unless set
        unsigned numExponentBits; // 5 unless set
        unsigned numExponentBias; // what the exponent's bits have added to them; 15 unless set
        bool enableDenorms;       // whether the smallest exponent has subnormal numbers; true unless set
        bool enableInfsAndNans;   // whether the largest exponent has them; true unless set
        GfloatFormatOptions();
        explicit GfloatFormatOptions(const poplar::OptionFlags &options);
        // Sets the members that options name; invalid_option for others.
        void parseGfloatFormatOptions(const poplar::OptionFlags &options);
    };
    // Rounding by name, in the same way.
    struct GfloatCastOptions {
        RoundType roundMode;          // INV unless set: a cast needs another
        SRDensityType srNoiseDensity; // of SX: the distribution of the noise; INVALID unless set
        unsigned numSRBits;           // random bits from the first below the mantissa's last on; 24 unless set
        double srNoiseOffset;         // of SX: added to a sample; 0 unless set
        double srNoiseScale;          // of SX: factor of a sample; 0 unless set
        double srNoiseMax;            // of SX: the largest noise, in units of the mantissa's last bit; 0 unless set
        double srNoiseMin;            // of SX: the smallest noise; 0 unless set
        double bernoulliProb;         // of SX and BERNOULLI: the probability of rounding away from zero; 0 unless set
        bool enableNanooMode;         // whether overflow gives NaN; true unless set
        GfloatCastOptions();
        explicit GfloatCastOptions(const poplar::OptionFlags &options);
        void parseGfloatCastOptions(const poplar::OptionFlags &options);
    };

    // A format and its types.  Too many bits: poplibs_error.
    class FormatConfig
    {
      public:
        FormatConfig();
        FormatConfig(unsigned numMantissaBits, unsigned numExponentBits, int exponentBias, bool enDenorms,
                     bool enInfsAndNans, SpecType specCalculationType = SpecType::AUTO);
        FormatConfig(GfloatFormatOptions options, poplar::Type calculationType);
        FormatConfig(unsigned numMantissaBits, unsigned numExponentBits, int exponentBias, bool enDenorms,
                     bool enInfsAndNans, poplar::Type calculationType);
        FormatConfig(const FormatConfig &) = default;
        FormatConfig &operator=(const FormatConfig &) = default;

        poplar::Type getCalculationType() const
        {
            return poplar::Type(cast.calculation);
        }
        poplar::Type getNativeType() const
        {
            return poplar::Type(cast.native);
        }
        poplar::Type getStorageType() const
        {
            return poplar::Type(cast.storage);
        }
        FormatType getFormatType() const
        {
            return static_cast<FormatType>(cast.type);
        }
        unsigned getNumMantissaBits() const
        {
            return format.mantissa_bits;
        }
        unsigned getNumExponentBits() const
        {
            return format.exponent_bits;
        }
        int getExponentBias() const
        {
            return format.bias;
        }
        bool isDenormEnabled() const
        {
            return format.denormals;
        }
        bool infAndNansEnabled() const
        {
            return format.infinities;
        }
        // Whether values are stored as integers.
        bool isPackedFloatFormat() const
        {
            return cast.storage != POP_HALF && cast.storage != POP_FLOAT;
        }
        // Bits of a value: sign, exponent and mantissa.
        unsigned getPackedFloatBits() const
        {
            return 1 + format.mantissa_bits + format.exponent_bits;
        }
        // Whether all values are multiples of one step.
        bool isBlockFloat() const
        {
            return !format.exponent_bits || (format.exponent_bits == 1 && format.infinities);
        }
        // The bytes of popfloat_pack_format.
        unsigned getPackedFloatParameters() const
        {
            return popfloat_pack_format(&format);
        }
        bool operator==(const FormatConfig &other) const
        {
            return getPackedFloatParameters() == other.getPackedFloatParameters() &&
                   cast.calculation == other.cast.calculation && cast.native == other.cast.native &&
                   cast.storage == other.cast.storage && cast.type == other.cast.type;
        }

      private:
        friend class GfloatCast;
        void choose(SpecType storage, SpecType native);
        popfloat_format format;
        popfloat_cast cast;
    };

    // Rounding for a calculation type.
    class RoundConfig
    {
      public:
        RoundConfig() : RoundConfig(RoundType::INV, 0, poplar::FLOAT)
        {
        }
        RoundConfig(RoundType roundMode, unsigned numSRBits, poplar::Type calculationType,
                    SRDensityType srNoiseDensity = SRDensityType::INVALID, float srNoiseOffset = 0,
                    float srNoiseScale = 0, float srNoiseMax = 0, float srNoiseMin = 0, float bernoulliProb = 0);
        // Takes the mode and the density of the options, too; popfloat's does not.
        RoundConfig(GfloatCastOptions options, poplar::Type calculationType);
        RoundConfig(const RoundConfig &) = default;
        RoundConfig &operator=(const RoundConfig &) = default;

        RoundType getRoundMode() const
        {
            return static_cast<RoundType>(rounding.mode);
        }
        unsigned getNumSRBits() const
        {
            return rounding.sr_bits;
        }
        SRDensityType getSRNoiseDensity() const
        {
            return static_cast<SRDensityType>(rounding.density);
        }
        // The mask, and with a density what getNoiseParams gives and the density's parameter.
        std::vector<unsigned> getRoundingParams() const;
        // Offset and scale of the samples, those of the result, the limits, largest first: a word each, or for HALF
        // two in a word.
        std::vector<unsigned> getNoiseParams() const;
        // The probability of Bernoulli's density to round down, x 65536; 0 for others.
        unsigned getDensityParam() const;
        float getBernoulliProbability() const
        {
            return rounding.bernoulli;
        }
        float getSRNoiseOffset() const
        {
            return rounding.offset;
        }
        float getSRNoiseScale() const
        {
            return rounding.scale;
        }
        float getSRNoiseMax() const
        {
            return rounding.max;
        }
        float getSRNoiseMin() const
        {
            return rounding.min;
        }
        // The bits of the mantissa that are not random, twice.
        std::vector<unsigned> getSRBitMask() const;

      private:
        friend class GfloatCast;
        popfloat_rounding rounding;
        poplar::Type calculation;
    };

    // A cast of one direction.
    class CastConfig
    {
      public:
        CastConfig();
        static CastConfig createCastNativeToGF(FormatType formatType, poplar::Type calculationType,
                                               poplar::Type storageType, RoundConfig roundCfg, bool enableNanoo);
        static CastConfig createCastGFToNative(FormatType formatType, poplar::Type calculationType,
                                               poplar::Type storageType);

        RoundType getRoundMode() const
        {
            return round.getRoundMode();
        }
        unsigned getNumSRBits() const
        {
            return round.getNumSRBits();
        }
        SRDensityType getSRNoiseDensity() const
        {
            return round.getSRNoiseDensity();
        }
        std::vector<unsigned> getRoundingParams() const
        {
            return round.getRoundingParams();
        }
        std::vector<unsigned> getNoiseParams() const
        {
            return round.getNoiseParams();
        }
        unsigned getDensityParam() const
        {
            return round.getDensityParam();
        }
        float getBernoulliProbability() const
        {
            return round.getBernoulliProbability();
        }
        float getSRNoiseOffset() const
        {
            return round.getSRNoiseOffset();
        }
        float getSRNoiseScale() const
        {
            return round.getSRNoiseScale();
        }
        float getSRNoiseMax() const
        {
            return round.getSRNoiseMax();
        }
        float getSRNoiseMin() const
        {
            return round.getSRNoiseMin();
        }
        std::vector<unsigned> getSRBitMask() const
        {
            return round.getSRBitMask();
        }
        bool isNanooModeEnabled() const
        {
            return cast.rounding.nanoo;
        }
        // getRoundingParams, and whether nanoo is on.
        std::vector<unsigned> getCastParams() const;
        poplar::Type getCalculationType() const
        {
            return poplar::Type(cast.calculation);
        }
        // Of the result.
        poplar::Type getStorageType() const
        {
            return poplar::Type(cast.storage);
        }
        FormatType getFormatType() const
        {
            return static_cast<FormatType>(cast.type);
        }
        // Whether the result is HALF or FLOAT.
        bool getStoreAsNative() const
        {
            return cast.storage == POP_HALF || cast.storage == POP_FLOAT;
        }
        // Whether a cast of a tensor of this type can be in place: the result has the type too.
        bool inPlaceOp(poplar::Type inType) const
        {
            return inType.c() == cast.storage;
        }

      private:
        friend class GfloatCast;
        popfloat_cast cast; // of both directions: storage is the result's type, native too
        RoundConfig round;
    };

    GfloatCast(const FormatConfig &formatCfg, const RoundConfig &roundCfg, const bool enableNanoo,
               const SpecType &GFType = SpecType::AUTO, const SpecType &NativeType = SpecType::AUTO);
    GfloatCast(const GfloatFormatOptions &gfFormatOptions, const GfloatCastOptions &gfCastOptions,
               poplar::Type calculationType, const SpecType &GFType = SpecType::AUTO,
               const SpecType &NativeType = SpecType::AUTO);
    GfloatCast(const GfloatCast &) = default;
    GfloatCast &operator=(const GfloatCast &) = default;

    // ---- parameters: 29 INT on tile 0, from packed parameters ----
    static poplar::Tensor createCastOpParamsTensor(poplar::Graph &graph, const poplar::ComputeSet &cs,
                                                   poplar::Type calculationType, const unsigned gfPacked,
                                                   const poplar::DebugContext &debugContext = {});
    static poplar::Tensor createCastOpParamsTensor(poplar::Graph &graph, const poplar::ComputeSet &cs,
                                                   poplar::Type calculationType, poplar::Tensor gfPacked,
                                                   const poplar::DebugContext &debugContext = {});
    static poplar::Tensor createCastOpParamsTensor(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                   poplar::Type calculationType, const unsigned gfPacked,
                                                   const poplar::DebugContext &debugContext = {});
    static poplar::Tensor createCastOpParamsTensor(poplar::Graph &graph, poplar::program::Sequence &prog,
                                                   poplar::Type calculationType, poplar::Tensor gfPacked,
                                                   const poplar::DebugContext &debugContext = {});
    // Those of this object's format.
    void createCastOpParamsTensor(poplar::Graph &graph, poplar::program::Sequence &prog,
                                  const poplar::DebugContext &debugContext = {});
    void createCastOpParamsTensor(poplar::Graph &graph, const poplar::ComputeSet &cs);

    // ---- casts: with given parameters and a configuration, or this object's ----
    static poplar::Tensor castNativeToGfloat(poplar::Graph &graph, poplar::Tensor input, const poplar::Tensor &param,
                                             poplar::program::Sequence &prog, const CastConfig &config,
                                             const poplar::DebugContext &debugContext = {});
    static poplar::Tensor castNativeToGfloat(poplar::Graph &graph, poplar::Tensor input, const poplar::Tensor &param,
                                             const poplar::ComputeSet &cs, const CastConfig &config,
                                             const poplar::DebugContext &debugContext = {});
    poplar::Tensor castNativeToGfloat(poplar::Graph &graph, poplar::Tensor input, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {});
    static void castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input, const poplar::Tensor &param,
                                          poplar::program::Sequence &prog, const CastConfig &config,
                                          const poplar::DebugContext &debugContext = {});
    static void castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input, const poplar::Tensor &param,
                                          const poplar::ComputeSet &cs, const CastConfig &config,
                                          const poplar::DebugContext &debugContext = {});
    void castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {});
    void castNativeToGfloatInPlace(poplar::Graph &graph, poplar::Tensor input, const poplar::ComputeSet &cs);
    static poplar::Tensor castGfloatToNative(poplar::Graph &graph, poplar::Tensor input, const poplar::Tensor &param,
                                             poplar::program::Sequence &prog, const CastConfig &config,
                                             const poplar::DebugContext &debugContext = {});
    static poplar::Tensor castGfloatToNative(poplar::Graph &graph, poplar::Tensor input, const poplar::Tensor &param,
                                             const poplar::ComputeSet &cs, const CastConfig &config,
                                             const poplar::DebugContext &debugContext = {});
    poplar::Tensor castGfloatToNative(poplar::Graph &graph, poplar::Tensor input, poplar::program::Sequence &prog,
                                      const poplar::DebugContext &debugContext = {});
    poplar::Tensor castGfloatToNative(poplar::Graph &graph, poplar::Tensor input, const poplar::ComputeSet &cs);

    poplar::Type getGFStorageType() const
    {
        return nativeToGf.getStorageType();
    }
    poplar::Type getCalculationType() const
    {
        return format.getCalculationType();
    }
    poplar::Type getNativeStorageType() const
    {
        return gfToNative.getStorageType();
    }
    FormatConfig getFormatConfig() const
    {
        return format;
    }
    CastConfig getNativeToGFConfig() const
    {
        return nativeToGf;
    }
    CastConfig getGFToNativeConfig() const
    {
        return gfToNative;
    }
    bool getStoreAsNative() const
    {
        return nativeToGf.getStoreAsNative();
    }
    poplar::Tensor getCastOpParams() const
    {
        return params;
    }
    bool isCastOpParamSet() const
    {
        return params.valid();
    }
    // Uses parameters that another object, or a static call, has made.
    void setGfloatCastParameters(poplar::Tensor *castOpParams)
    {
        params = *castOpParams;
    }
    bool isNanooModeEnabled() const
    {
        return nativeToGf.isNanooModeEnabled();
    }
    std::vector<unsigned> getSRBitMask() const
    {
        return nativeToGf.getSRBitMask();
    }
    RoundType getRoundMode() const
    {
        return nativeToGf.getRoundMode();
    }
    bool inPlaceOp(poplar::Type inType) const
    {
        return nativeToGf.inPlaceOp(inType);
    }
    std::vector<unsigned> getRoundingParams() const
    {
        return nativeToGf.getRoundingParams();
    }

  private:
    void configure(const RoundConfig &roundCfg, bool enableNanoo, SpecType GFType, SpecType NativeType);
    const poplar::Tensor &needParams() const;

    FormatConfig format;
    CastConfig nativeToGf, gfToNative;
    poplar::Tensor params;
};

} // namespace experimental
} // namespace popfloat

#include <popfloat/detail/gfloat.hpp>
#endif
