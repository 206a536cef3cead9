/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TILE_DECODE_H
#define TILE_DECODE_H

struct tile_program;
/* Decodes the words of the program's code to steps. */
void tile_program_decode(struct tile_program *program);

#endif
