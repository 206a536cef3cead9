/* SPDX-License-Identifier: Apache-2.0 */
/* prog_pva_c REPORT: the cycles of its steps, in C. */
#include <pva/pva.h>

#include <inttypes.h>

int main(int argc, char **argv)
{
    pop_error error = { 0 };
    pva_file *file = argc == 2 ? pva_open_report(argv[1], NULL, &error) : NULL;
    if (!file) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    pva_object execution = pva_get(pva_root(file), PVA_REPORT_EXECUTION);
    uint64_t cycles = 0;
    for (uint64_t i = 0; i < pva_count(execution, PVA_EXECUTION_STEPS); ++i)
        cycles += pva_uint(pva_at(pva_at(execution, PVA_EXECUTION_STEPS, i), PVA_STEP_IPUS, 0), PVA_IPU_STEP_CYCLES);
    printf("%" PRIu64 " cycles\n", cycles);
    bool good = pva_take_error(file, &error) == POP_OK && cycles > 0;
    pva_close(file);
    return good ? 0 : 1;
}
