/* SPDX-License-Identifier: Apache-2.0 */
#include "tremula.h"

int command_sweep(const arguments *a)
{
    (void)a;
    return say("sweep", "not there yet");
}
