/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/flags.h"

#include "popc/module/device_code.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"

#include "base/error.h"
#include "base/str.h"

#include <jansson.h>
#include <poplar/text.h>
#include <stdio.h>

static const char *const known[] = { "-O0",     "-O1",      "-O2",       "-O3",     "-g",       "-D",      "-U",
                                     "-I",      "-include", "-isystem",  "-iquote", "-std=",    "-W",      "-w",
                                     "-march=", "--target", "--code-of", TILE_FLAG, CALLS_FLAG, SIZES_FLAG };
static const char *const standards[2][16] = { { "c99", "gnu99", "c11", "gnu11", "c17", "gnu17", "c2x", "gnu2x" },
                                              { "c++11", "gnu++11", "c++14", "gnu++14", "c++17", "gnu++17", "c++1z",
                                                "gnu++1z", "c++20", "gnu++20", "c++2a", "gnu++2a" } };
enum { KNOWN = sizeof(known) / sizeof(known[0]) };

/* Returns the next word of *text (malloc'ed) and advances it; NULL at the end. */
static char *next_word(const char **text)
{
    const char *at = *text;
    while (pop_text_is_space(*at))
        ++at;
    if (!*at)
        return NULL;
    struct str word = { 0 };
    str_add(&word, "");
    for (char quote = 0; *at && (quote || !pop_text_is_space(*at)); ++at) {
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
    return error_set(
        error, POP_INVALID_OPTION, NO_WHERE, NULL,
        "popc: unknown flag '%s'%s; allowed are -O0 to -O3, -Os, -g, -D, -U, -I, -include, -isystem, -iquote, "
        "-W, -w, -std=, "
        "-march=%s, --target, --sizes-only, --code-of, --tile-builtins and --call-assembly",
        word, error_hint(hint, sizeof(hint), word, known, KNOWN), machine_level_names());
}

/* Refuses flags for the code of another architecture; the compiler's own message would be unclear. */
static pop_status refuse_here(const char *word, pop_error *error)
{
    return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL,
                     "popc: flag '%s' is for another architecture than this machine's (-march=%s)", word,
                     machine_level_names());
}

/* Takes -DX, -D X and the like as a single word; -include and similar flags stay two words, as the compiler
 * requires. */
static pop_status take_argument(struct popc_flags *flags, char *word, size_t prefix, const char **text,
                                pop_error *error)
{
    bool apart = word[1] == 'i';
    if (word[prefix] == '=') /* -I=X is -IX */
        memmove(word + prefix, word + prefix + 1, strlen(word + prefix));
    if (word[prefix] && !apart) {
        *vec_push(&flags->both) = mem_string(word);
        return POP_OK;
    }
    if (word[prefix]) {
        struct str name = { 0 };
        str_add_bytes(&name, word, prefix);
        *vec_push(&flags->both) = name.text;
        *vec_push(&flags->both) = mem_string(word + prefix);
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

/* Takes a target's name; text after a colon is ignored: "ipu2:cpp". */
static bool take_target(struct popc_flags *flags, const char *name, size_t length)
{
    const char *colon = memchr(name, ':', length);
    length = colon ? (size_t)(colon - name) : length;
    for (int i = 0; i < DEVICE_ARCHS; ++i)
        if (strlen(device_arch_names[i]) == length && strncmp(name, device_arch_names[i], length) == 0) {
            flags->devices |= 1u << i;
            return true;
        }
    return length == 3 && strncmp(name, "cpu", 3) == 0;
}

static pop_status refuse_target(const char *name, size_t length, pop_error *error)
{
    return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL,
                     "popc: unknown target '%.*s'; --target takes ipu1, ipu2, ipu21 and cpu, with commas between",
                     (int)length, name);
}

/* Takes the architectures of [{"name":"ipu2:cpp","arch":"ipu2","compile-flags":[...]}]. */
static pop_status take_described_targets(struct popc_flags *flags, const char *text, pop_error *error)
{
    json_error_t wrong;
    void *begun = pop_text_begin();
    json_t *list = json_loads(text, 0, &wrong), *entry;
    pop_text_end(begun);
    size_t i;
    if (!json_is_array(list)) {
        json_decref(list);
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL, "popc: --target '%s' is not a list of targets: %s",
                         text, list ? "it is not a JSON array" : wrong.text);
    }
    pop_status status = POP_OK;
    json_array_foreach(list, i, entry)
    {
        const char *arch = json_string_value(json_object_get(entry, "arch")),
                   *name = json_string_value(json_object_get(entry, "name"));
        arch = arch ? arch : name ? name : "";
        if (status == POP_OK && !take_target(flags, arch, strlen(arch)))
            status = refuse_target(arch, strlen(arch), error);
    }
    json_decref(list);
    return status;
}

/* Takes "ipu2,ipu21,cpu". Host code is always made. */
static pop_status take_targets(struct popc_flags *flags, const char *list, pop_error *error)
{
    if (*list == '[')
        return take_described_targets(flags, list, error);
    for (;;) {
        size_t length = strcspn(list, ",");
        if (!take_target(flags, list, length))
            return refuse_target(list, length, error);
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

static pop_status take_code_of(struct popc_flags *flags, const char *word, const char **text, pop_error *error)
{
    const char *equals = strchr(word, '=');
    free(flags->code_of);
    flags->code_of = equals ? mem_string(equals + 1) : next_word(text);
    if (flags->code_of)
        return POP_OK;
    return error_set(error, POP_INVALID_OPTION, NO_WHERE, NULL, "popc: flag '%s' needs a .gp file after it", word);
}

static bool take_standard(struct popc_flags *flags, const char *word)
{
    for (int language = 0; language < 2 && strncmp(word, "-std=", 5) == 0; ++language)
        for (int i = 0; standards[language][i]; ++i)
            if (strcmp(word + 5, standards[language][i]) == 0) {
                snprintf(flags->standard[language], sizeof(flags->standard[language]), "%s", word);
                return true;
            }
    return false;
}

/* Whether it is a warning: -Wl,x -Wa,x -Wp,x are for other programs than the compiler proper. */
static bool is_warning(const char *word)
{
    return strcmp(word, "-w") == 0 || strncmp(word, "-pedantic", 9) == 0 ||
           (word[0] == '-' && word[1] == 'W' && word[2] && word[3] != ',');
}

/* The level in -march=LEVEL, or "". */
static const char *level_of(const char *word)
{
    return strncmp(word, "-march=", 7) == 0 ? word + 7 : "";
}

/* Replaces a long flag by the spelling that the rest of this file knows: both clang's and popc's take one dash or two.
 */
static char *canonical(char *word)
{
    static const char *const names[] = { "--target", "--code-of",  "-std",    "-march", "-include", "-isystem",
                                         "-iquote",  "-emit-llvm", "-Xclang", "-MD",    "-MMD",     "-MF",
                                         "-MT",      "-MQ",        "-mllvm",  "-x",     "-O0",      "-O1",
                                         "-O2",      "-O3",        "-Os",     "-O",     "-g",       TILE_FLAG,
                                         CALLS_FLAG, SIZES_FLAG };
    if (word[0] != '-')
        return word;
    const char *bare = word + (word[1] == '-' ? 2 : 1);
    size_t length = strcspn(bare, "=");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); ++i) {
        const char *name = names[i] + (names[i][1] == '-' ? 2 : 1);
        if (strlen(name) != length || strncmp(name, bare, length) != 0)
            continue;
        struct str whole = { 0 };
        str_add(&whole, names[i]);
        str_add(&whole, bare + length);
        free(word);
        return whole.text;
    }
    return word;
}

/* Whether it is the flag of this name, alone or with a value after =. */
static bool is_named(const char *word, const char *name)
{
    size_t length = strcspn(word, "=");
    return strlen(name) == length && strncmp(word, name, length) == 0;
}

/* Accepts and ignores flags that existing programs pass to the device's compiler, and flags that would make results
 * differ between machines (-march=native) or change the whole process (-ffast-math). */
static bool take_ignored(struct popc_flags *flags, const char *word, const char **text)
{
    static const char *const whole[] = { "-Ofast", "-Oz",   "-Og", "-O",  "-s",   "-c",  "-pipe",     "-pthread",
                                         "-v",     "-ansi", "-S",  "-MD", "-MMD", "-MP", "-emit-llvm" };
    static const char *const pairs[] = { "-mllvm", "-Xclang", "-MF", "-MT", "-MQ", "-x" };
    bool machine = word[0] == '-' && word[1] == 'm' && strncmp(level_of(word), "x86-64", 6) != 0;
    bool found = (((word[0] == '-' && word[1] == 'f') || machine) && word[2]) || strncmp(word, "-gdwarf", 7) == 0 ||
                 strncmp(word, "-ggdb", 5) == 0;
    for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]) && !found; ++i)
        found = strcmp(word, whole[i]) == 0;
    bool pair = false;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && !pair; ++i)
        pair = is_named(word, pairs[i]);
    if (!found && !pair)
        return false;
    struct str name = { 0 };
    str_add_bytes(&name, word, pair ? strcspn(word, "=") : strlen(word));
    *vec_push(&flags->ignored) = name.text;
    if (strcmp(word, "-Ofast") == 0)
        flags->optimise = '3';
    if (pair && !strchr(word, '='))
        free(next_word(text));
    return true;
}

/* Takes -O2, -O=2 and -O 2; a -O alone has no effect. */
static bool take_optimisation(struct popc_flags *flags, const char *word, const char **text)
{
    if (word[0] != '-' || word[1] != 'O')
        return false;
    const char *level = word + 2 + (word[2] == '=');
    const char *next = *text;
    char *apart = *level ? NULL : next_word(&next);
    if (apart && strlen(apart) == 1 && strchr("0123s", *apart)) {
        *text = next;
        level = apart;
    }
    bool known_level = strlen(level) == 1 && strchr("0123s", *level);
    if (known_level && *level == 's')
        flags->small = true;
    else if (known_level)
        flags->optimise = *level;
    free(apart);
    return known_level;
}

static pop_status take(struct popc_flags *flags, char *word, const char **text, pop_error *error)
{
    unsigned level = machine_level_of(level_of(word));
    if (take_optimisation(flags, word, text)) {
        return POP_OK;
    } else if (strcmp(word, "-g") == 0) {
        flags->debug = true;
    } else if (strcmp(word, BEHAVING_FLAG) == 0) {
        flags->behaving = true;
        return machine_level() <= LEVEL_X86_64_V4 ? POP_OK : refuse_here(word, error);
    } else if (strcmp(word, LATER_FLAG) == 0) {
        flags->later = true;
    } else if (strncmp(word, AHEAD_FLAG, sizeof(AHEAD_FLAG) - 1) == 0) {
        for (unsigned arch = 0; arch < DEVICE_ARCHS; ++arch)
            if (strcmp(word + sizeof(AHEAD_FLAG) - 1, device_arch_names[arch]) == 0)
                flags->ahead = arch + 1;
        return flags->ahead ? POP_OK : refuse(word, error);
    } else if (strcmp(word, SIZES_FLAG) == 0) {
        flags->sizes = true;
    } else if (strcmp(word, TILE_FLAG) == 0) {
        flags->tile = flags->calls = true;
    } else if (strcmp(word, CALLS_FLAG) == 0) {
        flags->calls = true;
    } else if (word[0] == '-' && (word[1] == 'D' || word[1] == 'U' || word[1] == 'I')) {
        return take_argument(flags, word, 2, text, error);
    } else if (is_named(word, "-include") || is_named(word, "-isystem") || is_named(word, "-iquote")) {
        return take_argument(flags, word, strcspn(word, "="), text, error);
    } else if (strcmp(word, "--target") == 0 || strncmp(word, "--target=", 9) == 0) {
        return take_target_flag(flags, word, text, error);
    } else if (strncmp(word, "--code-of", 9) == 0) {
        return take_code_of(flags, word, text, error);
    } else if (take_standard(flags, word)) {
        return POP_OK;
    } else if (is_warning(word)) {
        *vec_push(&flags->warnings) = mem_string(word);
    } else if (level != LEVEL_NONE) {
        flags->level = level;
        return machine_levels_match(level, machine_level()) ? POP_OK : refuse_here(word, error);
    } else if (!take_ignored(flags, word, text)) {
        return refuse(word, error);
    }
    return POP_OK;
}

pop_status flags_parse(struct popc_flags *flags, const char *text, pop_error *error)
{
    *flags = (struct popc_flags){ .optimise = '2', .level = machine_level(), .debug = codelet_files() != NULL };
    pop_status status = POP_OK;
    for (char *word; status == POP_OK && text && (word = next_word(&text)) != NULL; free(word)) {
        word = canonical(word);
        status = take(flags, word, &text, error);
    }
    if (status != POP_OK)
        flags_free(flags);
    return status;
}

static void free_words(char **words, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        free(words[i]);
    free(words);
}

void flags_free(struct popc_flags *flags)
{
    free_words(flags->both.data, flags->both.count);
    free_words(flags->warnings.data, flags->warnings.count);
    free_words(flags->ignored.data, flags->ignored.count);
    free(flags->code_of);
    *flags = (struct popc_flags){ 0 };
}
