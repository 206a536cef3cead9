/* SPDX-License-Identifier: Apache-2.0 */
/* libelf and libdw, loaded when the first object is read, so that a program whose codelets are already compiled does
 * not need them. Functions of debuginfo.def keep their names here and are called through a table. */
#ifndef POPC_MODULE_DEBUGINFO_H
#define POPC_MODULE_DEBUGINFO_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include <stddef.h>

struct debuginfo_functions {
#define DEBUGINFO_ELF(name)   __typeof__(name) *name;
#define DEBUGINFO_DWARF(name) __typeof__(name) *name;
#include "popc/module/debuginfo.def"
#undef DEBUGINFO_ELF
#undef DEBUGINFO_DWARF
};
extern struct debuginfo_functions debuginfo;

/* Loads the libraries at the first call. NULL when they are available; else the reason, a string that stays valid. */
const char *debuginfo_missing(void);
/* An object in memory, to be freed with elf_end; NULL when it is not an ELF object or the libraries are missing. */
Elf *debuginfo_open(const void *object, size_t size);
/* Frees it; NULL is allowed. */
void debuginfo_close(Elf *elf);

#ifndef DEBUGINFO_OWN_NAMES /* debuginfo.c itself refers to the members of the table */
#define elf_nextscn          debuginfo.elf_nextscn
#define elf_getdata          debuginfo.elf_getdata
#define elf_version          debuginfo.elf_version
#define elf_strptr           debuginfo.elf_strptr
#define elf_memory           debuginfo.elf_memory
#define elf_end              debuginfo.elf_end
#define elf_ndxscn           debuginfo.elf_ndxscn
#define elf_getshdrnum       debuginfo.elf_getshdrnum
#define elf_getshdrstrndx    debuginfo.elf_getshdrstrndx
#define elf_getscn           debuginfo.elf_getscn
#define gelf_getsym          debuginfo.gelf_getsym
#define gelf_getshdr         debuginfo.gelf_getshdr
#define gelf_getrela         debuginfo.gelf_getrela
#define gelf_getrel          debuginfo.gelf_getrel
#define gelf_getehdr         debuginfo.gelf_getehdr
#define gelf_getclass        debuginfo.gelf_getclass
#define dwarf_tag            debuginfo.dwarf_tag
#define dwarf_diename        debuginfo.dwarf_diename
#define dwarf_siblingof      debuginfo.dwarf_siblingof
#define dwarf_child          debuginfo.dwarf_child
#define dwarf_hasattr        debuginfo.dwarf_hasattr
#define dwarf_dieoffset      debuginfo.dwarf_dieoffset
#define dwarf_attr_integrate debuginfo.dwarf_attr_integrate
#define dwarf_aggregate_size debuginfo.dwarf_aggregate_size
#define dwarf_get_units      debuginfo.dwarf_get_units
#define dwarf_formudata      debuginfo.dwarf_formudata
#define dwarf_formref_die    debuginfo.dwarf_formref_die
#define dwarf_attr           debuginfo.dwarf_attr
#define dwarf_haschildren    debuginfo.dwarf_haschildren
#define dwarf_formstring     debuginfo.dwarf_formstring
#define dwarf_formsdata      debuginfo.dwarf_formsdata
#define dwarf_end            debuginfo.dwarf_end
#define dwarf_decl_line      debuginfo.dwarf_decl_line
#define dwarf_decl_file      debuginfo.dwarf_decl_file
#define dwarf_begin_elf      debuginfo.dwarf_begin_elf
#endif

#endif
