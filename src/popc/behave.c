/* SPDX-License-Identifier: Apache-2.0 */
/* Finds or compiles codelets that follow the tiles' floating-point behaviour (popc/compile/hooks.c). */
#include "popc/compile/flags.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include "base/error.h"
#include "base/log.h"

#include <pthread.h>
#include <sys/stat.h>

/* "dir/popops.x86-64-v4.gp" gives "dir/popops.behaving.gp". */
static bool name_beside(const char *file, struct str *beside)
{
    size_t length = strlen(file);
    if (length < 3 || strcmp(file + length - 3, ".gp") != 0)
        return false;
    length -= 3;
    static const char level[] = ".x86-64-v";
    size_t marked = sizeof(level); /* including the digit */
    if (length > marked && strncmp(file + length - marked, level, marked - 1) == 0)
        length -= marked;
    str_add_bytes(beside, file, length);
    str_add(beside, ".behaving.gp");
    return true;
}

/* Whether the vertex types have the same layout: vertices laid out for one module are run by the other. */
static bool fits(const struct module *module, const struct module *other)
{
    bool same = module->codelet_count == other->codelet_count;
    for (uint32_t i = 0; same && i < module->codelet_count; ++i) {
        const struct codelet *a = module->codelets + i, *b = other->codelets + i;
        same = strcmp(a->name, b->name) == 0 && a->kind == b->kind && a->state_bytes == b->state_bytes &&
               a->field_count == b->field_count;
        for (uint32_t f = 0; same && f < a->field_count; ++f)
            same = strcmp(a->fields[f].name, b->fields[f].name) == 0 && a->fields[f].offset == b->fields[f].offset &&
                   a->fields[f].type == b->fields[f].type;
    }
    return same;
}

static struct module *make_behaving(const struct module *module)
{
    struct module *made = NULL;
    struct str text = { 0 };
    struct stat status;
    pop_error error = { 0 };
    if (module->source) {
        str_format(&text, "%s " BEHAVING_FLAG, module->source->flags);
        popc_compile_as((enum popc_language)module->source->language, module->source->name, module->source->text,
                        text.text, &made, &error);
    } else if (name_beside(module->name, &text) && stat(text.text, &status) == 0) {
        popc_load(text.text, "", &made, &error);
    }
    if (error.status != POP_OK)
        LOG(CODELETS, WARN, "'%s' has no variant for the floating-point behaviour: %s", module->name, error.text);
    str_free(&text);
    if (made && !fits(module, made)) {
        LOG(CODELETS, WARN, "'%s' and its variant for the floating-point behaviour have different vertex types",
            module->name);
        module_release(made);
        made = NULL;
    }
    return made;
}

struct module *module_behaving(struct module *module)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!module->asked_behaving && (module->behaving = make_behaving(module)) == NULL)
        LOG(CODELETS, WARN,
            "codelets of '%s' round half to nearest and overflow to infinity, whatever the program sets: load their "
            "source instead, or put what "
            "popc makes of it with " BEHAVING_FLAG " beside the file, named NAME.behaving.gp",
            module->name);
    module->asked_behaving = true;
    struct module *behaving = module->behaving;
    pthread_mutex_unlock(&lock);
    return behaving;
}
