/* SPDX-License-Identifier: Apache-2.0 */
/* PrintTensor's text, in the format of Poplibs' tests, or in that of the user guide if format->guide. */
#ifndef ENGINE_PRINT_H
#define ENGINE_PRINT_H

#include <poplar/program.h>

/* "title: [...]" and a newline.  data holds the tensor's elements, row-major, as device data. */
void print_tensor(FILE *file, const char *title, pop_type type, const uint64_t *dims, size_t rank, const void *data,
                  const pop_print_format *format);

#endif
