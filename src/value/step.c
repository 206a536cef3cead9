/* SPDX-License-Identifier: Apache-2.0 */
#include "value/step.h"

#include "value/value.h"

/* The fields of a kind of step beside its type. */
enum step_fields { SYNC = 1, TIMED = 2, WORK = 4, COMPUTE = 8, DATA = 16, OVERLAPS = 32 };

static const struct step_kind {
    const char *type;
    unsigned fields;
    const char *index; /* key of the compute set or exchange */
} kinds[] = {
    { "OnTileExecute", TIMED | WORK | COMPUTE | OVERLAPS, "computeSet" },
    { "DoExchange", TIMED | WORK | DATA | OVERLAPS, "exchange" },
    { "Sync", SYNC, NULL },
    { "Sans", SYNC, NULL },
    { "SyncAns", SYNC, NULL },
    { "StreamCopyBegin", TIMED, "hostExchange" },
    { "StreamCopyMid", TIMED | WORK | DATA, "hostExchange" },
    { "StreamCopyEnd", TIMED, "hostExchange" },
    { "GlobalExchange", TIMED | WORK | DATA, "externalExchange" },
};

/* A share of a whole; 0 of nothing. */
static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

static pop_profile_value sync_value(const struct profile_step *step)
{
    pop_profile_value map = profile_map(2);
    profile_add(&map, "syncType", pop_profile_string(step->detail));
    profile_add(&map, "type", pop_profile_string(step->type));
    return map;
}

/* Keys are added in their order. */
static pop_profile_value timed_value(const struct profile_step *step, const struct step_kind *kind)
{
    unsigned has = kind->fields;
    double max = (double)step->cycles;
    pop_profile_value map = profile_map(15);
    if (has & WORK) {
        profile_add(&map, "activeTileBalance", pop_profile_double(share(step->sum, max * (double)step->active_tiles)));
        profile_add(&map, "activeTiles", pop_profile_uint(step->active_tiles));
    }
    if (has & COMPUTE)
        profile_add(&map, kind->index, pop_profile_uint(step->index));
    if (has & WORK)
        profile_add(&map, "cycles", pop_profile_uint(step->cycles));
    profile_add(&map, "cyclesFrom", pop_profile_uint(step->from));
    if (has & OVERLAPS)
        profile_add(&map, "cyclesOverlapped", pop_profile_uint(step->overlapped));
    profile_add(&map, "cyclesTo", pop_profile_uint(step->to));
    if (has & DATA)
        profile_add(&map, "dataBalance", pop_profile_double(step->data_balance));
    if (step->detail && *step->detail)
        profile_add(&map, "detail", pop_profile_string(step->detail));
    if (!(has & COMPUTE))
        profile_add(&map, kind->index, pop_profile_uint(step->index));
    if (step->name && *step->name)
        profile_add(&map, "name", pop_profile_string(step->name));
    profile_add(&map, "program", pop_profile_uint(step->program));
    if (has & COMPUTE) /* in a set of 0 cycles no thread is idle */
        profile_add(&map, "threadBalance", pop_profile_double(step->sum > 0 ? share(step->active, step->sum) : 1));
    if (has & WORK)
        profile_add(&map, "tileBalance", pop_profile_double(share(step->sum, max * (double)step->tiles)));
    if (has & DATA)
        profile_add(&map, "totalData", pop_profile_uint(step->data));
    profile_add(&map, "type", pop_profile_string(step->type));
    return map;
}

pop_profile_value profile_step_value(const struct profile_step *step)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        if (strcmp(step->type, kinds[i].type) == 0)
            return kinds[i].fields & SYNC ? sync_value(step) : timed_value(step, kinds + i);
    return (pop_profile_value){ 0 };
}
