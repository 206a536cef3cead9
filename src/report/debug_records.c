/* SPDX-License-Identifier: Apache-2.0 */
#include "report/debug_records.h"

#include "value/value.h"

pop_profile_value debug_record_values(const pop_profile_value *values)
{
    return values && values->type == POP_PROFILE_MAP ? pop_profile_copy(values) : pop_profile_map_new();
}

void debug_records_add(struct debug_records *records, const struct debug_context *context,
                       const pop_profile_value *values)
{
    *vec_push(&records->list) = (struct debug_kept){ .context = *context,
                                                     .layer = intern_add(&records->texts, context->layer),
                                                     .name = intern_add(&records->texts, context->name),
                                                     .function = intern_add(&records->texts, context->function),
                                                     .file = intern_add(&records->texts, context->where.file),
                                                     .values = debug_record_values(values) };
}

void debug_records_put(const struct debug_records *records, size_t first, struct debug_stream *stream)
{
    for (size_t i = first; i < records->list.count; ++i) {
        const struct debug_kept *kept = records->list.data + i;
        struct debug_context context = kept->context;
        context.layer = intern_text(&records->texts, kept->layer);
        context.name = intern_text(&records->texts, kept->name);
        context.function = intern_text(&records->texts, kept->function);
        context.where.file = kept->file ? intern_text(&records->texts, kept->file) : NULL;
        debug_stream_put(stream, &context, pop_profile_copy(&kept->values));
    }
}

void debug_records_free(struct debug_records *records)
{
    for (size_t i = 0; i < records->list.count; ++i)
        pop_profile_free(&records->list.data[i].values);
    vec_free(&records->list);
    intern_free(&records->texts);
}
