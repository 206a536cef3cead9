/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/dump/dump.h"
#include "compiler/dump/dump_graph.h"
#include "compiler/dump/dump_image.h"
#include "compiler/dump/dump_model.h"

#include "base/file.h"

/* In the order of pipeline.c; NULL: the pass only checks, and has no result to dump. */
static const struct {
    const char *pass;
    dump_function *write;
} table[] = {
    { "use", dump_use },     { "check", dump_check },       { "sets", dump_sets },         { "hazard", NULL },
    { "order", dump_order }, { "storage", dump_storage },   { "blocks", dump_blocks },     { "outline", dump_outline },
    { "lower", dump_lower }, { "schedule", dump_schedule }, { "exchange", dump_exchange }, { "steps", dump_steps },
    { "live", dump_live },   { "place", dump_place },       { "vertices", dump_vertices }, { "emit", dump_emit },
    { "image", NULL },
};
enum { ROWS = sizeof(table) / sizeof(table[0]) };

/* Whether a list of names, separated by commas, has a name. */
static bool lists(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && !strncmp(at, name, length))
            return true;
    return false;
}

static bool refuse(struct compiler *c, const char *name)
{
    struct str allowed = { 0 };
    const char *names[ROWS];
    size_t count = 0;
    bool checks = false;
    for (size_t i = 0; i < ROWS; ++i) {
        if (table[i].write) {
            names[count++] = table[i].pass;
            str_format(&allowed, ", %s", table[i].pass);
        } else {
            checks |= !strcmp(name, table[i].pass);
        }
    }
    const char *near = checks ? NULL : str_nearest(name, names, count);
    compiler_fail(c, POP_INVALID_OPTION, 0, NULL, "debug.dumpPasses: %s '%s'%s%s%s%s (allowed: all%s)",
                  checks ? "pass" : "there is no pass", name, checks ? " only checks: it has no result to dump" : "",
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "", str_text(&allowed));
    str_free(&allowed);
    return false;
}

bool dump_begin(struct pass_dump *dump, struct compiler *c)
{
    *dump = (struct pass_dump){ .wanted = c->options->dump_passes };
    for (const char *at = *dump->wanted ? dump->wanted : NULL; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char name[32];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(at, ","), at);
        bool known = !strcmp(name, "all");
        for (size_t i = 0; i < ROWS; ++i)
            known |= table[i].write && !strcmp(name, table[i].pass);
        if (!known)
            return refuse(c, name);
    }
    return true;
}

void dump_pass(struct pass_dump *dump, const struct compiler *c, const struct pass_results *r, const char *pass)
{
    if (!*dump->wanted || !(lists(dump->wanted, "all") || lists(dump->wanted, pass)))
        return;
    for (size_t i = 0; i < ROWS; ++i)
        if (table[i].write && !strcmp(table[i].pass, pass)) {
            str_format(&dump->text, "==== %s ====\n", pass);
            table[i].write(c, r, &dump->text);
        }
}

bool dump_end(struct pass_dump *dump, struct compiler *c, bool good)
{
    const char *to = c->options->dump_passes_file;
    pop_error error = { 0 };
    bool out = !strcmp(to, "stdout"), written = true;
    if (dump->text.length && (out || !strcmp(to, "stderr")))
        fputs(dump->text.text, out ? stdout : stderr);
    else if (dump->text.length)
        written = file_write(to, dump->text.text, dump->text.length, &error) == POP_OK;
    str_free(&dump->text);
    if (good && !written)
        compiler_fail(c, error.status, 0, NULL, "debug.dumpPassesFile: %s", error.text);
    return good && written;
}
