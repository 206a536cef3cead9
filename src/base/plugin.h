/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are needed. */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

/* Loads a library from this one's directory, or from the loader's search path; mode is that of dlopen. NULL if there is
 * none. */
void *plugin_load(const char *name, int mode);

#endif
