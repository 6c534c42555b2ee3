/* In: batches of code that a JIT compiler loaded and moved, and an address. Out: its CFI row. */
#include "unwind/jitcode.h"

#include <elf.h>

/* Files made of the .eh_frame of code that was walked through lately, by number of its entry. */
enum { N_IMAGES = 256 };

struct image {
	uint32_t entry; /* its number + 1; 0: none here */
	struct elffile *file;
	struct cfi *cfi;
};

struct jitcode {
	const struct arch *arch;
	bool may_unwind;
	VEC(struct jitcode_entry) entries; /* of all batches */
	VEC(struct buf) bytes;             /* by batch */
	jitcode_pieces pieces;             /* sorted, disjoint */
	struct image images[N_IMAGES];
};

void jitcode_batch_deinit(struct jitcode_batch *b)
{
	vec_deinit(&b->entries);
	vec_deinit(&b->pieces);
	buf_deinit(&b->bytes);
	*b = (struct jitcode_batch){ 0 };
}

/* Both sorted and disjoint, and so is what comes out: `over`, and what it leaves of `under`. */
static void overlay(const jitcode_pieces *under, const jitcode_pieces *over, jitcode_pieces *ret)
{
	struct jitcode_piece rest = { 0 }; /* empty: done with */
	size_t u = 0, o = 0;

	vec_reserve(ret, under->n + over->n);
	while (u < under->n || rest.start < rest.end) {
		if (rest.start >= rest.end)
			rest = under->v[u++];
		const struct jitcode_piece *next = o < over->n ? &over->v[o] : NULL;

		if (!next || rest.end <= next->start) {
			vec_push(ret, rest);
			rest.start = rest.end;
		} else if (next->end <= rest.start) {
			vec_push(ret, *next);
			o++;
		} else {
			if (rest.start < next->start)
				vec_push(ret, ((struct jitcode_piece){ rest.start, next->start,
								       rest.entry }));
			rest.start = rest.end < next->end ? rest.end : next->end;
		}
	}
	for (; o < over->n; o++)
		vec_push(ret, over->v[o]);
}

static void order_entries(const struct jitcode_batch *b, size_t first, size_t n,
			  jitcode_pieces *ret)
{
	jitcode_pieces older = { 0 }, newer = { 0 };
	const struct jitcode_entry *e = &b->entries.v[first];

	if (n == 1) {
		vec_push(ret, ((struct jitcode_piece){ e->start, e->end, (uint32_t)first }));
		return;
	}
	order_entries(b, first, n / 2, &older);
	order_entries(b, first + n / 2, n - n / 2, &newer);
	overlay(&older, &newer, ret);
	vec_deinit(&older);
	vec_deinit(&newer);
}

void jitcode_batch_order(struct jitcode_batch *b)
{
	if (b->entries.n)
		order_entries(b, 0, b->entries.n, &b->pieces);
}

struct jitcode *jitcode_create(const struct arch *arch)
{
	struct jitcode *j = xcalloc(1, sizeof(*j));

	j->arch = arch;
	j->may_unwind = true;
	return j;
}

static void image_drop(struct image *i)
{
	cfi_destroy(i->cfi);
	elffile_destroy(i->file);
	*i = (struct image){ 0 };
}

void jitcode_destroy(struct jitcode *j)
{
	if (!j)
		return;
	for (size_t i = 0; i < N_IMAGES; i++)
		image_drop(&j->images[i]);
	for (size_t i = 0; i < j->bytes.n; i++)
		buf_deinit(&j->bytes.v[i]);
	vec_deinit(&j->bytes);
	vec_deinit(&j->entries);
	vec_deinit(&j->pieces);
	free(j);
}

static bool has_bytes(const struct jitcode *j, const struct jitcode_entry *e)
{
	return e->batch < j->bytes.n && e->off <= j->bytes.v[e->batch].len &&
	       e->len <= j->bytes.v[e->batch].len - e->off;
}

static void take_entries(struct jitcode *j, struct jitcode_batch *b)
{
	uint32_t first = (uint32_t)j->entries.n;
	jitcode_pieces pieces = { 0 };

	for (size_t i = 0; i < b->entries.n; i++) {
		struct jitcode_entry e = b->entries.v[i];

		if (!has_bytes(j, &e))
			e.len = 0;
		vec_push(&j->entries, e);
	}
	for (size_t i = 0; i < b->pieces.n; i++)
		b->pieces.v[i].entry += first;
	overlay(&j->pieces, &b->pieces, &pieces);
	vec_deinit(&j->pieces);
	j->pieces = pieces;
}

void jitcode_take(struct jitcode *j, struct jitcode_batch *b)
{
	if (b->number == j->bytes.n) {
		if (b->bytes.len) {
			vec_push(&j->bytes, b->bytes);
			b->bytes = (struct buf){ 0 };
		}
		if (b->entries.n)
			take_entries(j, b);
		j->may_unwind = b->may_unwind;
	}
	jitcode_batch_deinit(b);
}

bool jitcode_may_unwind(const struct jitcode *j)
{
	return j->may_unwind;
}

static void put_section(struct buf *b, const Elf64_Shdr *s)
{
	buf_bytes(b, s, sizeof(*s));
}

/* A file with nothing in it but this .eh_frame, as perf lays it out: at the first multiple of eight
 * behind the code. That is what its relative addresses count from. */
static void make_elf(const struct jitcode *j, const struct jitcode_entry *e, struct buf *ret)
{
	static const char names[] = "\0.eh_frame\0.shstrtab";
	static const uint8_t zero[8];
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = j->arch->machine,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	size_t frames_len = (e->len + sizeof(zero) + 7) & ~(size_t)7; /* with a terminator */
	Elf64_Shdr frames = {
		.sh_name = 1,
		.sh_type = SHT_PROGBITS,
		.sh_flags = SHF_ALLOC,
		.sh_addr = e->start + ((e->end - e->start + 7) & ~UINT64_C(7)),
		.sh_offset = sizeof(head),
		.sh_size = frames_len,
		.sh_addralign = 8,
	};
	Elf64_Shdr strings = {
		.sh_name = 11,
		.sh_type = SHT_STRTAB,
		.sh_offset = sizeof(head) + frames_len,
		.sh_size = sizeof(names),
		.sh_addralign = 1,
	};
	size_t pad = -sizeof(names) & 7;

	head.e_shoff = strings.sh_offset + sizeof(names) + pad;
	buf_bytes(ret, &head, sizeof(head));
	buf_bytes(ret, j->bytes.v[e->batch].data + e->off, e->len);
	while (ret->len < strings.sh_offset)
		buf_u8(ret, 0);
	buf_bytes(ret, names, sizeof(names));
	buf_bytes(ret, zero, pad);
	put_section(ret, &(Elf64_Shdr){ 0 });
	put_section(ret, &frames);
	put_section(ret, &strings);
}

static struct cfi *entry_cfi(struct jitcode *j, uint32_t entry)
{
	struct image *i = &j->images[entry % N_IMAGES];
	struct buf elf = { 0 };

	if (i->entry == entry + 1)
		return i->cfi;
	image_drop(i);
	make_elf(j, &j->entries.v[entry], &elf);
	struct err *err = elffile_open_memory(elf.data, elf.len, &i->file);

	buf_deinit(&elf);
	err_destroy(err);
	if (!i->file)
		return NULL;
	i->entry = entry + 1;
	i->cfi = cfi_create(i->file, j->arch);
	return i->cfi;
}

static const struct jitcode_piece *find_piece(const struct jitcode *j, uint64_t avma)
{
	size_t lo = 0, hi = j->pieces.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (j->pieces.v[mid].end <= avma)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < j->pieces.n && j->pieces.v[lo].start <= avma ? &j->pieces.v[lo] : NULL;
}

enum jitcode_find jitcode_row(struct jitcode *j, uint64_t avma, struct row *ret)
{
	const struct jitcode_piece *p = find_piece(j, avma);

	if (!p)
		return JITCODE_UNKNOWN;
	struct cfi *cfi = j->entries.v[p->entry].len ? entry_cfi(j, p->entry) : NULL;

	if (!cfi)
		return JITCODE_BARE;
	*ret = cfi_row(cfi, avma);
	return ret->cfa == ROW_NONE || ret->cfa == ROW_COMPLEX ? JITCODE_BARE : JITCODE_ROW;
}
