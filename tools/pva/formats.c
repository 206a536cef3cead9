/* SPDX-License-Identifier: Apache-2.0 */
/* Output formats: Chrome's JSON, CSV, and our own JSON. */
#include "pva.h"
#include "trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static double microseconds; /* duration of a cycle */
static bool first;          /* nothing has been written yet */
static char *lanes[1 << 12];

static void comma(FILE *file)
{
    fputs(first ? "\n" : ",\n", file);
    first = false;
}

static void chrome_begin(FILE *file, double hertz)
{
    microseconds = hertz > 0 ? 1e6 / hertz : 1;
    first = true;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", file);
}

static void chrome_lane(FILE *file, unsigned lane, const char *name)
{
    comma(file);
    fprintf(file, "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":0,\"tid\":%u,\"args\":{\"name\":", lane);
    put_json(file, name);
    fprintf(file,
            "}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":0,\"tid\":%u,\"args\":{\"sort_index\":%u}}",
            lane, lane);
}

static void chrome_slice(FILE *file, const struct slice *slice)
{
    comma(file);
    put_numbers(file, "{\"ph\":\"X\",\"pid\":0,\"tid\":%u,\"ts\":%.4f,\"dur\":%.4f,\"cat\":", slice->lane,
                (double)slice->from * microseconds, (double)(slice->to - slice->from) * microseconds);
    put_json(file, slice->type);
    fputs(",\"name\":", file);
    put_json(file, *slice->name ? slice->name : slice->type);
    fprintf(file,
            ",\"args\":{\"step\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"activeTiles\":%" PRIu64 ",\"dataIn\":%" PRIu64
            ",\"dataOut\":%" PRIu64 "}}",
            slice->step, slice->cycles, slice->active_tiles, slice->data_in, slice->data_out);
}

static void chrome_counter(FILE *file, uint64_t cycle, uint64_t bytes)
{
    comma(file);
    put_numbers(file, "{\"ph\":\"C\",\"pid\":0,\"ts\":%.4f,\"name\":\"live memory\",\"args\":{\"bytes\":%" PRIu64 "}}",
                (double)cycle * microseconds, bytes);
}

static void chrome_end(FILE *file)
{
    fputs("\n]}\n", file);
}

static void keep_lane(FILE *file, unsigned lane, const char *name)
{
    (void)file;
    if (lane < sizeof(lanes) / sizeof(lanes[0])) {
        free(lanes[lane]);
        lanes[lane] = strdup(name);
    }
}

static const char *lane_name(unsigned lane)
{
    return lane < sizeof(lanes) / sizeof(lanes[0]) && lanes[lane] ? lanes[lane] : "";
}

static void clear_lanes(void)
{
    for (size_t i = 0; i < sizeof(lanes) / sizeof(lanes[0]); ++i) {
        free(lanes[i]);
        lanes[i] = NULL;
    }
}

static void csv_begin(FILE *file, double hertz)
{
    (void)hertz;
    fputs("lane,step,type,name,from,to,cycles,active_tiles,data_in,data_out\n", file);
}

static void csv_slice(FILE *file, const struct slice *slice)
{
    put_csv(file, lane_name(slice->lane));
    fprintf(file, ",%" PRIu64 ",", slice->step);
    put_csv(file, slice->type);
    fputc(',', file);
    put_csv(file, slice->name);
    fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", slice->from, slice->to,
            slice->cycles, slice->active_tiles, slice->data_in, slice->data_out);
}

static void csv_end(FILE *file)
{
    (void)file;
    clear_lanes();
}

static void json_begin(FILE *file, double hertz)
{
    first = true;
    put_numbers(file, "{\"clockFrequency\":%.1f,\"slices\":[", hertz);
}

static void json_slice(FILE *file, const struct slice *slice)
{
    comma(file);
    fputs("{\"lane\":", file);
    put_json(file, lane_name(slice->lane));
    fprintf(file, ",\"step\":%" PRIu64 ",\"type\":", slice->step);
    put_json(file, slice->type);
    fputs(",\"name\":", file);
    put_json(file, slice->name);
    fprintf(file,
            ",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"cycles\":%" PRIu64 ",\"activeTiles\":%" PRIu64
            ",\"dataIn\":%" PRIu64 ",\"dataOut\":%" PRIu64 "}",
            slice->from, slice->to, slice->cycles, slice->active_tiles, slice->data_in, slice->data_out);
}

static void json_end(FILE *file)
{
    fputs("\n]}\n", file);
    clear_lanes();
}

const struct format format_chrome = { "chrome", chrome_begin, chrome_lane, chrome_slice, chrome_counter, chrome_end };
const struct format format_csv = { "csv", csv_begin, keep_lane, csv_slice, NULL, csv_end };
const struct format format_json = { "json", json_begin, keep_lane, json_slice, NULL, json_end };
