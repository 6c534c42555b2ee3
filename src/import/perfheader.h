/* The header of a perf.data file: where its parts are, and the parts that are not records. */
#ifndef IMPORT_PERFHEADER_H
#define IMPORT_PERFHEADER_H

#include "base/diag.h"
#include "import/perffeatures.h"

enum {
	PERF_MAGIC_LEN = 8,
	PERF_PIPE_HEADER_LEN = 16,
	PERF_FILE_HEADER_LEN = 104,
	PERF_MAX_ATTRS = 4096,
};

struct perfheader {
	bool swap;
	bool is_pipe; /* records follow at once, attrs and features among them */
	uint64_t data_off, data_end;
	bool has_no_end; /* perf was killed before it could say how long the data are */
};

/* True if these first bytes (8 are enough) are a perf.data file's, in either byte order. */
bool perfheader_magic(const void *p, size_t len);
/* From the bytes at the start of the file, of which `len` are there. */
ERR_CHECK struct err *perfheader_parse(const uint8_t *p, size_t len, struct perfheader *ret);
/* Reads attrs, ids and features of a seekable file; what is damaged of these is left out and
 * reported. */
ERR_CHECK struct err *perfheader_tables(const struct perfheader *h, int fd, struct perfattrs *attrs,
					struct perffeatures *features, struct dataset *data,
					struct diag *diag);

#endif
