/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the analyser, which shows reports as a page in a browser. */
#include "pva.h"
#include "server.h"

#include <stdlib.h>
#include <string.h>

int command_serve(int argc, char **argv)
{
    struct arguments arguments = { .options = { { "--port", NULL },
                                                { "--address", NULL },
                                                { "--live!", NULL },
                                                { "--no-browser!", NULL },
                                                { "--query-seconds", NULL } } };
    if (!arguments_read(&arguments, argc, argv, 0, 2))
        return EXIT_WRONG;
    struct server_options options = { .count = (size_t)arguments.count,
                                      .address = arguments_get(&arguments, "--address"),
                                      .live = arguments_get(&arguments, "--live") != NULL,
                                      .browser = !arguments_get(&arguments, "--no-browser") };
    for (int i = 0; i < arguments.count; ++i)
        options.directories[i] = arguments.words[i];
    const char *port = arguments_get(&arguments, "--port");
    char *end = NULL;
    unsigned long number = port ? strtoul(port, &end, 10) : 0;
    if (port && (!*port || strspn(port, "0123456789") != strlen(port) || number > 65535))
        return say("serve", "--port is '%s' (allowed: 0 to 65535; 0 is the first free one from 8321 on)", port);
    options.port = (unsigned)number;
    if (options.live && !options.count)
        return say("serve", "--live needs the directory that the program writes its report to");
    enum { QUERY_SECONDS = 60, LONGEST_QUERY = 86400 };
    size_t seconds = QUERY_SECONDS;
    if (!arguments_number(&arguments, "--query-seconds", 1, LONGEST_QUERY, &seconds))
        return EXIT_WRONG;
    options.query_seconds = (unsigned)seconds;
    pop_error error = { 0 };
    return server_run(&options, &error) == POP_OK ? EXIT_DONE : say_error("serve", &error);
}
