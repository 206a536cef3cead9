/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles codelets that follow the tiles' floating-point behaviour (docs/decisions/0011-floating-point-behaviour.md).
 *
 * Ordinary code converts float to half with an instruction that rounds to nearest. This variant is compiled for a
 * machine without that instruction, so the compiler emits a call of its support function for each conversion (in
 * stores, casts and arithmetic alike). The function below replaces that support function and calls the engine. */
#include "popc/behave.h"
#include "popc/build.h"
#include "popc/module.h"
#include "popc/popc.h"

#include "base/error.h"
#include "base/log.h"

#include <pthread.h>
#include <sys/stat.h>

/* Text that precedes the source. Doubles become floats that are rounded to odd, so that the second rounding, to
 * half, gives the result of a single one. */
const char behaving_hooks[] =
    "#define POPC_FLOAT_BEHAVIOUR 1\n"
    "struct popc_behaving {\n"
    "    struct popc_call popc_call;\n"
    "    unsigned short (*popc_narrow)(struct popc_call *, float);\n"
    "};\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    /* Conversions outside vertices, such as initial values of fields, round to nearest. */
    "static unsigned short popc_nearest(float popc_value)\n"
    "{\n"
    "    unsigned popc_bits, popc_sign;\n"
    "    float popc_moved;\n"
    "    __builtin_memcpy(&popc_bits, &popc_value, sizeof(popc_bits));\n"
    "    popc_sign = popc_bits >> 16 & 0x8000u;\n"
    "    popc_bits &= 0x7fffffffu;\n"
    "    if (popc_bits > 0x7f800000u)\n"
    "        return (unsigned short)(popc_sign | 0x7e00u);\n"
    "    if (popc_bits >= 0x47800000u)\n"
    "        return (unsigned short)(popc_sign | 0x7c00u);\n"
    "    if (popc_bits >= 0x38800000u)\n"
    "        return (unsigned short)(popc_sign | ((popc_bits - (112u << 23) + 0xfffu + (popc_bits >> 13 & 1u)) >> "
    "13));\n"
    "    popc_moved = (popc_value < 0 ? -popc_value : popc_value) + 0.5f;\n"
    "    __builtin_memcpy(&popc_bits, &popc_moved, sizeof(popc_bits));\n"
    "    return (unsigned short)(popc_sign | (popc_bits - 0x3f000000u));\n"
    "}\n"
    "__attribute__((visibility(\"hidden\"), used)) unsigned short popc_half_from_float(float popc_value)\n"
    "{\n"
    "    return popc_now ? ((struct popc_behaving *)popc_now)->popc_narrow(popc_now, popc_value) : "
    "popc_nearest(popc_value);\n"
    "}\n"
    "#ifdef __FLT16_MANT_DIG__\n"
    "__extension__ typedef _Float16 popc_half;\n"
    "static popc_half popc_as_half(unsigned short popc_bits)\n"
    "{\n"
    "    popc_half popc_result;\n"
    "    __builtin_memcpy(&popc_result, &popc_bits, sizeof(popc_result));\n"
    "    return popc_result;\n"
    "}\n"
    "static float popc_to_odd(double popc_value)\n"
    "{\n"
    "    float popc_near = (float)popc_value;\n"
    "    unsigned popc_bits;\n"
    "    __builtin_memcpy(&popc_bits, &popc_near, sizeof(popc_bits));\n"
    "    if ((double)popc_near == popc_value || popc_value != popc_value || (popc_bits & 0x7fffffffu) == 0x7f800000u)\n"
    "        return popc_near;\n"
    "    popc_bits = (popc_bits - (__builtin_fabs((double)popc_near) > __builtin_fabs(popc_value))) | 1u;\n"
    "    __builtin_memcpy(&popc_near, &popc_bits, sizeof(popc_near));\n"
    "    return popc_near;\n"
    "}\n"
    "#define POPC_NARROW(popc_name, popc_type, popc_float)                                                             "
    "   \\\n"
    "    __attribute__((visibility(\"hidden\"), used)) popc_half popc_name(popc_type popc_value)                       "
    "   \\\n"
    "    {                                                                                                             "
    " \\\n"
    "        return popc_as_half(popc_half_from_float(popc_float));                                                    "
    " \\\n"
    "    }\n"
    "POPC_NARROW(__truncsfhf2, float, popc_value)\n"
    "POPC_NARROW(__truncdfhf2, double, popc_to_odd(popc_value))\n"
    "POPC_NARROW(__truncxfhf2, long double, popc_to_odd((double)popc_value))\n"
    "#undef POPC_NARROW\n"
    "#endif\n"
    "#ifdef __cplusplus\n"
    "}\n"
    "#endif\n";

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
