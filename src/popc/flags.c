/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/flags.h"

#include "popc/device_code.h"
#include "popc/machine.h"

#include "base/error.h"
#include "base/str.h"

#include <ctype.h>

static const char *const known[] = { "-O0", "-O1", "-O2", "-O3", "-g", "-D", "-U", "-I", "-include", "-std=", "-W", "-w", "-march=", "--target" };
static const char *const standards[] = { "c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x", "gnu2x" };
enum { KNOWN = sizeof(known) / sizeof(known[0]), STANDARDS = sizeof(standards) / sizeof(standards[0]) };

/* The next word of *text (malloc'ed), or NULL at the end. */
static char *next_word(const char **text)
{
    const char *at = *text;
    while (isspace((unsigned char)*at))
        ++at;
    if (!*at)
        return NULL;
    struct str word = { 0 };
    str_add(&word, "");
    for (char quote = 0; *at && (quote || !isspace((unsigned char)*at)); ++at) {
        if (quote ? *at == quote : *at == '"' || *at == '\'')
            quote = quote ? 0 : *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            str_add_bytes(&word, ++at, 1);
        else
            str_add_bytes(&word, at, 1);
    }
    *text = at;
    return word.text;
}

static pop_status refuse(const char *word, pop_error *error)
{
    char hint[96];
    if (strcmp(word, "-march=native") == 0 || strncmp(word, "-mtune", 6) == 0 || strncmp(word, "-march", 6) == 0)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL,
                         "popc: flag '%s' would make results depend on the machine; allowed are -march=x86-64, -march=x86-64-v2, "
                         "-march=x86-64-v3 and -march=x86-64-v4",
                         word);
    if (strcmp(word, "-ffast-math") == 0 || strcmp(word, "-Ofast") == 0 || strcmp(word, "-funsafe-math-optimizations") == 0)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL,
                         "popc: flag '%s' would change the results of the whole process; allowed are -O0 to -O3", word);
    return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL,
                     "popc: unknown flag '%s'%s; allowed are -O0 to -O3, -g, -D, -U, -I, -include, -W, -w, -std=, "
                     "-march=x86-64-v1 to -v4 and --target", word,
                     error_hint(hint, sizeof(hint), word, known, KNOWN));
}

/* -DX, -D X and the like: both words are kept as one, but -include's, which has to be two. */
static pop_status take_argument(struct popc_flags *flags, char *word, size_t prefix, const char **text, pop_error *error)
{
    bool apart = strcmp(word, "-include") == 0;
    if (word[prefix]) {
        *vec_push(&flags->both) = mem_string(word);
        return POP_OK;
    }
    char *argument = next_word(text);
    if (!argument)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL, "popc: flag '%s' needs an argument after it", word);
    struct str joined = { 0 };
    str_add(&joined, word);
    if (!apart)
        str_add(&joined, argument);
    *vec_push(&flags->both) = joined.text;
    if (apart)
        *vec_push(&flags->both) = argument;
    else
        free(argument);
    return POP_OK;
}

/* "ipu2,ipu21,cpu": the host's code is always made. */
static pop_status take_targets(struct popc_flags *flags, const char *list, pop_error *error)
{
    for (;;) {
        size_t length = strcspn(list, ",");
        int found = DEVICE_ARCHS;
        for (int i = 0; i < DEVICE_ARCHS; ++i)
            if (strlen(device_arch_names[i]) == length && strncmp(list, device_arch_names[i], length) == 0)
                found = i;
        if (found < DEVICE_ARCHS)
            flags->devices |= 1u << found;
        else if (length != 3 || strncmp(list, "cpu", 3) != 0)
            return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL, "popc: unknown target '%.*s'; --target takes ipu1, ipu2, ipu21 and cpu, with commas between",
                             (int)length, list);
        if (!list[length])
            return POP_OK;
        list += length + 1;
    }
}

static pop_status take_target_flag(struct popc_flags *flags, const char *word, const char **text, pop_error *error)
{
    const char *equals = strchr(word, '=');
    if (equals)
        return take_targets(flags, equals + 1, error);
    char *list = next_word(text);
    if (!list)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL, "popc: flag '%s' needs an argument after it", word);
    pop_status status = take_targets(flags, list, error);
    free(list);
    return status;
}

static bool is_standard(const char *word)
{
    for (int i = 0; i < STANDARDS; ++i)
        if (strncmp(word, "-std=", 5) == 0 && strcmp(word + 5, standards[i]) == 0)
            return true;
    return false;
}

/* -Wl,x -Wa,x -Wp,x go to other programs than the compiler proper. */
static bool is_warning(const char *word)
{
    return strcmp(word, "-w") == 0 || (word[0] == '-' && word[1] == 'W' && word[2] && word[3] != ',');
}

static pop_status take(struct popc_flags *flags, char *word, const char **text, pop_error *error)
{
    static const char level[] = "-march=x86-64";
    size_t prefix = sizeof(level) - 1, length = strlen(word);
    if (word[0] == '-' && word[1] == 'O' && word[2] >= '0' && word[2] <= '3' && length == 3) {
        flags->optimise = word[2];
    } else if (strcmp(word, "-g") == 0) {
        flags->debug = true;
    } else if (word[0] == '-' && (word[1] == 'D' || word[1] == 'U' || word[1] == 'I')) {
        return take_argument(flags, word, 2, text, error);
    } else if (strcmp(word, "-include") == 0) {
        return take_argument(flags, word, length, text, error);
    } else if (strcmp(word, "--target") == 0 || strncmp(word, "--target=", 9) == 0) {
        return take_target_flag(flags, word, text, error);
    } else if (is_standard(word)) {
        *vec_push(&flags->both) = mem_string(word);
    } else if (is_warning(word)) {
        *vec_push(&flags->warnings) = mem_string(word);
    } else if (strcmp(word, level) == 0) {
        flags->level = 1;
    } else if (strncmp(word, level, prefix) == 0 && strncmp(word + prefix, "-v", 2) == 0 && word[prefix + 2] >= '1' &&
               word[prefix + 2] <= '4' && length == prefix + 3) {
        flags->level = (unsigned)(word[prefix + 2] - '0');
    } else {
        return refuse(word, error);
    }
    return POP_OK;
}

pop_status flags_parse(struct popc_flags *flags, const char *text, pop_error *error)
{
    *flags = (struct popc_flags){ .optimise = '2', .level = machine_level() };
    pop_status status = POP_OK;
    for (char *word; status == POP_OK && text && (word = next_word(&text)) != NULL; free(word))
        status = take(flags, word, &text, error);
    if (status != POP_OK)
        flags_free(flags);
    return status;
}

void flags_free(struct popc_flags *flags)
{
    for (size_t i = 0; i < flags->both.count; ++i)
        free(flags->both.data[i]);
    for (size_t i = 0; i < flags->warnings.count; ++i)
        free(flags->warnings.data[i]);
    vec_free(&flags->both);
    vec_free(&flags->warnings);
}
