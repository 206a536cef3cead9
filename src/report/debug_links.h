/* SPDX-License-Identifier: Apache-2.0 */
/* Links from the directories of named engines to debug.cbor of the directory above them, which is one for a process. */
#ifndef REPORT_DEBUG_LINKS_H
#define REPORT_DEBUG_LINKS_H

#include <stdbool.h>

/* Makes path, in a directory below root, a symbolic link to root's debug.cbor. False: errno says why; EPERM, EOPNOTSUPP
 * or ENOSYS where the file system has none. */
bool debug_link(const char *root, const char *path);
/* Before root's debug.cbor is replaced or removed: the links to it become further names of the file, so that reports of
 * earlier processes keep their debug contexts. */
void debug_links_keep(const char *root);

#endif
