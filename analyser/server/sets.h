/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of reports: frameworks write a directory for each program that they compile, all in one parent directory
 * (TensorFlow names them by time and process, PopART and PyTorch by session: inference, training). */
#ifndef ANALYSER_SETS_H
#define ANALYSER_SETS_H

#include "answer.h"

/* The newest report in a direct subdirectory, malloc'ed; NULL when there is none. */
char *set_newest(const char *directory);
/* The reports in direct subdirectories, by name: [{name, directory, about}]; about is framework.json's "cluster" or
 * "name", or "". */
json_t *set_list(const char *directory);

#endif
