/* SPDX-License-Identifier: Apache-2.0 */
/* Tremula's libpoplar: graphs of computation on a tiled, bulk-synchronous processor, compiled and run on a modelled
 * device.
 *
 * Who owns what:
 *   - Owners (pop_device, pop_device_manager, pop_graph, pop_executable, pop_engine) are created and destroyed; destroy
 * takes NULL.
 *   - Values (pop_tensor, pop_vertex, pop_compute_set, pop_program, pop_stream, ...) are small structs; zero is null;
 * their storage belongs to the graph and is freed with it.
 *   - Arguments (strings, shapes, data, lists) are copied. Results are borrowed until their owner changes, unless the
 * comment says that the caller frees them.
 *   - Calls that build a graph return a value and record the first error in the graph; calls with effects outside it
 * return a pop_status.  A user's mistake never aborts.
 *   - One graph, one building thread; an executable is immutable; one engine, one running thread. */
#ifndef POPLAR_POPLAR_H
#define POPLAR_POPLAR_H

#include <poplar/debug.h>
#include <poplar/device.h>
#include <poplar/engine.h>
#include <poplar/error.h>
#include <poplar/graph.h>
#include <poplar/metadata.h>
#include <poplar/options.h>
#include <poplar/profile.h>
#include <poplar/program.h>
#include <poplar/quarter.h>
#include <poplar/target.h>
#include <poplar/tensor.h>
#include <poplar/text.h>
#include <poplar/type.h>

#endif
