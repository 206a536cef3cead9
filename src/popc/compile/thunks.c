/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the code around the user's source: hooks before it and, after it, a function for each vertex type that
 * runs a batch of states, into which compute is inlined. All its names have prefixes, because any other name could
 * be a macro of the user. */
#include "popc/compile/compile.h"

#include <poplar/text.h>
#include <stdio.h>

/* Declares struct codelet_call of codelet.h and replaces functions that would end the process. Shared by C and C++.
 * Nothing is thread-local here: for such variables of a loaded object glibc allocates memory at their first use in a
 * thread, and ends the process where there is none. */
static const char thunk_hooks[] =
    "#line 1 \"popc\"\n"
    "struct popc_assembly;\n"
    "struct popc_call {\n"
    "    void *popc_states;\n"
    "    __SIZE_TYPE__ popc_stride, popc_count;\n"
    "    unsigned popc_workers;\n"
    "    void *volatile popc_current;\n"
    "    void (*popc_fail)(struct popc_call *, const char *, const char *, int);\n"
    "    unsigned short (*popc_narrow)(struct popc_call *, float);\n"
    "    unsigned (*popc_tile)(struct popc_call *);\n"
    "    void *(*popc_keep)(unsigned, __SIZE_TYPE__);\n"
    "    unsigned long long popc_seed, popc_generator[2];\n"
    "    const void *popc_drawn, *popc_timed;\n"
    "    unsigned popc_worker, popc_drawn_worker, popc_cycles;\n"
    "    void (*popc_assemble)(struct popc_call *, struct popc_assembly *);\n"
    "};\n"
    "static struct popc_call **(*popc_where)(void);\n"
    "#ifdef __cplusplus\n"
    "extern \"C\" {\n"
    "#endif\n"
    "__attribute__((visibility(\"default\"))) void popc_enter(struct popc_call **(*popc_from)(void))\n"
    "{\n"
    "    popc_where = popc_from;\n"
    "}\n"
    "__attribute__((visibility(\"hidden\"))) void *popc_keep_block(unsigned popc_key, __SIZE_TYPE__ popc_bytes)\n"
    "{\n"
    "    struct popc_call *popc_call = *popc_where();\n"
    "    return popc_call->popc_keep ? popc_call->popc_keep(popc_key, popc_bytes) : (void *)0;\n"
    "}\n"
    "#ifdef __cplusplus\n"
    "}\n"
    "#endif\n"
    "enum { popc_room = 512 };\n"
    "static unsigned popc_put(char *popc_text, unsigned popc_at, const char *popc_from)\n"
    "{\n"
    "    while (*popc_from && popc_at + 1 < popc_room)\n"
    "        popc_text[popc_at++] = *popc_from++;\n"
    "    popc_text[popc_at] = 0;\n"
    "    return popc_at;\n"
    "}\n"
    "#define POPC_HIDDEN __attribute__((visibility(\"hidden\"), noreturn, noinline, cold))\n"
    "POPC_HIDDEN static void popc_stop(const char *popc_what, const char *popc_file, int popc_line)\n"
    "{\n"
    "    struct popc_call *popc_call = *popc_where();\n"
    "    popc_call->popc_fail(popc_call, popc_what, popc_file, popc_line);\n"
    "    __builtin_trap();\n"
    "}\n";

static const char hooks[] = "POPC_HIDDEN void __assert_fail(const char *popc_what, const char *popc_file, unsigned "
                            "popc_line, const char *popc_function)\n"
                            "{\n"
                            "    char popc_text[popc_room];\n"
                            "    unsigned popc_at = popc_put(popc_text, 0, \"assertion '\");\n"
                            "    (void)popc_function;\n"
                            "    popc_put(popc_text, popc_put(popc_text, popc_at, popc_what), \"' failed\");\n"
                            "    popc_stop(popc_text, popc_file, (int)popc_line);\n"
                            "}\n"
                            "POPC_HIDDEN void abort(void)\n"
                            "{\n"
                            "    popc_stop(\"abort() was called\", (void *)0, 0);\n"
                            "}\n"
                            "POPC_HIDDEN void __stack_chk_fail(void)\n"
                            "{\n"
                            "    popc_stop(\"it wrote beyond an array of its own\", (void *)0, 0);\n"
                            "}\n"
                            "#define POPC_EXIT(popc_name)                                            \\\n"
                            "    POPC_HIDDEN void popc_name(int popc_code)                           \\\n"
                            "    {                                                                   \\\n"
                            "        (void)popc_code;                                                \\\n"
                            "        popc_stop(#popc_name \"() was called\", (void *)0, 0);          \\\n"
                            "    }\n"
                            "POPC_EXIT(exit) POPC_EXIT(_exit) POPC_EXIT(_Exit) POPC_EXIT(quick_exit)\n"
                            "#undef POPC_EXIT\n"
                            "#undef POPC_HIDDEN\n";

static void write_run(const struct reflected *vertex, struct str *out)
{
    const struct codelet *codelet = &vertex->codelet;
    bool multi = codelet->kind == VERTEX_MULTI;
    const char *name = vertex->spelled;
    str_format(out,
               "_Static_assert(sizeof(struct %s) <= %uu && _Alignof(struct %s) <= %uu, \"vertex %s depends on how it "
               "is compiled\");\n",
               name, codelet->state_bytes, name, codelet->state_alignment, name);
    str_format(out,
               "__attribute__((visibility(\"default\"))) _Bool %s(struct popc_call *popc_call)\n"
               "{\n"
               "    char *popc_state = (char *)popc_call->popc_states;\n"
               "    const __SIZE_TYPE__ popc_stride = popc_call->popc_stride, popc_count = popc_call->popc_count;\n"
               "    _Bool popc_all = 1;\n"
               "    *popc_where() = popc_call;\n"
               "    for (__SIZE_TYPE__ popc_i = 0; popc_i < popc_count; ++popc_i, popc_state += popc_stride) {\n"
               "        popc_call->popc_current = popc_state;\n",
               codelet->symbol);
    if (multi)
        str_add(out,
                "        for (unsigned popc_worker = 0; popc_worker < popc_call->popc_workers; ++popc_worker)\n    ");
    str_format(out, "        %s%s_compute((struct %s *)(void *)popc_state%s);\n",
               vertex->returns_bool ? "popc_all &= " : "", name, name, multi ? ", popc_worker" : "");
    str_add(out, "    }\n"
                 "    *popc_where() = 0;\n"
                 "    return popc_all;\n"
                 "}\n");
}

void thunk_name(struct reflection *reflection, size_t index)
{
    char symbol[32];
    snprintf(symbol, sizeof(symbol), "pop_run_%zu", index);
    reflection->vertices.data[index].codelet.symbol = arena_string(reflection->arena, symbol);
}

/* Whether a source defines a variable of this name: "M_PI =", "M_PI{", "M_PI(". A use of the constant has none of these
 * after it. */
static bool defines(const struct popc_source *source, const char *name)
{
    size_t length = strlen(name);
    const char *end = source->text + source->size, *at = source->text;
    for (; (at = memmem(at, (size_t)(end - at), name, length)) != NULL; at += length) {
        const char *after = at + length;
        while (after < end && (*after == ' ' || *after == '\t'))
            ++after;
        bool word = at == source->text || !pop_text_is_word(at[-1]);
        if (word && after < end && (*after == '{' || *after == '(' || *after == '=') &&
            !(after[0] == '=' && after + 1 < end && after[1] == '='))
            return true;
    }
    return false;
}

/* Constants of <math.h> are macros here, and on the device names that a codelet may define: such a macro is removed. */
static void remove_constants(const struct popc_source *source, struct str *out)
{
    static const char *const names[] = { "M_E",    "M_LOG2E", "M_LOG10E", "M_LN2",      "M_LN10",  "M_PI",     "M_PI_2",
                                         "M_PI_4", "M_1_PI",  "M_2_PI",   "M_2_SQRTPI", "M_SQRT2", "M_SQRT1_2" };
    bool any = false;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i)
        if (defines(source, names[i])) {
            str_format(out, "%s#undef %s\n", any ? "" : "#include <math.h>\n", names[i]);
            any = true;
        }
}

void source_write(const struct popc_source *source, struct str *out)
{
    remove_constants(source, out);
    str_add(out, "#line 1 \"");
    for (const char *at = source->name; *at; ++at) {
        if (*at == '"' || *at == '\\')
            str_add(out, "\\");
        str_add_bytes(out, *at == '\n' ? " " : at, 1);
    }
    str_add(out, "\"\n");
    str_add_bytes(out, source->text, source->size);
    str_add(out, "\n");
}

void thunks_begin(const struct popc_source *source, const char *hooks_of_language, struct str *out)
{
    str_add(out, thunk_hooks);
    str_add(out, hooks_of_language);
    if (source->flags->behaving)
        str_add(out, behaving_hooks);
    source_write(source, out);
    str_add(out, "#line 1000 \"popc\"\n");
}

void thunks_write(const struct popc_source *source, struct reflection *reflection, struct str *out)
{
    if (source->language == POPC_CPP) {
        thunks_write_cpp(source, reflection, out);
        return;
    }
    thunks_begin(source, hooks, out);
    for (size_t i = 0; i < reflection->vertices.count; ++i) {
        struct reflected *vertex = reflection->vertices.data + i;
        thunk_name(reflection, i);
        write_run(vertex, out);
    }
}
