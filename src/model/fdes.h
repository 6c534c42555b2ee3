/* Where functions begin and end by .eh_frame: the ranges of its FDEs, with no look at their
 * instructions. Linux Standard Base core specification, sections 10.6 (exception frames) and 10.5
 * (DW_EH_PE encodings). */
#ifndef MODEL_FDES_H
#define MODEL_FDES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct elffile;

struct fde_range {
	uint64_t start, end; /* svma, half open */
};

struct fdes {
	uint64_t hdr_svma, hdr_len;    /* .eh_frame_hdr; len 0: none */
	uint64_t frame_svma;           /* .eh_frame */
	uint64_t frame_off, frame_len; /* its bytes in the file; len 0: no such section */
	/* the search table of the header, {start, FDE} as sdata4 relative to the header */
	uint64_t table_svma, n_table; /* 0: none that can be searched */
	bool scanned;
	VEC(struct fde_range) ranges; /* sorted; filled by the scan where there is no table */
	uint64_t cie_svma;            /* the CIE read last, and how its FDEs store addresses */
	uint8_t cie_encoding;
};

/* `hdr_*` from PT_GNU_EH_FRAME, `frame_*` from the section; either may be missing. */
void fdes_init(struct fdes *f, struct elffile *file);
void fdes_deinit(struct fdes *f);
/* False if no FDE covers svma. */
bool fdes_find(struct fdes *f, struct elffile *file, uint64_t svma, struct fde_range *ret);

#endif
