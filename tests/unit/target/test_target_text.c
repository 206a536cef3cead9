/* SPDX-License-Identifier: Apache-2.0 */
#include "rounds.h"
#include "target/machine.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

static void test_only_differences_are_written(void **state)
{
    (void)state;
    pop_target target;
    char text[256];
    pop_target_create_ipu(1, "ipu2", &target, NULL);
    pop_target_to_text(&target, text, sizeof(text));
    assert_string_equal(text, "ipu2");
    target.type = POP_TARGET_IPU_MODEL;
    target.tiles_per_ipu = 64;
    target.relative_sync_delay = POP_SYNC_DELAY_NONE;
    target.accurate_half = true;
    target.tile_clock_frequency = 1.25e9;
    size_t length = pop_target_to_text(&target, text, sizeof(text));
    assert_string_equal(text, "ipu2 type=ipu_model tiles=64 clock=1250000000 sync_delay=none accurate_half=true");
    assert_int_equal(length, strlen(text));
    assert_int_equal(pop_target_to_text(&target, text, 5), length);
    assert_string_equal(text, "ipu2");
    assert_int_equal(pop_target_to_text(&target, NULL, 0), length);
    strcpy(target.system, "my-machine");
    pop_target_to_text(&target, text, sizeof(text));
    assert_string_equal(
        text, "ipu2 type=ipu_model system=my-machine tiles=64 clock=1250000000 sync_delay=none accurate_half=true");
}

/* The lists are in the caller's arrays, which the next call overwrites. */
enum { MOST_LIMITS = 64, MOST_FLOWS = 8 };
static void randomise_limits(pop_exchange_limits *limits, uint64_t *seed)
{
    static pop_exchange_limit list[MOST_LIMITS];
    static pop_exchange_flow flows[MOST_LIMITS][MOST_FLOWS];
    *limits = (pop_exchange_limits){ (uint32_t)(next(seed) % (MOST_LIMITS + 1)), list };
    for (uint32_t i = 0; i < limits->count; ++i) {
        list[i] =
            (pop_exchange_limit){ 1 + (double)next(seed) * 1.1e8, 1 + (uint32_t)(next(seed) % MOST_FLOWS), flows[i] };
        for (uint32_t f = 0; f < list[i].num_flows; ++f) {
            flows[i][f].source = next(seed) % 4 ? (uint32_t)next(seed) : POP_ANY_IPU;
            flows[i][f].destination = next(seed) % 4 ? (uint32_t)next(seed) : POP_ANY_IPU;
        }
    }
}

static void randomise(pop_target *target, const struct machine_field *field, uint64_t *seed)
{
    char *place = (char *)target + field->offset;
    double real = field->min + (field->max - field->min) * ((double)next(seed) / 2147483648.0);
    unsigned count = field->kind == FIELD_COUNT ? (unsigned)real : 0, choices = 0;
    bool flag = next(seed) & 1;
    size_t length;
    switch (field->kind) {
    case FIELD_CHOICE:
        while (machine_choice(field, choices, &length))
            ++choices;
        count = (unsigned)next(seed) % choices;
        memcpy(place, &count, sizeof(count));
        break;
    case FIELD_TEXT:
        memset(place, 0, field->size);
        for (size_t i = 0, n = 1 + next(seed) % (field->size - 1); i < n; ++i)
            place[i] = (char)('!' + next(seed) % 94);
        break;
    case FIELD_COUNT:
        memcpy(place, &count, sizeof(count));
        break;
    case FIELD_REAL:
        memcpy(place, &real, sizeof(real));
        break;
    case FIELD_FLAG:
        memcpy(place, &flag, sizeof(flag));
        break;
    case FIELD_LIMITS:
        randomise_limits((pop_exchange_limits *)(void *)place, seed);
        break;
    }
}

static void test_random_targets_round_trip(void **state)
{
    (void)state;
    uint64_t seed = 1;
    int valid = 0, all = (int)rounds(3000);
    for (int round = 0; round < all; ++round) {
        pop_target target = machine_target((enum machine)(next(&seed) % MACHINES)), back;
        for (size_t i = 0; i < machine_field_count; ++i)
            if (next(&seed) % 4 == 0)
                randomise(&target, &machine_fields[i], &seed);
        char text[POP_TARGET_TEXT_SIZE];
        pop_error error;
        assert_true(pop_target_to_text(&target, text, sizeof(text)) < sizeof(text));
        pop_status status = pop_target_from_text(text, &back, &error);
        if (pop_target_check(&target, NULL) != POP_OK)
            continue;
        if (status != POP_OK)
            fail_msg("%s\n%s", text, error.text);
        if (!pop_target_equal(&target, &back))
            fail_msg("%s", text);
        assert_true(pop_target_hash(&target) == pop_target_hash(&back));
        ++valid;
    }
    assert_true(valid > all / 20);
}

static void test_wrong_words_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        pop_status status;
        const char *words;
    } rows[] = {
        { "", POP_PARSE_ERROR, "the text is empty, it must begin with ipu1" },
        { " \n", POP_PARSE_ERROR, "the text is empty" },
        { "ipu22", POP_PARSE_ERROR,
          "unknown system 'ipu22' (did you mean 'ipu2'?), it can be ipu1, ipu2, bow, ipu21 or cpu" },
        { "ipu2 tile=4", POP_PARSE_ERROR, "unknown word 'tile' (did you mean 'tiles'?)" },
        { "ipu2 tiles", POP_PARSE_ERROR, "'tiles' has no value, it must be tiles=..." },
        { "ipu2 tiles=", POP_PARSE_ERROR, "tiles=: the value must be an integer (decimal or 0x...) from 1 to 1048576" },
        { "ipu2 tiles=-4", POP_PARSE_ERROR, "tiles=-4: the value must be an integer" },
        { "ipu2 tiles=4294967296", POP_PARSE_ERROR, "tiles=4294967296" },
        { "ipu2 clock=fast", POP_PARSE_ERROR, "clock=fast: the value must be a number from 1000 to 1e+12" },
        { "ipu2 sync_delay=off", POP_PARSE_ERROR, "sync_delay=off: the value must be one of auto|none" },
        { "ipu2 bus_sharing=yes", POP_PARSE_ERROR, "bus_sharing=yes: the value must be true or false" },
        { "ipu2 system=", POP_PARSE_ERROR, "system=: the name must have 1 to 31 characters" },
        { "ipu2 arch=0123456789abcdef", POP_PARSE_ERROR, "1 to 15 characters" },
        { "ipu2 tiles=0", POP_INVALID_MACHINE_MODEL, "tiles_per_ipu is 0" },
        { "ipu2 interleaved_index=40", POP_INVALID_MACHINE_MODEL, "beyond the 39 memory elements" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        pop_target target = { .num_ipus = 77 };
        pop_error error = { 0 };
        assert_int_equal(pop_target_from_text(rows[i].text, &target, &error), rows[i].status);
        assert_non_null(strstr(error.text, rows[i].words));
        assert_int_equal(target.num_ipus, 77);
    }
    pop_target target;
    assert_int_equal(pop_target_from_text(NULL, &target, NULL), POP_PARSE_ERROR);
    assert_int_equal(pop_target_from_text("\tipu1  tiles=0x10\nipus=3 memory=65536", &target, NULL), POP_OK);
    assert_true(target.tiles_per_ipu == 16 && target.num_ipus == 3 && target.interleaved_memory_element_index == 4);
}

/* Lines with any damage give either a valid target or an error. */
static void test_damaged_lines(void **state)
{
    (void)state;
    static const char line[] =
        "ipu2 type=ipu_model ipus=2 tiles=64 memory=65536 clock=1.5e9 sync_delay=none system=abc bus_sharing=false";
    uint64_t seed = 7;
    int good = 0, all = (int)rounds(5000);
    for (int round = 0; round < all; ++round) {
        size_t length = strlen(line);
        char text[2 * sizeof(line)];
        strcpy(text, line);
        for (uint64_t change = 0, changes = 1 + next(&seed) % 4; change < changes && length; ++change) {
            size_t at = next(&seed) % length;
            switch (next(&seed) % 4) {
            case 0:
                text[at] = (char)next(&seed);
                break;
            case 1:
                memmove(text + at, text + at + 1, length - at);
                break;
            case 2:
                text[at] = 0;
                break;
            default:
                memmove(text + at + 1, text + at, length - at + 1);
                break;
            }
            length = strlen(text);
        }
        char *exact = malloc(length + 1); /* so that a sanitizer sees a read beyond its end */
        memcpy(exact, text, length + 1);
        pop_target target;
        pop_error error = { 0 };
        pop_status status = pop_target_from_text(exact, &target, &error);
        if (status == POP_OK)
            assert_int_equal(pop_target_check(&target, NULL), POP_OK);
        else
            assert_true(error.text[0] && (status == POP_PARSE_ERROR || status == POP_INVALID_MACHINE_MODEL));
        good += status == POP_OK;
        free(exact);
    }
    assert_true(good > all / 500 && good < all - all / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_differences_are_written),
        cmocka_unit_test(test_random_targets_round_trip),
        cmocka_unit_test(test_wrong_words_are_named),
        cmocka_unit_test(test_damaged_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
