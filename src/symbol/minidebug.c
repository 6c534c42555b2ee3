/* In: an ELF file with a .gnu_debugdata section. Out: the ELF file in it. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "symbol/minidebug.h"

#include <gelf.h>
#ifdef HAVE_LIBLZMA
#include <lzma.h>
#endif

#include "base/buf.h"
#include "model/elfsection.h"

#ifdef HAVE_LIBLZMA

enum {
	MINIDEBUG_MAX = 256 << 20, /* symbol tables of this size exist nowhere */
	LZMA_MEMORY = 256 << 20,
};

static struct err *expand(const Elf_Data *from, struct buf *ret)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	lzma_ret state = lzma_stream_decoder(&xz, LZMA_MEMORY, 0);

	xz.next_in = from->d_buf;
	xz.avail_in = from->d_size;
	while (state == LZMA_OK && ret->len < MINIDEBUG_MAX) {
		buf_room(ret, 1 << 20);
		xz.next_out = ret->data + ret->len;
		xz.avail_out = ret->cap - ret->len;
		state = lzma_code(&xz, LZMA_FINISH);
		ret->len = ret->cap - xz.avail_out;
	}
	lzma_end(&xz);
	return state == LZMA_STREAM_END ? NULL : err_new("damaged .gnu_debugdata");
}

struct err *minidebug_open(struct elffile *file, struct elffile **ret)
{
	Elf_Scn *scn = elfsection_find(elffile_elf(file), ".gnu_debugdata");
	Elf_Data *data = scn ? elf_rawdata(scn, NULL) : NULL;
	struct buf out = { 0 };

	*ret = NULL;
	if (!data || !data->d_buf)
		return NULL;
	struct err *err = expand(data, &out);

	if (!err)
		err = elffile_open_memory(out.data, out.len, ret);
	buf_deinit(&out);
	return err;
}

#else

struct err *minidebug_open(struct elffile *file, struct elffile **ret)
{
	*ret = NULL;
	if (!elfsection_find(elffile_elf(file), ".gnu_debugdata"))
		return NULL;
	return err_new("symbols in .gnu_debugdata need a build with liblzma");
}

#endif
