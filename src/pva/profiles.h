/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of the profiles that a report was made of. */
#ifndef PVA_PROFILES_H
#define PVA_PROFILES_H

#include <poplar/profile.h>
#include <pva/pva.h>

/* simulation.steps of the execution profile; the caller frees it. */
pop_profile_value profile_steps(pva_file *file);

#endif
