/* In: .eh_frame_hdr and .eh_frame of a file nobody vouches for. Out: the range of code that an FDE
 * covers. */
#include "model/fdes.h"

#include <stdlib.h>

#include "base/cursor.h"
#include "model/elffile.h"

enum {
	PE_OMIT = 0xff,
	PE_FORMAT = 0x0f,
	PE_ABSPTR = 0x00,
	PE_ULEB = 0x01,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SLEB = 0x09,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_APPLICATION = 0x70,
	PE_PCREL = 0x10,
	PE_DATAREL = 0x30,
	PE_INDIRECT = 0x80,
};

enum {
	TABLE_ENCODING = PE_DATAREL | PE_SDATA4, /* what every linker writes */
	TABLE_ENTRY = 8,
	ENTRY_MAX = 1 << 20, /* a CIE or FDE longer than this is damage */
};

/* Reads one encoded value; `c` stands for bytes that begin at `svma`. An encoding that would need
 * memory at run time fails the cursor. */
static uint64_t fdes_pointer(struct cursor *c, uint64_t svma, uint8_t encoding, bool is_64bit,
			     uint64_t data_svma)
{
	uint64_t at = svma + cursor_offset(c);
	uint64_t v;

	switch (encoding & PE_FORMAT) {
	case PE_ABSPTR:
		v = is_64bit ? cursor_u64(c) : cursor_u32(c);
		break;
	case PE_ULEB:
		v = cursor_uleb(c);
		break;
	case PE_UDATA2:
		v = cursor_u16(c);
		break;
	case PE_UDATA4:
		v = cursor_u32(c);
		break;
	case PE_UDATA8:
	case PE_SDATA8:
		v = cursor_u64(c);
		break;
	case PE_SLEB:
		v = (uint64_t)cursor_sleb(c);
		break;
	case PE_SDATA2:
		v = (uint64_t)(int64_t)(int16_t)cursor_u16(c);
		break;
	case PE_SDATA4:
		v = (uint64_t)(int64_t)(int32_t)cursor_u32(c);
		break;
	default:
		c->failed = true;
		return 0;
	}
	if ((encoding & PE_APPLICATION) == PE_PCREL)
		v += at;
	else if ((encoding & PE_APPLICATION) == PE_DATAREL)
		v += data_svma;
	else if (encoding & PE_APPLICATION)
		c->failed = true;
	if (encoding & PE_INDIRECT)
		c->failed = true;
	return is_64bit ? v : (uint32_t)v;
}

static uint64_t svma_mask(const struct elffile *file)
{
	return elffile_is_64bit(file) ? UINT64_MAX : UINT32_MAX;
}

/* An entry of .eh_frame: CIE or FDE. */
struct entry {
	struct cursor body; /* from the CIE id (the CIE pointer of an FDE) on */
	uint64_t svma;      /* of the body */
	uint64_t next_svma;
	bool is_end; /* the terminator */
};

/* Bytes of .eh_frame: by segment, or by section where a file has no segments for it. */
static const uint8_t *fdes_bytes(const struct fdes *f, struct elffile *file, uint64_t svma,
				 uint64_t len)
{
	uint64_t at = svma - f->frame_svma;

	if (f->frame_len && at <= f->frame_len && len <= f->frame_len - at)
		return elffile_bytes_at(file, f->frame_off + at, len);
	return elffile_bytes(file, svma, len);
}

static bool fdes_entry(const struct fdes *f, struct elffile *file, uint64_t svma, struct entry *ret)
{
	const uint8_t *head = fdes_bytes(f, file, svma, 4);

	if (!head)
		return false;
	struct cursor c = cursor(head, 4);
	uint64_t len = cursor_u32(&c), at = svma + 4;

	if (len == UINT32_MAX) {
		head = fdes_bytes(f, file, at, 8);
		if (!head)
			return false;
		c = cursor(head, 8);
		len = cursor_u64(&c);
		at += 8;
	}
	ret->is_end = !len;
	if (len > ENTRY_MAX)
		return false;
	const uint8_t *body = fdes_bytes(f, file, at, len);

	if (!body)
		return false;
	ret->body = cursor(body, (size_t)len);
	ret->svma = at;
	ret->next_svma = at + len;
	return true;
}

/* How the FDEs of the CIE at `svma` store their addresses; PE_OMIT: cannot be told. */
static uint8_t fdes_cie_encoding(const struct fdes *f, struct elffile *file, uint64_t svma)
{
	bool is_64bit = elffile_is_64bit(file);
	struct entry e;

	if (!fdes_entry(f, file, svma, &e) || e.is_end)
		return PE_OMIT;
	struct cursor *c = &e.body;

	if (cursor_u32(c)) /* the id of a CIE in .eh_frame is 0 */
		return PE_OMIT;
	uint8_t version = cursor_u8(c);
	const char *aug = cursor_cstr(c);

	if (!aug || (version != 1 && version != 3 && version != 4))
		return PE_OMIT;
	if (version == 4)
		cursor_skip(c, 2); /* sizes of addresses and of segment selectors */
	cursor_uleb(c);            /* code alignment */
	cursor_sleb(c);            /* data alignment */
	if (version == 1)
		cursor_u8(c); /* return address column */
	else
		cursor_uleb(c);
	if (!*aug)
		return c->failed ? PE_OMIT : PE_ABSPTR;
	if (*aug != 'z')
		return PE_OMIT;
	cursor_uleb(c);
	for (aug++; *aug && *aug != 'R'; aug++) {
		if (*aug == 'P')
			fdes_pointer(c, e.svma, cursor_u8(c) & PE_FORMAT, is_64bit,
				     0); /* skipped */
		else if (*aug == 'L')
			cursor_u8(c);
		else if (*aug != 'S' && *aug != 'B')
			return PE_OMIT;
	}
	uint8_t encoding = *aug == 'R' ? cursor_u8(c) : PE_ABSPTR;

	return c->failed ? PE_OMIT : encoding;
}

/* The range of an FDE. False for a CIE and for what cannot be read. */
static bool fdes_range(struct fdes *f, struct elffile *file, struct entry *e, struct fde_range *ret)
{
	bool is_64bit = elffile_is_64bit(file);
	struct cursor *c = &e->body;
	uint64_t cie = e->svma - cursor_u32(c);

	if (c->failed || cie == e->svma)
		return false;
	if (cie != f->cie_svma) {
		f->cie_encoding = fdes_cie_encoding(f, file, cie);
		f->cie_svma = cie;
	}
	if (f->cie_encoding == PE_OMIT)
		return false;
	uint64_t start = fdes_pointer(c, e->svma, f->cie_encoding, is_64bit, f->hdr_svma);
	/* The length has the format of the address, without what that is relative to. */
	uint64_t len = fdes_pointer(c, e->svma, f->cie_encoding & PE_FORMAT, is_64bit, 0);

	if (c->failed || !len || len > svma_mask(file) - start)
		return false;
	*ret = (struct fde_range){ .start = start, .end = start + len };
	return true;
}

static void fdes_read_header(struct fdes *f, struct elffile *file)
{
	enum { HEADER_MAX = 4 + 8 + 8 };
	uint64_t len = f->hdr_len < HEADER_MAX ? f->hdr_len : HEADER_MAX;
	const uint8_t *bytes = len ? elffile_bytes(file, f->hdr_svma, len) : NULL;

	if (!bytes)
		return;
	bool is_64bit = elffile_is_64bit(file);
	struct cursor c = cursor(bytes, (size_t)len);
	uint8_t version = cursor_u8(&c);
	uint8_t frame_encoding = cursor_u8(&c);
	uint8_t count_encoding = cursor_u8(&c);
	uint8_t table_encoding = cursor_u8(&c);

	if (version != 1 || frame_encoding == PE_OMIT)
		return;
	uint64_t frame = fdes_pointer(&c, f->hdr_svma, frame_encoding, is_64bit, f->hdr_svma);

	if (c.failed)
		return;
	if (!f->frame_len)
		f->frame_svma = frame; /* a file without section headers */
	if (count_encoding == PE_OMIT || table_encoding != TABLE_ENCODING)
		return;
	uint64_t n = fdes_pointer(&c, f->hdr_svma, count_encoding, is_64bit, f->hdr_svma);

	if (c.failed || n > (f->hdr_len - cursor_offset(&c)) / TABLE_ENTRY)
		return;
	f->table_svma = f->hdr_svma + cursor_offset(&c);
	f->n_table = n;
}

void fdes_init(struct fdes *f, struct elffile *file)
{
	f->cie_svma = UINT64_MAX;
	fdes_read_header(f, file);
}

void fdes_deinit(struct fdes *f)
{
	vec_deinit(&f->ranges);
}

/* Entry `i` of the search table. Only what a search touches is read from the file. */
static bool fdes_table_entry(const struct fdes *f, struct elffile *file, uint64_t i,
			     uint64_t *ret_start, uint64_t *ret_fde)
{
	const uint8_t *bytes = elffile_bytes(file, f->table_svma + i * TABLE_ENTRY, TABLE_ENTRY);

	if (!bytes)
		return false;
	struct cursor c = cursor(bytes, TABLE_ENTRY);
	uint64_t mask = svma_mask(file);

	*ret_start = (f->hdr_svma + (uint64_t)(int64_t)(int32_t)cursor_u32(&c)) & mask;
	*ret_fde = (f->hdr_svma + (uint64_t)(int64_t)(int32_t)cursor_u32(&c)) & mask;
	return true;
}

static bool fdes_find_in_table(struct fdes *f, struct elffile *file, uint64_t svma,
			       struct fde_range *ret)
{
	uint64_t lo = 0, hi = f->n_table, start, fde = 0;

	while (lo < hi) {
		uint64_t mid = lo + (hi - lo) / 2, mid_fde;

		if (!fdes_table_entry(f, file, mid, &start, &mid_fde))
			return false;
		if (start <= svma) {
			lo = mid + 1;
			fde = mid_fde;
		} else {
			hi = mid;
		}
	}
	struct entry e;

	return lo && fdes_entry(f, file, fde, &e) && !e.is_end && fdes_range(f, file, &e, ret) &&
	       svma >= ret->start && svma < ret->end;
}

static int fde_range_compare(const void *a, const void *b)
{
	const struct fde_range *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void fdes_scan(struct fdes *f, struct elffile *file)
{
	struct entry e;
	struct fde_range range;

	f->scanned = true;
	if (!f->frame_svma && !f->frame_len)
		return;
	/* Segments may map the same bytes many times over, so it is the file's size that ends this.
	 */
	for (uint64_t at = f->frame_svma; at - f->frame_svma < elffile_size(file);
	     at = e.next_svma) {
		if (!fdes_entry(f, file, at, &e) || e.is_end)
			break;
		if (fdes_range(f, file, &e, &range))
			vec_push(&f->ranges, range);
	}
	vec_sort(&f->ranges, fde_range_compare);
}

bool fdes_find(struct fdes *f, struct elffile *file, uint64_t svma, struct fde_range *ret)
{
	if (f->n_table)
		return fdes_find_in_table(f, file, svma, ret);
	if (!f->scanned)
		fdes_scan(f, file);
	size_t lo = 0, hi = f->ranges.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->ranges.v[mid].start <= svma)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (!lo || svma >= f->ranges.v[lo - 1].end)
		return false;
	*ret = f->ranges.v[lo - 1];
	return true;
}
