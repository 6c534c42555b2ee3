/* Places in files → addresses in processes, the other way round than the world: by what is mapped,
 * and mappings made up where nothing is. */
#ifndef IMPORT_PERFPLACES_H
#define IMPORT_PERFPLACES_H

#include "model/addrspace.h"
#include "sample/dataset.h"

struct perfplaces;

struct perfplaces *perfplaces_create(const struct binaries *binaries);
void perfplaces_destroy(struct perfplaces *p);
void perfplaces_map(struct perfplaces *p, uint32_t pid, const struct mapping *m);
void perfplaces_fork(struct perfplaces *p, uint32_t pid, uint32_t ppid);
void perfplaces_exec(struct perfplaces *p, uint32_t pid);
/* True, and the mapping, if one had to be made up: the file must say so. */
bool perfplaces_addr(struct perfplaces *p, uint32_t pid, uint32_t binary, uint64_t off,
		     uint64_t *ret, struct mapping *ret_made);

#endif
