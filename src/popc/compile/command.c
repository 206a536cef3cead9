/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines for compilers, and scratch directories for their files. */
#include "popc/compile/command.h"
#include "popc/compile/child.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poplar/text.h>
#include <stdatomic.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void scratch_name(const struct scratch *scratch, const char *name, struct str *path)
{
    str_format(path, "%s/%s", scratch->directory.text, name);
}

enum { RECENT_SECONDS = 3600 }; /* seconds for which no directory is deleted: earlier versions do not lock theirs */

/* Deletes a scratch directory of the user whose run was killed before it could delete it. */
static void sweep_one(int place, const char *name)
{
    int directory = openat(place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat status;
    if (directory < 0)
        return;
    DIR *stream = NULL;
    if (fstat(directory, &status) == 0 && status.st_uid == geteuid() && time(NULL) - status.st_mtime > RECENT_SECONDS &&
        flock(directory, LOCK_EX | LOCK_NB) == 0)
        stream = fdopendir(directory);
    if (!stream) {
        close(directory);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream)) != NULL;)
        if (entry->d_name[0] != '.')
            unlinkat(directory, entry->d_name, 0);
    if (unlinkat(place, name, AT_REMOVEDIR) == 0)
        LOG(CODELETS, DEBUG, "deleted '%s', which a killed run left", name);
    closedir(stream);
}

static void sweep(const char *path)
{
    enum { NAME = sizeof("tremula-XXXXXX") - 1 };
    DIR *place = opendir(path);
    for (struct dirent *entry; place && (entry = readdir(place)) != NULL;)
        if (strncmp(entry->d_name, "tremula-", 8) == 0 && strlen(entry->d_name) == NAME)
            sweep_one(dirfd(place), entry->d_name);
    if (place)
        closedir(place);
}

pop_status scratch_open(struct scratch *scratch, enum popc_language language, pop_error *error)
{
    static atomic_flag swept = ATOMIC_FLAG_INIT;
    const char *place = getenv("TMPDIR");
    place = place && *place ? place : "/tmp";
    *scratch = (struct scratch){ .lock = -1 };
    if (!atomic_flag_test_and_set(&swept))
        sweep(place);
    str_format(&scratch->directory, "%s/tremula-XXXXXX", place);
    if (!mkdtemp(scratch->directory.text)) {
        error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL,
                  "cannot make a temporary directory '%s': %s; set TMPDIR to a place that can be written",
                  scratch->directory.text, pop_text_from_errno(errno));
        str_free(&scratch->directory);
        return POP_NO_ENVIRONMENT;
    }
    scratch->lock = open(scratch->directory.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (scratch->lock >= 0)
        flock(scratch->lock, LOCK_EX | LOCK_NB);
    scratch_name(scratch, language == POPC_CPP ? "codelets.cpp" : "codelets.c", &scratch->source);
    scratch_name(scratch, "codelets.so", &scratch->object);
    scratch_name(scratch, "unlinked.o", &scratch->unlinked);
    scratch_name(scratch, "preprocessed", &scratch->preprocessed);
    scratch_name(scratch, "included", &scratch->included);
    scratch_name(scratch, "codelets.ii", &scratch->rewritten);
    return POP_OK;
}

void scratch_close(struct scratch *scratch)
{
    unlink(scratch->source.text);
    unlink(scratch->object.text);
    unlink(scratch->unlinked.text);
    unlink(scratch->preprocessed.text);
    unlink(scratch->included.text);
    unlink(scratch->rewritten.text);
    rmdir(scratch->directory.text);
    if (scratch->lock >= 0)
        close(scratch->lock);
    str_free(&scratch->directory);
    str_free(&scratch->source);
    str_free(&scratch->object);
    str_free(&scratch->unlinked);
    str_free(&scratch->preprocessed);
    str_free(&scratch->included);
    str_free(&scratch->rewritten);
}

/* ---- command lines ---- */

void command_add(struct command *command, const char *const *words)
{
    for (; *words; ++words)
        *vec_push(&command->words) = *words;
}

void command_add_source(struct command *command, const struct popc_source *source)
{
    command_add(command, (const char *const[]){ "-iquote", source->directory, "-I", source->include, "-I",
                                                source->codelets, "-idirafter", source->bare, NULL });
    if (source->language == POPC_CPP) /* the device's standard library has it in <array>, <cstddef> and others */
        command_add(command, (const char *const[]){ "-include", "cstdint", NULL });
    if (source->language == POPC_CPP && memmem(source->text, source->size, "__builtin_ipu_", 14))
        command_add(command,
                    (const char *const[]){ "-include", "ipu_builtins.h", NULL }); /* the device's compiler has them */
    if (source->language == POPC_CPP && source->flags->calls)
        command_add(command, (const char *const[]){ "-include", "poplar/detail/tile_assembly.hpp", NULL });
    for (size_t i = 0; i < source->flags->both.count; ++i)
        *vec_push(&command->words) = source->flags->both.data[i];
    const char *standard = source->flags->standard[source->language == POPC_CPP];
    if (*standard)
        *vec_push(&command->words) = standard;
}

/* Decides by the program's name: clang, clang++-14, ... */
bool compiler_is_clang(const char *compiler)
{
    const char *slash = strrchr(compiler, '/');
    return strstr(slash ? slash + 1 : compiler, "clang") != NULL;
}

pop_status command_run(struct command *command, const struct scratch *scratch, const struct str *text, struct str *said,
                       char **object, size_t *size, pop_error *error)
{
    int code = 0;
    *object = NULL;
    *vec_push(&command->words) = NULL;
    unlink(scratch->object.text);
    pop_status status = text ? file_write(scratch->source.text, text->text, text->length, error) : POP_OK;
    if (status == POP_OK)
        status = child_run(command->words.data, said, &code, error);
    if (status != POP_OK)
        return status;
    if (code > 128)
        str_format(said, "error: the compiler was ended by signal %d\n", code - 128);
    if (code == 0 && file_read(scratch->object.text, object, size, NULL) != POP_OK)
        *object = NULL;
    return POP_OK;
}

/* ---- what was included ---- */

/* Parses the rule that -MD writes: "target: file file \ <newline> file", with blanks in names escaped. */
void built_read_included(struct built *built, const struct scratch *scratch)
{
    char *rule;
    size_t size;
    if (file_read(scratch->included.text, &rule, &size, NULL) != POP_OK)
        return;
    const char *at = strstr(rule, ": ");
    at = at ? at + 2 : "";
    while (*at) {
        struct str name = { 0 };
        for (; *at && *at != ' ' && *at != '\n'; ++at) {
            if (*at == '\\' && at[1] == '\n')
                break;
            if ((*at == '\\' && (at[1] == ' ' || at[1] == '#' || at[1] == '\\')) || (*at == '$' && at[1] == '$'))
                ++at;
            str_add_bytes(&name, at, 1);
        }
        if (name.length && strcmp(name.text, scratch->source.text) != 0 && access(name.text, R_OK) == 0)
            *vec_push(&built->included) = name.text;
        else
            str_free(&name);
        while (*at == ' ' || *at == '\n' || (*at == '\\' && at[1] == '\n'))
            ++at;
    }
    free(rule);
}
