/* SPDX-License-Identifier: Apache-2.0 */
/* Executed steps of a report in the form of an execution profile. */
#ifndef PVA_PROFILE_STEPS_H
#define PVA_PROFILE_STEPS_H

#include <poplar/profile.h>
#include <pva/pva.h>

/* simulation.steps of an execution profile; the caller frees it. */
pop_profile_value profile_steps(pva_file *file);

#endif
