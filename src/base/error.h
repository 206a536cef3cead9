/* SPDX-License-Identifier: Apache-2.0 */
/* Filling error records.  Wording: lower case, no full stop, what was seen, what was allowed, the nearest valid name.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <poplar/error.h>
#include <stdarg.h>
#include <stddef.h>

/* Fills error (NULL is allowed) and returns status. */
pop_status error_set(pop_error *error, pop_status status, pop_where where, const char *api, const char *format, ...)
    POP_PRINTF(5, 6);
pop_status error_vset(pop_error *error, pop_status status, pop_where where, const char *api, const char *format,
                      va_list arguments);
/* Appends a line to the error's text. */
void error_note(pop_error *error, const char *format, ...) POP_PRINTF(2, 3);
/* Sets the debug path; of a path that is too long the end is kept. */
void error_path(pop_error *error, const char *path);
/* " (did you mean 'x'?)" or "": for the end of a message, written to the caller's buffer. */
const char *error_hint(char *buffer, size_t size, const char *word, const char *const *names, size_t count);

/* Attributes an error of an inner call to the call that the user made: if error names the API call `from` ("": none
 * yet), it then names `to`. Returns status; error may be NULL. */
pop_status error_rename(pop_error *error, pop_status status, const char *from, const char *to);

/* The text of out-of-memory errors of the host. */
#define ERROR_HOST_MEMORY "out of host memory"
/* The status that a call returns, given mem_failures() at its start: status, or an out-of-memory error if it succeeded
 * only with memory of the reserve. */
pop_status error_if_memory_failed(pop_error *error, pop_status status, size_t failures, const char *api);

#define NO_WHERE ((pop_where){ 0, 0, 0 })

#endif
