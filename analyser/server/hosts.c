/* SPDX-License-Identifier: Apache-2.0 */
#include "hosts.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* Splits "name:port", "[address]:port" or a name alone; false when it is malformed. */
static bool split(const char *host, char *name, size_t size, unsigned *port)
{
    const char *end = *host == '[' ? strchr(host, ']') : host + strcspn(host, ":");
    const char *begin = host + (*host == '[');
    if (!end || end <= begin || (size_t)(end - begin) >= size)
        return false;
    memcpy(name, begin, (size_t)(end - begin));
    name[end - begin] = '\0';
    end += *end == ']';
    *port = 80;
    if (!*end)
        return true;
    if (*end != ':' || !end[1] || strspn(end + 1, "0123456789") != strlen(end + 1) || strlen(end + 1) > 5)
        return false;
    *port = (unsigned)strtoul(end + 1, NULL, 10);
    return true;
}

bool hosts_names(const struct hosts *hosts, const char *host)
{
    char name[256], own[256] = "";
    unsigned port;
    unsigned char numeric[16];
    if (!host || !split(host, name, sizeof(name), &port) || port != hosts->port)
        return false;
    if (strcasecmp(name, "localhost") == 0 || strcasecmp(name, hosts->address) == 0)
        return true;
    if (hosts->loopback)
        return strcmp(name, "127.0.0.1") == 0 || strcmp(name, "::1") == 0;
    return inet_pton(AF_INET, name, numeric) == 1 || inet_pton(AF_INET6, name, numeric) == 1 ||
           (gethostname(own, sizeof(own) - 1) == 0 && strcasecmp(name, own) == 0);
}

bool hosts_site(const char *site)
{
    return !site || strcmp(site, "same-origin") == 0 || strcmp(site, "none") == 0;
}

bool hosts_origin(const struct hosts *hosts, const char *origin)
{
    static const char scheme[] = "http://";
    return !origin ||
           (strncmp(origin, scheme, sizeof(scheme) - 1) == 0 && hosts_names(hosts, origin + sizeof(scheme) - 1));
}
