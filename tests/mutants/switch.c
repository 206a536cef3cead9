/* SPDX-License-Identifier: Apache-2.0 */
#include "mutants/switch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

unsigned mutants_on;
unsigned char *mutants_seen;

__attribute__((constructor)) static void read_environment(void)
{
    const char *on = getenv("TREMULA_MUTANT"), *seen = getenv("TREMULA_MUTANTS_SEEN");
    struct stat status;
    int file = seen ? open(seen, O_RDWR) : -1;
    mutants_on = on ? (unsigned)strtoul(on, NULL, 10) : 0;
    if (file < 0)
        return;
    if (fstat(file, &status) == 0) {
        void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        mutants_seen = bytes == MAP_FAILED ? NULL : bytes;
    }
    close(file);
}
