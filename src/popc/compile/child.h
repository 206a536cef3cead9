/* SPDX-License-Identifier: Apache-2.0 */
/* Running the compiler as a child process, which ends when this process ends, however that happens, and which may take
 * TREMULA_CC_SECONDS and TREMULA_CC_MEGABYTES. */
#ifndef POPC_COMPILE_CHILD_H
#define POPC_COMPILE_CHILD_H

#include "base/str.h"
#include "base/vec.h"

#include <poplar/error.h>
#include <sys/types.h>

/* Runs a program without input and waits for it. Its output (stdout and stderr) is appended to said; *code is its
 * exit code, or 128 plus the number of the signal that ended it. no_environment when it cannot be started. */
pop_status child_run(const char *const *arguments, struct str *said, int *code, pop_error *error);

/* Runs a program in two calls, so that several can run at once. Call child_wait only after a successful child_start. */
struct child {
    pid_t id; /* of the process and of its group */
    int output, pipe[2];
    VEC(const char *) words;
    char memory[24]; /* kilobytes; "" for no limit */
};
pop_status child_start(struct child *child, const char *const *arguments, pop_error *error);
int child_wait(struct child *child, struct str *said);

#endif
