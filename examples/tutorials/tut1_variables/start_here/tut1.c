/* SPDX-License-Identifier: Apache-2.0 */
/* Tutorial 1: programs and variables.  The bare bones: add the steps of the tutorial to main. */
#include <poplar/poplar.h>
#include <stdio.h>

int main(void)
{
    pop_error error;

    /* Create the IPU Model device. */
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ 0 }, &error);
    if (!device) {
        pop_error_print(&error);
        return 1;
    }

    /* Create the graph, add variables to it, and write the program here. */

    pop_device_destroy(device);
    return 0;
}
