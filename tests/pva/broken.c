/* SPDX-License-Identifier: Apache-2.0 */
/* broken DIRECTORY: reads every property of every object of a report, including nested lists.  Exits with 3 and the
 * text of the first error, if there is one; never with a signal. */
#include <pva/pva.h>

#include <stdlib.h>

/* Max elements read of a list; max depth of nested lists, and of objects. */
enum { LONGEST = 400, LISTS = 3, OBJECTS = 5 };

static void read_object(pva_file *file, pva_object object, int depth)
{
    for (unsigned i = 0; i < PVA_PROPERTY_COUNT && !pva_failed(file); ++i) {
        pva_property property = (pva_property)i;
        uint64_t number;
        if (pva_property_class(property) != object.type)
            continue;
        switch (pva_property_kind(property)) {
        case PVA_TEXT:
            free(pva_text_copy(object, property));
            break;
        case PVA_NUMBERS:
            pva_numbers(object, property, 0, 1, &number);
            break;
        case PVA_OBJECT:
            if (depth < OBJECTS)
                read_object(file, pva_get(object, property), depth + 1);
            break;
        case PVA_LIST:
            for (uint64_t k = 0; depth < LISTS && k < pva_count(object, property) && k < LONGEST; ++k)
                read_object(file, pva_at(object, property, k), depth + 1);
            break;
        default:
            pva_real(object, property);
            break;
        }
    }
}

int main(int argc, char **argv)
{
    pva_object steps[4];
    pop_error error = { 0 };
    pva_file *file = argc == 2 ? pva_open_report(argv[1], NULL, &error) : NULL;
    if (file) {
        pva_object report = pva_root(file), execution = pva_get(report, PVA_REPORT_EXECUTION),
                   target = pva_get(pva_get(report, PVA_REPORT_COMPILATION), PVA_COMPILATION_TARGET);
        read_object(file, report, 0);
        for (uint64_t tile = 0; tile < pva_uint(target, PVA_TARGET_NUM_TILES); ++tile)
            read_object(file, pva_ask(execution, PVA_BLOCKS_OF_TILE, tile), 1);
        pva_longest_steps(file, steps, 4);
        pva_take_error(file, &error);
    }
    if (error.status != POP_OK)
        printf("%s\n", error.text);
    pva_close(file);
    return error.status == POP_OK ? 0 : 3;
}
