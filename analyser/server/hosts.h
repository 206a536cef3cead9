/* SPDX-License-Identifier: Apache-2.0 */
/* Access control: the server answers only requests that name it (Host) and come from its own pages (Origin). This
 * refuses pages of other sites, and DNS names that were made to resolve to this machine. */
#ifndef ANALYSER_HOSTS_H
#define ANALYSER_HOSTS_H

#include <stdbool.h>

struct hosts {
    const char *address; /* the address that the server listens on */
    unsigned port;
    bool loopback; /* it listens on a loopback address only */
};
/* Whether a Host header ("127.0.0.1:8321") names this server: localhost or its address, with its port; when it is
 * reachable from other machines, also any numeric address and the machine's name. NULL gives false. */
bool hosts_names(const struct hosts *hosts, const char *host);
/* Whether an Origin header names one of the server's pages. NULL gives true: requests outside pages have no Origin. */
bool hosts_origin(const struct hosts *hosts, const char *origin);

/* Whether a Sec-Fetch-Site header is of a page of this server or of the user's own navigation. NULL gives true: only
 * browsers send it. It is on requests without an Origin, too, such as those of images. */
bool hosts_site(const char *site);

#endif
