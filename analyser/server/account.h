/* SPDX-License-Identifier: Apache-2.0 */
/* The account of time: what the critical path of the captured runs consists of (elapsed.h).  Insights, `pva summary`
 * and `pva advise` print it; beside it the share of time in which an average tile computes. */
#ifndef ANALYSER_ACCOUNT_H
#define ANALYSER_ACCOUNT_H

#include "elapsed.h"

enum activity {
    ACTIVITY_COMPUTE,
    ACTIVITY_EXCHANGE,
    ACTIVITY_GLOBAL_EXCHANGE,
    ACTIVITY_HOST,
    ACTIVITY_SYNC,
    ACTIVITY_OTHER, /* control code, and time before the first step of a run */
    ACTIVITIES
};
extern const char *const activity_ids[ACTIVITIES];   /* "globalExchange": in JSON */
extern const char *const activity_names[ACTIVITIES]; /* "exchange between IPUs": in text */

struct account_run {
    uint64_t id;
    char *name;
    double cycles[ACTIVITIES], total;
};
struct account {
    VEC(struct account_run) runs;
    double cycles[ACTIVITIES], total; /* of all runs; total is 0 when nothing was captured */
    double utilisation;               /* compute cycles of an average tile, of 1 */
};

pop_status account_read(struct account *account, const struct elapsed *elapsed, pva_file *file, pop_error *error);
void account_free(struct account *account);

#endif
