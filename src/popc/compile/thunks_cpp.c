/* SPDX-License-Identifier: Apache-2.0 */
/* Like thunks.c, for C++. The hooks have their own C++ names, which are bound to the C library's symbols, so that
 * they do not conflict with its declarations. */
#include "popc/compile/compile.h"
#include "popc/compile/made.h"
#include "popc/module/resolve.h"

static const char hooks[] =
    "#define POPC_HOOK(popc_name, popc_parameters, popc_symbol)                                                  \\\n"
    "    extern \"C\" POPC_HIDDEN void popc_name popc_parameters __asm__(popc_symbol);                             \\\n"
    "    extern \"C\" void popc_name popc_parameters\n"
    "POPC_HOOK(popc_assert_fail, (const char *popc_what, const char *popc_file, unsigned popc_line, const char *), "
    "\"__assert_fail\")\n"
    "{\n"
    "    char popc_text[popc_room];\n"
    "    unsigned popc_at = popc_put(popc_text, 0, \"assertion '\");\n"
    "    popc_put(popc_text, popc_put(popc_text, popc_at, popc_what), \"' failed\");\n"
    "    popc_stop(popc_text, popc_file, (int)popc_line);\n"
    "}\n"
    "POPC_HOOK(popc_abort, (), \"abort\") { popc_stop(\"abort() was called\", 0, 0); }\n"
    "POPC_HOOK(popc_stack, (), \"__stack_chk_fail\") { popc_stop(\"it wrote beyond an array of its own\", 0, 0); }\n"
    "POPC_HOOK(popc_exit_0, (int), \"exit\") { popc_stop(\"exit() was called\", 0, 0); }\n"
    "POPC_HOOK(popc_exit_1, (int), \"_exit\") { popc_stop(\"_exit() was called\", 0, 0); }\n"
    "POPC_HOOK(popc_exit_2, (int), \"_Exit\") { popc_stop(\"_Exit() was called\", 0, 0); }\n"
    "POPC_HOOK(popc_exit_3, (int), \"quick_exit\") { popc_stop(\"quick_exit() was called\", 0, 0); }\n"
    /* the linker substitutes these for constructors and computes that are declared but not defined */
    "POPC_HOOK(popc_no_compute, (), \"" NO_COMPUTE
    "\") { popc_stop(\"its compute is declared and not defined\", 0, 0); }\n"
    "extern \"C\" __attribute__((visibility(\"hidden\"), used)) void " NO_CONSTRUCTOR "() {}\n"
    "#undef POPC_HOOK\n"
    "#undef POPC_HIDDEN\n"
    "struct popc_place {};\n"
    "inline void *operator new(__SIZE_TYPE__, popc_place, void *popc_at) noexcept { return popc_at; }\n"
    "template <bool> struct popc_maker {\n"
    "    template <class popc_type> static void popc_make(void *) {}\n"
    "};\n"
    "template <> struct popc_maker<true> {\n"
    "    template <class popc_type> static void popc_make(void *popc_at) { ::new (popc_place(), popc_at) popc_type; }\n"
    "};\n"
    "struct popc_made {\n"
    "    __SIZE_TYPE__ popc_bytes, popc_alignment;\n"
    "    void (*popc_default)(void *);\n"
    "};\n";

static void write_run(const struct reflected *vertex, struct str *out)
{
    bool multi = vertex->codelet.kind == VERTEX_MULTI;
    str_format(out,
               "extern \"C\" __attribute__((visibility(\"default\"))) bool %s(struct popc_call *popc_call)\n"
               "{\n"
               "    typedef %s popc_type;\n"
               "    char *popc_state = (char *)popc_call->popc_states;\n"
               "    const __SIZE_TYPE__ popc_stride = popc_call->popc_stride, popc_count = popc_call->popc_count;\n"
               "    bool popc_all = true;\n"
               "    *popc_where() = popc_call;\n"
               "    for (__SIZE_TYPE__ popc_i = 0; popc_i < popc_count; ++popc_i, popc_state += popc_stride) {\n"
               "        popc_call->popc_current = popc_state;\n",
               vertex->codelet.symbol, vertex->spelled);
    if (multi)
        str_add(out,
                "        for (unsigned popc_worker = 0; popc_worker < popc_call->popc_workers; ++popc_worker)\n    ");
    str_format(out, "        %s %s((popc_type *)(void *)popc_state)->compute(%s);\n",
               multi ? "POPC_WORKER(popc_worker)" : "POPC_WORKER(0)", vertex->returns_bool ? "popc_all &= (bool)" : "",
               multi ? "popc_worker" : "");
    str_add(out, "    }\n"
                 "    *popc_where() = 0;\n"
                 "    return popc_all;\n"
                 "}\n");
}

static void write_table(const struct reflection *reflection, struct str *out)
{
    str_add(out,
            "extern \"C\" __attribute__((visibility(\"default\"))) const struct popc_made " MADE_SYMBOL "[] = {\n");
    for (size_t i = 0; i < reflection->vertices.count; ++i) {
        const char *type = reflection->vertices.data[i].spelled;
        str_format(out,
                   "    { sizeof(%s), alignof(%s), __is_trivially_constructible(%s) ? 0 : "
                   "&popc_maker<__is_constructible(%s)>::popc_make<%s> },\n",
                   type, type, type, type, type);
    }
    str_add(out, "};\n");
}

/* What <ipu_builtins.h> declares, after a source that includes it: each vertex, and each worker of a MultiVertex, has a
 * generator of its own (src/tile/exec_random.c), seeded as those of vertices in assembly (tile_vertex.c).  Cycles are
 * counted for a vertex from 0 on: only those of the readings, six for a worker's turn each. */
static const char builtin_hooks[] =
    "#ifdef POPLAR_IPU_BUILTINS\n"
    "static struct popc_call *popc_now()\n"
    "{\n"
    "    struct popc_call *popc_call = popc_where ? *popc_where() : nullptr;\n"
    "    return popc_call && popc_call->popc_stride ? popc_call : nullptr; /* not in a static initialiser */\n"
    "}\n"
    "static unsigned long long popc_mix(unsigned long long popc_x)\n"
    "{\n"
    "    popc_x += 0x9e3779b97f4a7c15u;\n"
    "    popc_x = (popc_x ^ (popc_x >> 30)) * 0xbf58476d1ce4e5b9u;\n"
    "    popc_x = (popc_x ^ (popc_x >> 27)) * 0x94d049bb133111ebu;\n"
    "    return popc_x ^ (popc_x >> 31);\n"
    "}\n"
    "extern \"C\" unsigned long long *__popc_generator()\n"
    "{\n"
    "    static unsigned long long popc_outside[2] = { 1, 2 };\n"
    "    struct popc_call *popc_call = popc_now();\n"
    "    if (!popc_call)\n"
    "        return popc_outside;\n"
    "    if (popc_call->popc_drawn != popc_call->popc_current ||\n"
    "        popc_call->popc_drawn_worker != popc_call->popc_worker) {\n"
    "        const char *popc_vertex = (const char *)popc_call->popc_current;\n"
    "        unsigned long long popc_seed = popc_call->popc_seed + (unsigned long long)(popc_vertex -\n"
    "            (const char *)popc_call->popc_states) / popc_call->popc_stride;\n"
    "        popc_seed = popc_mix(popc_seed) + 2 * popc_call->popc_worker;\n"
    "        popc_call->popc_generator[0] = popc_mix(popc_seed);\n"
    "        popc_call->popc_generator[1] = popc_mix(popc_seed + 1) | 1;\n"
    "        popc_call->popc_drawn = popc_vertex;\n"
    "        popc_call->popc_drawn_worker = popc_call->popc_worker;\n"
    "    }\n"
    "    return popc_call->popc_generator;\n"
    "}\n"
    "extern \"C\" unsigned __popc_tile_id(const char *popc_asked)\n"
    "{\n"
    "    struct popc_call *popc_call = popc_now();\n"
    "    __asm__ volatile(\"\" : : \"r\"(popc_asked)); /* the object keeps its use of the symbol */\n"
    "    return popc_call && popc_call->popc_tile ? popc_call->popc_tile(popc_call) : 0;\n"
    "}\n"
    "extern \"C\" unsigned long long __popc_cycles()\n"
    "{\n"
    "    struct popc_call *popc_call = popc_now();\n"
    "    if (!popc_call)\n"
    "        return 0;\n"
    "    if (popc_call->popc_timed != popc_call->popc_current)\n"
    "        popc_call->popc_cycles = 0;\n"
    "    popc_call->popc_timed = popc_call->popc_current;\n"
    "    return popc_call->popc_cycles += 6;\n"
    "}\n"
    "#define POPC_WORKER(popc_number) popc_call->popc_worker = popc_number,\n"
    "#else\n"
    "#define POPC_WORKER(popc_number)\n"
    "#endif\n"
    "#ifdef POPLAR_TILE_ASSEMBLY\n"
    "extern \"C\" void __popc_assembly(struct popc_assembly *popc_statement)\n"
    "{\n"
    "    struct popc_call *popc_call = popc_where ? *popc_where() : nullptr;\n"
    "    if (!popc_call || !popc_call->popc_stride || !popc_call->popc_assemble)\n"
    "        popc_stop(\"it uses assembly of the tile outside of a vertex\", popc_statement->file, "
    "popc_statement->line);\n"
    "    popc_call->popc_assemble(popc_call, popc_statement);\n"
    "}\n"
    "#undef POPC_WORKER\n"
    "#define POPC_WORKER(popc_number) popc_call->popc_worker = popc_number,\n"
    "#endif\n";

/* For each function that the source only declares, what calls it in the interpreter, when it is in assembly
 * (resolve.h): popc_assembly_NAME returns its address. Its type is that of the declaration. */
static void write_callees(const struct reflection *reflection, struct str *out)
{
    for (size_t i = 0; i < reflection->wanted.count; ++i) {
        const char *symbol = reflection->wanted.data[i];
        struct str name = { 0 };
        symbol_spell(symbol, &name);
        size_t length = name.length;
        if (length > 2 && strcmp(name.text + length - 2, "()") == 0)
            name.text[length - 2] = 0;
        str_format(out,
                   "struct popc_label_%zu { static const char *text() { return \"%s\"; } };\n"
                   "extern \"C\" __attribute__((visibility(\"default\"), used)) void *" CALLEE_PREFIX "%s()\n"
                   "{\n"
                   "    return ::poplar::detail::calleeOf<popc_label_%zu>((decltype(&%s))nullptr);\n"
                   "}\n",
                   i, symbol, symbol, i, name.text);
        str_free(&name);
    }
}

void thunks_write_cpp(const struct popc_source *source, struct reflection *reflection, struct str *out)
{
    thunks_begin(source, hooks, out);
    str_add(out, builtin_hooks);
    for (size_t i = 0; i < reflection->vertices.count; ++i) {
        thunk_name(reflection, i);
        write_run(reflection->vertices.data + i, out);
    }
    write_callees(reflection, out);
    write_table(reflection, out);
}
