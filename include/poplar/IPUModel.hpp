// SPDX-License-Identifier: Apache-2.0
// The IPU Model: an IPU that runs on the host, with cycles, memory and profiles.
#ifndef POPLAR_IPU_MODEL_HPP
#define POPLAR_IPU_MODEL_HPP

#include <poplar/Device.hpp>

#include <climits>

namespace poplar {
namespace detail {

// A std::vector<GlobalExchangeConstraint> that only those compile who use it.
class ExchangeConstraints {
    typedef std::vector<GlobalExchangeConstraint> Vector;
    struct Kept : Counted {
        Kept(void (*last)(Counted *), Kept *(*copyOf)(const Kept &), void (*tell)(const Kept &, pop_exchange_limits &))
            : Counted(last), copy(copyOf), limits(tell)
        {
        }
        Kept *(*const copy)(const Kept &);
        void (*const limits)(const Kept &, pop_exchange_limits &);
    };
    template <typename List> struct Own : Kept {
        explicit Own(List from) : Kept(end, copy, limits), list(std::move(from)) {}
        static void end(Counted *self) { delete static_cast<Own *>(self); }
        static Kept *copy(const Kept &self) { return new Own(static_cast<const Own &>(self).list); }
        static void limits(const Kept &self, pop_exchange_limits &c)
        {
            const List &list = static_cast<const Own &>(self).list;
            if (list.size() > POP_MOST_EXCHANGE_LIMITS)
                raise(POP_INVALID_MACHINE_MODEL, "%zu global exchange constraints, there may be %d", list.size(),
                      static_cast<int>(POP_MOST_EXCHANGE_LIMITS));
            for (const typename List::value_type &constraint : list) {
                pop_exchange_limit &limit = c.limits[c.count++];
                limit.bandwidth = constraint.bandwidth;
                limit.num_flows = static_cast<std::uint32_t>(constraint.flows.size());
                for (std::size_t i = 0; i < constraint.flows.size() && i < POP_MOST_EXCHANGE_FLOWS; ++i) {
                    limit.flows[i].source = constraint.flows[i].src;
                    limit.flows[i].destination = constraint.flows[i].dst;
                }
            }
        }
        List list;
    };

public:
    ExchangeConstraints() {}
    ExchangeConstraints(const ExchangeConstraints &from) : shared(from.kept() ? from.kept()->copy(*from.kept()) : nullptr) {}
    ExchangeConstraints &operator=(ExchangeConstraints &&from) noexcept
    {
        exchange(shared, from.shared);
        return *this;
    }
    ExchangeConstraints &operator=(const ExchangeConstraints &from) { return *this = ExchangeConstraints(from); }
    template <typename List = Vector> ExchangeConstraints &operator=(typename Same<List>::type from)
    {
        shared = Handle(new Own<List>(std::move(from)));
        return *this;
    }

    template <typename List = Vector> List &vector()
    {
        if (!kept())
            *this = List();
        return static_cast<Own<List> *>(kept())->list;
    }
    template <typename List = Vector> const List &vector() const
    {
        static const List none;
        return kept() ? static_cast<Own<List> *>(kept())->list : none;
    }
    template <typename List, typename = typename std::enable_if<std::is_same<List, Vector>::value>::type> operator List &() { return vector(); }
    template <typename List, typename = typename std::enable_if<std::is_same<List, Vector>::value>::type> operator const List &() const
    {
        return vector();
    }
    template <typename List = Vector> typename List::iterator begin() { return vector<List>().begin(); }
    template <typename List = Vector> typename List::iterator end() { return vector<List>().end(); }
    template <typename List = Vector> typename List::const_iterator begin() const { return vector<List>().begin(); }
    template <typename List = Vector> typename List::const_iterator end() const { return vector<List>().end(); }
    template <typename List = Vector> std::size_t size() const { return vector<List>().size(); }
    template <typename List = Vector> bool empty() const { return vector<List>().empty(); }
    template <typename List = Vector> typename List::reference operator[](std::size_t i) { return vector<List>()[i]; }
    template <typename List = Vector> typename List::const_reference operator[](std::size_t i) const { return vector<List>()[i]; }
    template <typename List = Vector> void push_back(typename Same<List>::type::value_type constraint)
    {
        vector<List>().push_back(std::move(constraint));
    }
    template <typename List = Vector, typename... Arguments> void emplace_back(Arguments &&...arguments)
    {
        vector<List>().emplace_back(std::forward<Arguments>(arguments)...);
    }
    void clear() { shared = Handle(); }

    // As C takes them; none is its own ladder.
    void limits(pop_exchange_limits &c) const
    {
        if (kept())
            kept()->limits(*kept(), c);
    }

private:
    Kept *kept() const { return static_cast<Kept *>(shared.get()); }

    Handle shared;
};

} // namespace detail

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
    detail::ExchangeConstraints globalExchangeConstraints; // empty: the ladder of cards (docs/targets.md)
    unsigned dataPathWidth;                                // bits
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
        tileClockFrequency = target.tile_clock_frequency;
        for (const Number *number = numbers(); number->name; ++number)
            this->*number->field = target.*number->inTarget;
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
        positive("tileClockFrequency", tileClockFrequency);
        if (tileClockFrequency != before.tile_clock_frequency)
            model.tile_clock_frequency = tileClockFrequency;
        for (const Number *number = numbers(); number->name; ++number)
            if (this->*number->field != before.*number->inTarget) {
                if (number->least)
                    positive(number->name, this->*number->field);
                model.*number->inC = this->*number->field;
            }
        pop_exchange_limits limits = pop_exchange_limits();
        globalExchangeConstraints.limits(limits);
        if (limits.count)
            model.global_exchange_constraints = &limits;
        pop_error error;
        pop_device *made = pop_ipu_model_create_device_options(&model, detail::Options(options), &error);
        if (!made)
            detail::raise(error);
        return Device(made);
    }

private:
    struct Number {
        const char *name;
        unsigned IPUModel::*field;
        unsigned pop_ipu_model::*inC;
        unsigned pop_target::*inTarget;
        unsigned least;
    };
    // A table: programs compile it faster than a line for each.
    static const Number *numbers()
    {
        static const Number list[] = {
#define POPLAR_IPU_MODEL_FIELD(field, c_field, target_field, least)                                                    \
    { #field, &IPUModel::field, &pop_ipu_model::c_field, &pop_target::target_field, least },
#include <poplar/detail/ipu_model_fields.def>
#undef POPLAR_IPU_MODEL_FIELD
            { nullptr, nullptr, nullptr, nullptr, 0 }
        };
        return list;
    }
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
    std::string created; // the version that fields were filled from
};

} // namespace poplar
#endif
