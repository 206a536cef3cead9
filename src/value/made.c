/* SPDX-License-Identifier: Apache-2.0 */
#include "value/made.h"

#include "value/value.h"

#include <pthread.h>

enum { PAGE = 256 };

struct page {
    size_t number;
    pop_profile_value *items;
};
struct profile_source {
    size_t size;
    profile_make make;
    void (*end)(void *user);
    void *user;
    pthread_mutex_t lock;
    VEC(struct page) pages; /* pages that pop_profile_at has read, by number */
};

pop_profile_value profile_made(size_t size, profile_make make, void (*end)(void *user), void *user)
{
    struct profile_source *source = MEM_NEW(struct profile_source);
    *source = (struct profile_source){ .size = size, .make = make, .end = end, .user = user };
    pthread_mutex_init(&source->lock, NULL);
    pop_profile_value vector = pop_profile_vector_new();
    vector.as.vector->source = source;
    return vector;
}

size_t profile_source_size(const struct profile_source *source)
{
    return source->size;
}

static size_t page_size(const struct profile_source *source, size_t number)
{
    size_t rest = source->size - number * PAGE;
    return rest < PAGE ? rest : PAGE;
}

static pop_profile_value *make_page(struct profile_source *source, size_t number)
{
    pop_profile_value *items = mem_zero(PAGE, sizeof(*items));
    source->make(source->user, number * PAGE, page_size(source, number), items);
    return items;
}

static void free_page(pop_profile_value *items)
{
    for (size_t i = 0; items && i < PAGE; ++i)
        pop_profile_free(&items[i]);
    free(items);
}

void profile_source_free(struct profile_source *source)
{
    if (!source)
        return;
    for (size_t i = 0; i < source->pages.count; ++i)
        free_page(source->pages.data[i].items);
    vec_free(&source->pages);
    pthread_mutex_destroy(&source->lock);
    source->end(source->user);
    free(source);
}

/* The page with this number, generated at its first use. */
static const pop_profile_value *kept_page(struct profile_source *source, size_t number)
{
    size_t low = 0, high = source->pages.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (source->pages.data[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < source->pages.count && source->pages.data[low].number == number)
        return source->pages.data[low].items;
    vec_push(&source->pages);
    struct page *page = source->pages.data + low;
    memmove(page + 1, page, (source->pages.count - 1 - low) * sizeof(*page));
    *page = (struct page){ number, make_page(source, number) };
    return page->items;
}

const pop_profile_value *profile_source_at(struct profile_source *source, size_t index)
{
    if (index >= source->size)
        return NULL;
    pthread_mutex_lock(&source->lock);
    const pop_profile_value *items = kept_page(source, index / PAGE);
    pthread_mutex_unlock(&source->lock);
    return items + index % PAGE;
}

const pop_profile_value *profile_read(struct profile_reader *reader, size_t index)
{
    const pop_profile_value *vector = reader->vector;
    if (!vector || vector->type != POP_PROFILE_VECTOR || !vector->as.vector->source)
        return pop_profile_at(vector, index);
    struct profile_source *source = vector->as.vector->source;
    if (index >= source->size)
        return NULL;
    if (!reader->page || index - reader->first >= reader->count) {
        free_page(reader->page);
        reader->first = index / PAGE * PAGE;
        reader->count = page_size(source, index / PAGE);
        pthread_mutex_lock(&source->lock);
        reader->page = make_page(source, index / PAGE);
        pthread_mutex_unlock(&source->lock);
    }
    return reader->page + (index - reader->first);
}

void profile_reader_end(struct profile_reader *reader)
{
    free_page(reader->page);
    reader->page = NULL;
}
