// SPDX-License-Identifier: Apache-2.0
// The IPU Model.
#ifndef POPLAR_IMPL_IPUMODEL_HPP
#define POPLAR_IMPL_IPUMODEL_HPP

#include <poplar/IPUModel.hpp>
#include <poplar/log.h>

namespace poplar
{

namespace detail
{

// Table of the numeric fields.
struct ModelNumber {
    const char *name;
    unsigned IPUModel::*field;
    unsigned pop_ipu_model::*inC;
    unsigned pop_target::*inTarget;
    unsigned smallest;
};
inline const ModelNumber *numbers()
{
    static const ModelNumber list[] = {
#define POPLAR_IPU_MODEL_FIELD(field, c_field, target_field, smallest)                                                 \
    { #field, &IPUModel::field, &pop_ipu_model::c_field, &pop_target::target_field, smallest },
#include <poplar/detail/ipu_model_fields.def>
#undef POPLAR_IPU_MODEL_FIELD
        { nullptr, nullptr, nullptr, nullptr, 0 }
    };
    return list;
}
// Constraints in the form that the C interface takes; it borrows the lists.
struct ExchangeLimits {
    explicit ExchangeLimits(const std::vector<GlobalExchangeConstraint> &list)
    {
        for (const GlobalExchangeConstraint &constraint : list)
            for (const GlobalExchangeFlow &flow : constraint.flows)
                flows.push_back({ flow.src, flow.dst });
        std::size_t first = 0;
        for (const GlobalExchangeConstraint &constraint : list) {
            limits.push_back(
                { constraint.bandwidth, static_cast<std::uint32_t>(constraint.flows.size()), flows.data() + first });
            first += constraint.flows.size();
        }
    }
    pop_exchange_limits c() const
    {
        return { static_cast<std::uint32_t>(limits.size()), limits.data() };
    }
    std::vector<pop_exchange_flow> flows;
    std::vector<pop_exchange_limit> limits;
};

} // namespace detail

POPLAR_IMPL IPUModel::IPUModel(const char *version) : IPUVersion(version)
{
    const pop_target target = standard(version);
    created = IPUVersion;
    numIPUs = target.num_ipus;
    supportsSuperTileSendReceive = target.supports_super_tile_send_receive;
    minIPUSyncDelay = target.min_ipu_sync_delay;
    relativeSyncDelay = RelativeSyncDelayType::AUTO;
    compileIPUCode = false;
    tileClockFrequency = target.tile_clock_frequency;
    for (const detail::ModelNumber *number = detail::numbers(); number->name; ++number)
        this->*number->field = target.*number->inTarget;
}
POPLAR_IMPL IPUModel::IPUModel(const std::string &version) : IPUModel(version.c_str())
{
}
POPLAR_IMPL IPUModel::IPUModel(const IPUModel &from) = default;
POPLAR_IMPL IPUModel::IPUModel(IPUModel &&from) = default;
POPLAR_IMPL IPUModel &IPUModel::operator=(const IPUModel &from) = default;
POPLAR_IMPL IPUModel &IPUModel::operator=(IPUModel &&from) = default;
POPLAR_IMPL IPUModel::~IPUModel()
{
}
POPLAR_IMPL Device IPUModel::createDevice(const OptionFlags &options, bool accurateHalf, unsigned deviceManagerId) const
{
    if (deviceManagerId != UINT_MAX)
        pop_log_once(POP_LOG_POPLIBS, POP_LOG_INFO,
                     "IPUModel::createDevice: deviceManagerId has no effect: models belong to no device manager");
    pop_ipu_model model = pop_ipu_model();
    // In C a field of 0 has the version's value.  Fields that the program did not change are passed as 0, so that they
    // follow a changed version.
    const pop_target before = standard(created.c_str());
    model.version = IPUVersion.c_str();
    positive("numIPUs", numIPUs);
    model.num_ipus = numIPUs;
    model.no_super_tile_send_receive = !supportsSuperTileSendReceive;
    if (minIPUSyncDelay != before.min_ipu_sync_delay)
        model.min_ipu_sync_delay = &minIPUSyncDelay;
    model.relative_sync_delay =
        relativeSyncDelay == RelativeSyncDelayType::NO_DELAY ? POP_SYNC_DELAY_NONE : POP_SYNC_DELAY_AUTO;
    model.no_global_sync = globalSyncCycles == 0;
    model.compile_ipu_code = compileIPUCode;
    model.accurate_half = accurateHalf;
    positive("tileClockFrequency", tileClockFrequency);
    if (tileClockFrequency != before.tile_clock_frequency)
        model.tile_clock_frequency = tileClockFrequency;
    for (const detail::ModelNumber *number = detail::numbers(); number->name; ++number)
        if (this->*number->field != before.*number->inTarget) {
            if (number->smallest)
                positive(number->name, this->*number->field);
            model.*number->inC = this->*number->field;
        }
    const detail::ExchangeLimits constraints(globalExchangeConstraints);
    const pop_exchange_limits limits = constraints.c();
    if (limits.count)
        model.global_exchange_constraints = &limits;
    pop_error error;
    pop_device *made = pop_ipu_model_create_device_options(&model, detail::Options(options), &error);
    if (!made)
        detail::raise(error);
    return Device(made);
}
POPLAR_IMPL pop_target IPUModel::standard(const char *version)
{
    pop_target target;
    pop_error error;
    detail::check(pop_target_create_ipu(1, version, &target, &error), error);
    return target;
}
POPLAR_IMPL void IPUModel::positive(const char *field, double value)
{
    if (!(value > 0))
        detail::raise(POP_INVALID_MACHINE_MODEL, "%s of the IPU Model is %g, it must be positive", field, value);
}

} // namespace poplar
#endif
