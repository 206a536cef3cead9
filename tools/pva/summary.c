/* SPDX-License-Identifier: Apache-2.0 */
#include "pva.h"

#include <stdlib.h>
#include <string.h>

int command_summary(int argc, char **argv)
{
    struct arguments arguments = {
        .options = { { "--vars!", NULL }, { "--steps!", NULL }, { "--per-ipu!", NULL }, { "--averages!", NULL } }
    };
    if (!arguments_read(&arguments, argc, argv, 1, 1))
        return EXIT_WRONG;
    pva_file *file = open_or_say(arguments.words[0]);
    if (!file)
        return EXIT_WRONG;
    static const char *const names[][2] = { { "--vars", "showVarStorage" },
                                            { "--steps", "showExecutionSteps" },
                                            { "--per-ipu", "showPerIpuMemoryUsage" },
                                            { "--averages", "showTileAverages" } };
    pop_option options[4];
    size_t count = 0;
    for (size_t i = 0; i < 4; ++i)
        if (arguments_get(&arguments, names[i][0]))
            options[count++] = (pop_option){ names[i][1], "true" };
    pop_error error = { 0 };
    pop_status status = pva_print_summary(stdout, file, (pop_options){ options, count }, &error);
    pva_close(file);
    return status == POP_OK ? EXIT_DONE : say_error("summary", &error);
}
