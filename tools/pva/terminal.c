/* SPDX-License-Identifier: Apache-2.0 */
#include "base/terminal.h"
#include "pva.h"

#include <unistd.h>

static struct terminal output_state, error_state;
static FILE *below; /* what standard output writes to; NULL: it has what is written */

void terminal_begin(void)
{
    FILE *output = stdout;
    if (isatty(STDOUT_FILENO) || colours())
        terminal_show(&output_state, &stdout);
    below = stdout == output ? NULL : output;
    if (isatty(STDERR_FILENO))
        terminal_show(&error_state, &stderr);
}

FILE *terminal_below(void)
{
    fflush(stdout);
    return below ? below : stdout;
}

void paint(enum paint how)
{
    if (colours())
        fprintf(terminal_below(), "\033[%dm", (int)how);
}
