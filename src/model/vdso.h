/* The kernel's shared object in this process (vdso(7)): the same code in every process of a boot,
 * and in no file. */
#ifndef MODEL_VDSO_H
#define MODEL_VDSO_H

#include "model/elffile.h"

/* Fails where this process has none. */
ERR_CHECK struct err *vdso_open(struct elffile **ret);

#endif
