/* SPDX-License-Identifier: Apache-2.0 */
#include "report/report.h"

#include "base/error.h"
#include "base/file.h"
#include "report/tile_elf.h"

#include <ar.h>
#include <errno.h>
#include <poplar/text.h>

/* Writes the header of "tile12.elf" with time and owner 0, so that equal programs give equal archives. */
static bool put_member(FILE *file, uint32_t tile, const elf_bytes *elf)
{
    char name[32], head[sizeof(struct ar_hdr) + 1];
    snprintf(name, sizeof(name), "tile%u.elf/", tile);
    int length =
        snprintf(head, sizeof(head), "%-16s%-12d%-6d%-6d%-8o%-10zu%s", name, 0, 0, 0, 0644u, elf->count, ARFMAG);
    return length == (int)sizeof(struct ar_hdr) &&
           fwrite(head, 1, sizeof(struct ar_hdr), file) == sizeof(struct ar_hdr) &&
           fwrite(elf->data, 1, elf->count, file) == elf->count && (elf->count % 2 == 0 || fputc('\n', file) != EOF);
}

struct archive_source {
    const struct image *image;
    const char *id;
};

static bool put_archive(FILE *file, const void *user)
{
    const struct archive_source *source = user;
    const struct image *image = source->image;
    elf_bytes elf = { 0 };
    bool good = fwrite(ARMAG, 1, SARMAG, file) == SARMAG;
    for (uint32_t tile = 0; good && tile < image->placement->tiles; ++tile) {
        tile_elf_make(image, tile, tile ? NULL : source->id, &elf);
        good = put_member(file, tile, &elf);
    }
    vec_free(&elf);
    return good;
}

pop_status archive_write(const struct image *image, const char *path, const char *id, pop_error *error)
{
    static const char api[] = "autoReport.outputArchive";
    if (!image->placement)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "'%s' is not written: %s", path,
                         image_modelled(image)
                             ? "an executable that was loaded from a file has no addresses in tile memory"
                             : "a target without a memory model has nothing to put there");
    for (size_t i = 0; i < image->placement->blocks.count; ++i) {
        const struct placement_block *block = &image->placement->blocks.data[i];
        if (block->bytes > UINT32_MAX || block->offset > UINT32_MAX - block->bytes)
            return error_set(
                error, POP_FILE_LOAD_ERROR, NO_WHERE, api,
                "'%s' is not written: '%s' on tile %u ends beyond 4 GiB, which a 32-bit ELF file cannot hold", path,
                image_string(image, block->name), block->tile);
    }
    return file_write_stream(path, put_archive, &(struct archive_source){ image, id })
               ? POP_OK
               : error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, api, "'%s' cannot be written: %s", path,
                           pop_text_from_errno(errno));
}
