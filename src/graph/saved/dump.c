/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a dump: JSON, or the same as CBOR. */
#include "graph/saved/dump.h"
#include "graph/saved/saved.h"

#include <cbor.h>

typedef size_t (*encoder)(uint64_t value, unsigned char *buffer, size_t size);

static size_t encode_text_start(uint64_t length, unsigned char *buffer, size_t size)
{
    return cbor_encode_string_start((size_t)length, buffer, size);
}

static void put_head(struct dump *dump, encoder encode, uint64_t value)
{
    unsigned char head[16];
    str_add_bytes(&dump->out, (const char *)head, encode(value, head, sizeof(head)));
}

static void put_byte(struct dump *dump, int byte)
{
    char c = (char)byte;
    str_add_bytes(&dump->out, &c, 1);
}

/* Before a value: in JSON a comma where one is due. */
static void separate(struct dump *dump)
{
    if (!dump->cbor && dump->needs_comma)
        put_byte(dump, ',');
    dump->needs_comma = true;
}

void dump_open(struct dump *dump, bool map)
{
    separate(dump);
    put_byte(dump, dump->cbor ? (map ? 0xbf : 0x9f) : map ? '{' : '[');
    dump->needs_comma = false;
}

void dump_close(struct dump *dump, bool map)
{
    put_byte(dump, dump->cbor ? 0xff : map ? '}' : ']');
    dump->needs_comma = true;
}

void dump_text(struct dump *dump, const char *text)
{
    separate(dump);
    if (!dump->cbor) {
        saved_quote(&dump->out, text);
        return;
    }
    put_head(dump, encode_text_start, strlen(text));
    str_add(&dump->out, text);
}

void dump_number(struct dump *dump, uint64_t number)
{
    separate(dump);
    if (dump->cbor)
        put_head(dump, cbor_encode_uint, number);
    else
        str_format(&dump->out, "%llu", (unsigned long long)number);
}

void dump_integer(struct dump *dump, int64_t number)
{
    if (number >= 0) {
        dump_number(dump, (uint64_t)number);
        return;
    }
    separate(dump);
    if (dump->cbor)
        put_head(dump, cbor_encode_negint, (uint64_t)(-1 - number));
    else
        str_format(&dump->out, "%lld", (long long)number);
}

void dump_null(struct dump *dump)
{
    separate(dump);
    if (dump->cbor)
        put_byte(dump, 0xf6);
    else
        str_add(&dump->out, "null");
}

void dump_bool(struct dump *dump, bool truth)
{
    separate(dump);
    if (dump->cbor)
        put_byte(dump, truth ? 0xf5 : 0xf4);
    else
        str_add(&dump->out, truth ? "true" : "false");
}

void dump_key(struct dump *dump, const char *key)
{
    dump_text(dump, key);
    if (!dump->cbor)
        put_byte(dump, ':');
    dump->needs_comma = false;
}

void dump_open_entry(struct dump *dump)
{
    separate(dump);
    if (!dump->cbor)
        put_byte(dump, '\n');
    dump->needs_comma = false;
    dump_open(dump, true);
}

void dump_three(struct dump *dump, uint64_t first, uint64_t second, uint64_t third)
{
    dump_open(dump, false);
    dump_number(dump, first);
    dump_number(dump, second);
    dump_number(dump, third);
    dump_close(dump, false);
}
