/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation for the device. A 32-bit RISC-V machine stands for it, as the most similar one that compilers support:
 * small memory, four-byte instructions, half and single precision, three operands. Only the sizes of the code are
 * kept. */
#include "popc/compile/build.h"
#include "popc/compile/child.h"
#include "popc/compile/command.h"
#include "popc/compile/compile.h"
#include "popc/device/device.h"
#include "popc/module/device_code.h"

#include "base/error.h"
#include "base/log.h"

#include <stdio.h>

static const char *const versions[DEVICE_ARCHS] = { "-D__IPU_ARCH_VERSION__=1", "-D__IPU_ARCH_VERSION__=2",
                                                    "-D__IPU_ARCH_VERSION__=21" };

/* For measuring: optimised for size as device code is. For counting: structs and pointers have the host's layout,
 * and the code uses only instructions that device_machine.c interprets. */
static const struct compiler_machine {
    const char *target, *march, *abi, *model, *relaxation;
} for_measuring = { "--target=riscv32-unknown-elf", "-march=rv32imf_zfh", "-mabi=ilp32f", "-mcmodel=medlow",
                    "-mrelax" },
  for_counting = { "--target=riscv64-unknown-elf", "-march=rv64imf_zfh", "-mabi=lp64f", "-mcmodel=medany",
                   "-mno-relax" };

/* Directories of the host's standard headers, which the device's compiler reads too; text holds their names one
 * after another. */
struct headers {
    struct str text;
    VEC(size_t) at; /* offset of each name in text */
};

/* Reads the directories from the compiler's -v output for a compilation for the host, where two marker lines enclose
 * them. */
static void find_headers(struct headers *headers, const struct popc_source *source, const char *device_compiler)
{
    const char *words[] = { device_compiler, "-E", "-v",        "-x", source->language == POPC_CPP ? "c++" : "c",
                            "/dev/null",     "-o", "/dev/null", NULL };
    struct child child;
    struct str said = { 0 };
    if (child_start(&child, words, NULL) != POP_OK || child_wait(&child, &said) != 0)
        str_free(&said);
    const char *line = strstr(str_text(&said), "#include <...>");
    line = line ? strchr(line, '\n') : NULL;
    while (line && *++line == ' ') {
        size_t length = strcspn(++line, "\n");
        bool own = length > 8 && memcmp(line + length - 8, "/include", 8) == 0 &&
                   (memmem(line, length, "/lib/gcc/", 9) || memmem(line, length, "/clang/", 7));
        if (!own) { /* the compiler finds its own headers for any machine */
            *vec_push(&headers->at) = headers->text.length;
            str_add_bytes(&headers->text, line, length);
            str_add_bytes(&headers->text, "", 1);
        }
        line += length;
    }
    str_format(&headers->text, "%s/poplar/detail/device", source->include);
    *vec_push(&headers->at) = headers->text.length - strlen(source->include) - strlen("/poplar/detail/device");
    str_free(&said);
}

static void free_headers(struct headers *headers)
{
    vec_free(&headers->at);
    str_free(&headers->text);
}

static void device_command(struct command *command, const struct popc_source *source, const char *compiler,
                           const struct headers *headers, int arch, const struct compiler_machine *machine,
                           const struct scratch *scratch)
{
    *command = (struct command){ 0 };
    snprintf(command->optimise, sizeof(command->optimise), "-O%c",
             source->flags->small ? 's' : source->flags->optimise);
    const char *standard = source->language == POPC_CPP ? "-std=gnu++17" : "-std=gnu11";
    command_add(command, (const char *const[]){ compiler,
                                                standard,
                                                "-D__POPC__=1",
                                                "-D__IPU__=1",
                                                versions[arch],
                                                machine->target,
                                                machine->march,
                                                machine->abi,
                                                machine->model,
                                                machine->relaxation,
                                                "-menable-experimental-extensions",
                                                "-fno-builtin",
                                                "-fno-math-errno",
                                                "-ffp-contract=off",
                                                "-ffunction-sections",
                                                "-fdata-sections",
                                                "-fno-asynchronous-unwind-tables",
                                                "-fstack-size-section",
                                                "-fno-color-diagnostics",
                                                "-w",
                                                command->optimise,
                                                "-c",
                                                NULL });
    if (source->language == POPC_CPP)
        command_add(command, (const char *const[]){ "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics",
                                                    "-fno-access-control", NULL });
    command_add_source(command, source);
    command_add(command, (const char *const[]){ "-D__regparm__(n)=__unused__",
                                                NULL }); /* the host's pthread.h assumes 64-bit pointers */
    for (size_t i = 0; i < headers->at.count; ++i)
        command_add(command, (const char *const[]){ "-idirafter", headers->text.text + headers->at.data[i], NULL });
    command_add(command, (const char *const[]){ "-MD", "-MF", scratch->included.text, "-o", scratch->object.text,
                                                scratch->source.text, NULL });
}

/* Writes a use of each compute, because the compiler would drop unused static functions. */
void device_uses_write(const struct module *module, const struct reflection *reflection, struct str *text)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        const struct reflected *vertex = reflection->vertices.data + i;
        const char *parameters = vertex->codelet.kind == VERTEX_MULTI ? "unsigned" : "";
        if (reflection->language == POPC_CPP) {
            str_format(text, "__attribute__((used)) static %s (%s::*const popc_use_%u)(%s) = &%s::compute;\n",
                       vertex->returns_bool ? "bool" : "void", vertex->spelled, (unsigned)i, parameters,
                       vertex->spelled);
            continue;
        }
        str_format(text, "__attribute__((used)) static void *const popc_use_%u = (void *)&%s_compute;\n", (unsigned)i,
                   vertex->spelled);
    }
}

static void write_text(const struct popc_source *source, const char *uses, struct str *text)
{
    source_write(source, text);
    str_format(text, "#line 1 \"popc\"\n%s", uses);
}

/* The compiler's first error message, or else its first line of output. */
static const char *first_line(const char *said, struct arena *arena)
{
    const char *start = strstr(said, "error: ");
    while (start && start > said && start[-1] != '\n')
        --start;
    start = start ? start : said;
    struct str line = { 0 };
    str_add_bytes(&line, start, strcspn(start, "\n"));
    const char *kept = arena_string(arena, line.length ? line.text : "the compiler failed without a message");
    str_free(&line);
    return kept;
}

/* ---- estimates for code that the device's compiler refuses ---- */

/* Ratio of code bytes on the device to those of plain x86-64 code, in percent: 1,876 to 1,571 over the codelets of
 * the tests, the benchmarks and the tutorials, most of them between 85 and 170 (docs/concepts/codelets.md). */
enum { DEVICE_PER_HOST = 119, INSTRUCTION_BYTES = 4 };

static uint32_t scaled(uint32_t host)
{
    uint64_t bytes =
        ((uint64_t)host * DEVICE_PER_HOST / 100 + INSTRUCTION_BYTES - 1) / INSTRUCTION_BYTES * INSTRUCTION_BYTES;
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

#if defined(__x86_64__)
#define HOST_PLAIN "-march=x86-64"
#else
#define HOST_PLAIN "-march=armv8-a"
#endif

/* Compiles plainly: no vectorisation, no alignment padding, nothing but the functions' code. */
static void host_command(struct command *command, const struct popc_source *source, const char *compiler,
                         const struct scratch *scratch)
{
    *command = (struct command){ 0 };
    snprintf(command->optimise, sizeof(command->optimise), "-O%c", source->flags->optimise);
    bool cpp = source->language == POPC_CPP;
    if (cpp)
        command_add(command, (const char *const[]){ compiler, "-std=gnu++17", "-fno-exceptions", "-fno-rtti",
                                                    "-fno-threadsafe-statics", "-fno-access-control", NULL });
    else
        command_add(command, (const char *const[]){ compiler, "-std=gnu11", NULL });
    command_add(command, (const char *const[]){ "-D__POPC__=1",
                                                "-fsigned-char",
                                                "-pipe",
                                                HOST_PLAIN,
                                                "-ffp-contract=off",
                                                "-fno-tree-vectorize",
                                                "-fno-pic",
                                                "-fcf-protection=none",
                                                "-fno-asynchronous-unwind-tables",
                                                "-fno-stack-protector",
                                                "-falign-functions=1",
                                                "-falign-loops=1",
                                                "-falign-jumps=1",
                                                "-ffunction-sections",
                                                "-fdata-sections",
                                                "-fno-lto",
                                                "-w",
                                                command->optimise,
                                                "-c",
                                                NULL });
    command_add_source(command, source);
    command_add(command, (const char *const[]){ "-o", scratch->object.text, scratch->source.text, NULL });
}

/* Estimates all codelets from the host's object or, without one, from the module's (device_code_of). */
static void estimate_all(const struct popc_source *source, const char *compiler, const struct scratch *scratch,
                         const struct str *text, struct module *module, struct device_code *codes, const char *reason)
{
    struct str said = { 0 };
    struct command command;
    char *object = NULL;
    size_t size;
    pop_error error;
    host_command(&command, source, compiler, scratch);
    bool measured = command_run(&command, scratch, text, &said, &object, &size, &error) == POP_OK && object &&
                    device_measure(&(struct module_code){ (unsigned char *)object, size }, 1, module->codelets,
                                   module->codelet_count, &module->arena, codes);
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        codes[i] = (struct device_code){ .bytes = measured ? scaled(codes[i].bytes) : 0,
                                         .shared_bytes = measured ? scaled(codes[i].shared_bytes) : 0,
                                         .data_bytes = measured ? codes[i].data_bytes : 0,
                                         .estimated = true,
                                         .reason = reason };
    free(object);
    vec_free(&command.words);
    str_free(&said);
}

/* Records the included files of a source that does not compile, missing ones omitted: a change of one may make it
 * compile. */
static void read_included(const struct popc_source *source, const char *compiler, const struct headers *headers,
                          int arch, const struct scratch *scratch, const struct str *text, struct built *built)
{
    struct str said = { 0 };
    struct command command;
    char *object = NULL;
    size_t size;
    pop_error error;
    device_command(&command, source, compiler, headers, arch, &for_measuring, scratch);
    command_add(&command, (const char *const[]){ "-M", "-MG", NULL });
    if (command_run(&command, scratch, text, &said, &object, &size, &error) == POP_OK)
        built_read_included(built, scratch);
    free(object);
    vec_free(&command.words);
    str_free(&said);
}

/* Returns NULL when codes are measured, else the reason why they are not. */
static const char *compile_for(const struct popc_source *source, const char *compiler, const struct headers *headers,
                               int arch, const struct scratch *scratch, const struct str *text, struct built *built,
                               struct module *module)
{
    struct str said = { 0 };
    struct command command;
    char *object = NULL;
    size_t size;
    pop_error error;
    const char *reason = NULL;
    device_command(&command, source, compiler, headers, arch, &for_measuring, scratch);
    if (command_run(&command, scratch, text, &said, &object, &size, &error) != POP_OK) {
        reason = arena_string(&module->arena, error.text);
    } else if (!object) {
        LOG(CODELETS, INFO, "compiling '%s' for %s failed:\n%s", source->name, device_arch_names[arch],
            str_text(&said));
        reason = first_line(str_text(&said), &module->arena);
        read_included(source, compiler, headers, arch, scratch, text, built);
    } else {
        built_read_included(built, scratch);
        if (!device_measure(&(struct module_code){ (unsigned char *)object, size }, 1, module->codelets,
                            module->codelet_count, &module->arena, module->devices[arch]))
            reason = "the device's compiler made no object that can be read";
        else if (module->object_count && module->objects->shares)
            module->objects->measured[arch] =
                (struct module_code){ memcpy(arena_alloc(&module->arena, size), object, size), size };
    }
    free(object);
    vec_free(&command.words);
    str_free(&said);
    return reason;
}

char *device_compile_counted(const struct popc_source *source, const char *device_compiler, int arch,
                             const struct scratch *scratch, struct built *built, size_t *size, pop_error *error)
{
    struct str text = { 0 }, said = { 0 };
    struct arena arena = { 0 };
    struct command command;
    char *object = NULL;
    struct headers headers = { 0 };
    write_text(source, source->of->uses, &text);
    find_headers(&headers, source, device_compiler);
    device_command(&command, source, device_compiler, &headers, arch, &for_counting, scratch);
    if (command_run(&command, scratch, &text, &said, &object, size, error) == POP_OK && !object)
        error_set(error, POP_GRAPH_PROGRAM_COMPILATION_ERROR, NO_WHERE, NULL, "%s",
                  first_line(str_text(&said), &arena));
    if (object)
        built_read_included(built, scratch);
    vec_free(&command.words);
    free_headers(&headers);
    str_free(&said);
    str_free(&text);
    arena_free(&arena);
    return object;
}

/* The preprocessed text of the source; NULL when preprocessing fails. */
static char *preprocessed(const struct popc_source *source, const char *compiler, const struct headers *headers,
                          int arch, const struct scratch *scratch, const struct str *text, size_t *size)
{
    struct str said = { 0 };
    struct command command;
    char *expanded = NULL;
    pop_error error;
    device_command(&command, source, compiler, headers, arch, &for_measuring, scratch);
    command_add(&command, (const char *const[]){ "-E", NULL });
    if (command_run(&command, scratch, text, &said, &expanded, size, &error) != POP_OK) {
        free(expanded);
        expanded = NULL;
    }
    vec_free(&command.words);
    str_free(&said);
    return expanded;
}

static bool several(unsigned devices)
{
    return devices & (devices - 1);
}

void device_compile(const struct popc_source *source, const char *compiler, const char *device_compiler,
                    const struct scratch *scratch, struct built *built, struct module *module)
{
    struct str text = { 0 };
    struct headers headers = { 0 };
    const struct device_code *measured = NULL; /* of the previous device, whose preprocessed source is `read` */
    char *read = NULL;
    size_t read_size = 0;
    int previous = 0;
    write_text(source, module->uses, &text);
    if (device_compiler)
        find_headers(&headers, source, device_compiler);
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        if (!(source->flags->devices >> arch & 1))
            continue;
        struct device_code *codes = module->devices[arch] =
            arena_alloc(&module->arena, module->codelet_count * sizeof(*codes));
        size_t size = 0;
        char *now = device_compiler && several(source->flags->devices)
                        ? preprocessed(source, device_compiler, &headers, arch, scratch, &text, &size)
                        : NULL;
        if (now && measured && size == read_size && memcmp(now, read, size) == 0) {
            memcpy(codes, measured, module->codelet_count * sizeof(*codes)); /* equal text, equal sizes */
            module->objects->measured[arch] = module->objects->measured[previous];
            free(now);
            continue;
        }
        const char *reason = device_compiler
                                 ? compile_for(source, device_compiler, &headers, arch, scratch, &text, built, module)
                                 : "clang not found: install the package clang, or set "
                                   "TREMULA_DEVICE_CC to a clang";
        if (reason)
            estimate_all(source, compiler, scratch, &text, module, codes, reason);
        free(read);
        read = now;
        read_size = size;
        measured = codes;
        previous = arch;
    }
    free(read);
    free_headers(&headers);
    str_free(&text);
}
