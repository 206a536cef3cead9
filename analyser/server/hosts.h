/* SPDX-License-Identifier: Apache-2.0 */
/* Whom the server answers: requests that name it, from pages of its own.  A page of another site that a browser shows
 * cannot ask (Origin), nor can one whose name was made to point here (Host). */
#ifndef ANALYSER_HOSTS_H
#define ANALYSER_HOSTS_H

#include <stdbool.h>

struct hosts {
    const char *address; /* that the server listens on */
    unsigned port;
    bool loopback; /* it listens on a loopback address alone */
};
/* Whether a Host header ("127.0.0.1:8321") names this server: localhost or its address, and the port; where it listens
 * to other machines any numeric address and the machine's name, too.  NULL is false. */
bool hosts_names(const struct hosts *hosts, const char *host);
/* Whether an Origin header is one of the server's pages.  NULL is true: requests that no page makes have none. */
bool hosts_origin(const struct hosts *hosts, const char *origin);

#endif
