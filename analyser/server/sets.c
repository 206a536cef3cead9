/* SPDX-License-Identifier: Apache-2.0 */
#include "sets.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#include <dirent.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_IN_SET = 500 };

struct member {
    char *name, *directory;
    struct timespec modified; /* modification time of profile.pop, else of archive.a */
};
typedef VEC(struct member) members;

/* Whether a directory has a report, and its modification time. */
static bool holds_report(const char *directory, struct timespec *modified)
{
    static const char *const needed[] = { "profile.pop", "archive.a" };
    bool found = false;
    for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]) && !found; ++i) {
        struct str path = { 0 };
        struct stat facts;
        str_format(&path, "%s/%s", directory, needed[i]);
        found = stat(path.text, &facts) == 0 && S_ISREG(facts.st_mode);
        if (found)
            *modified = facts.st_mtim;
        str_free(&path);
    }
    return found;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct member *)a)->name, ((const struct member *)b)->name);
}

static members find(const char *directory)
{
    members found = { 0 };
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && found.count < MAX_IN_SET && (entry = readdir(stream));) {
        struct str path = { 0 };
        struct timespec modified;
        str_format(&path, "%s/%s", directory, entry->d_name);
        if (entry->d_name[0] != '.' && holds_report(path.text, &modified))
            *(struct member *)vec_push(&found) =
                (struct member){ mem_string(entry->d_name), mem_string(path.text), modified };
        str_free(&path);
    }
    if (stream)
        closedir(stream);
    if (found.count)
        qsort(found.data, found.count, sizeof(*found.data), by_name);
    return found;
}

static void members_free(members *list)
{
    for (size_t i = 0; i < list->count; ++i) {
        free(list->data[i].name);
        free(list->data[i].directory);
    }
    vec_free(list);
}

char *set_newest(const char *directory)
{
    members list = find(directory);
    const struct member *newest = NULL;
    for (size_t i = 0; i < list.count; ++i) {
        const struct timespec *a = &list.data[i].modified, *b = newest ? &newest->modified : a;
        if (!newest || a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec))
            newest = &list.data[i];
    }
    char *found = newest ? mem_string(newest->directory) : NULL;
    members_free(&list);
    return found;
}

/* The description of the report in framework.json. */
static json_t *about(const char *directory)
{
    static const char *const keys[] = { "cluster", "cluster_name", "clusterName", "name" };
    struct str path = { 0 };
    json_t *text = NULL;
    str_format(&path, "%s/framework.json", directory);
    int descriptor = file_open_regular(path.text);
    json_t *framework = descriptor < 0 ? NULL : json_loadfd(descriptor, 0, NULL);
    if (descriptor >= 0)
        close(descriptor);
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && !text; ++i)
        text = json_incref(json_object_get(framework, keys[i]));
    if (!json_is_string(text)) {
        json_decref(text);
        text = json_string("");
    }
    json_decref(framework);
    str_free(&path);
    return text;
}

json_t *set_list(const char *directory)
{
    members list = find(directory);
    json_t *all = json_array();
    for (size_t i = 0; i < list.count; ++i)
        json_array_append_new(all,
                              json_pack("{s:o, s:o, s:o}", "name", answer_string(list.data[i].name), "directory",
                                        answer_string(list.data[i].directory), "about", about(list.data[i].directory)));
    members_free(&list);
    return all;
}
