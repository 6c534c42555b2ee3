/* In: registers, a copy of the stack, files. Out: what libunwind makes of them. */
#include "unwind/remote.h"

#include <libunwind.h>
#include <string.h>

#include "base/cursor.h"
#include "unwind/stackcopy.h"

/* libunwind 1.6 exports this for its own ptrace half and declares it in no installed header. */
int UNW_OBJ(dwarf_search_unwind_table)(unw_addr_space_t as, unw_word_t ip, unw_dyn_info_t *di,
				       unw_proc_info_t *pi, int need_unwind_info, void *arg);

struct remote {
	struct code *code;
	unw_addr_space_t space;
	/* of the walk under way */
	const struct addrspace *as;
	const struct raw_sample *sample;
	uint64_t sp0;
	/* the file last asked about, and what to take off an address to get an as-linked one */
	struct elffile *file;
	uint64_t bias;
	uint32_t binary;
	uint64_t beyond; /* the address of a word asked for which the copy does not hold; 0: none */
	bool waiting;    /* a file was needed that has not been given yet */
	bool has_cfi;    /* the last step went by what a file says */
	bool other_stack; /* a signal was handled on another stack than the frames now walked */
};

static int remote_set_file(struct remote *r, uint64_t ip)
{
	const struct mapping *m = addrspace_find(r->as, ip);
	uint64_t svma;

	r->file = m ? code_file(r->code, m->binary) : NULL;
	if (m) {
		r->binary = m->binary;
		r->waiting = code_find(r->code, r->as, ip)->state == PLACE_WAITING;
	}
	if (!r->file || !elffile_off_to_svma(r->file, mapping_off(m, ip), &svma))
		return -UNW_ENOINFO;
	r->bias = ip - svma;
	return 0;
}

/* Linux Standard Base, core, section 10.6.2: version, three encodings, then the pointer to
 * .eh_frame and the number of entries; singe only takes the form all linkers write. */
static int remote_find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *pi,
				 int need_unwind_info, void *arg)
{
	enum { HDR_LEN = 12, ENC_COUNT_UDATA4 = 0x03, ENC_TABLE_DATAREL_SDATA4 = 0x3b, ENTRY = 8 };
	struct remote *r = arg;
	uint64_t hdr;
	uint64_t hdr_len;
	int err = remote_set_file(r, ip);

	if (err)
		return err;
	if (!elffile_eh_frame_hdr(r->file, &hdr, &hdr_len))
		return -UNW_ENOINFO;
	const uint8_t *bytes = elffile_bytes(r->file, hdr, HDR_LEN);

	if (!bytes || hdr_len < HDR_LEN || bytes[2] != ENC_COUNT_UDATA4 ||
	    bytes[3] != ENC_TABLE_DATAREL_SDATA4)
		return -UNW_ENOINFO;
	struct cursor c = cursor(bytes + 8, 4);
	uint64_t count = cursor_u32(&c);

	if (count * ENTRY > hdr_len - HDR_LEN)
		return -UNW_ENOINFO;
	unw_dyn_info_t di = {
		.format = UNW_INFO_FORMAT_REMOTE_TABLE,
		.start_ip = 0,
		.end_ip = UINT64_MAX,
	};

	di.u.rti.segbase = hdr + r->bias;
	di.u.rti.table_data = hdr + r->bias + HDR_LEN;
	di.u.rti.table_len = count * ENTRY / sizeof(unw_word_t);
	err = UNW_OBJ(dwarf_search_unwind_table)(space, ip, &di, pi, need_unwind_info, arg);
	r->has_cfi = !err;
	return err;
}

static void remote_put_unwind_info(unw_addr_space_t space, unw_proc_info_t *pi, void *arg)
{
	(void)space, (void)pi, (void)arg;
}

static int remote_dyn_info(unw_addr_space_t space, unw_word_t *ret, void *arg)
{
	(void)space, (void)ret, (void)arg;
	return -UNW_ENOINFO;
}

static int remote_mem(unw_addr_space_t space, unw_word_t addr, unw_word_t *val, int write,
		      void *arg)
{
	struct remote *r = arg;

	(void)space;
	if (write)
		return -UNW_EINVAL;
	if (stackcopy_word(r->sample, r->sp0, addr, val))
		return 0;
	const uint8_t *bytes =
		r->file ? elffile_bytes(r->file, addr - r->bias, sizeof(*val)) : NULL;

	if (bytes) {
		memcpy(val, bytes, sizeof(*val));
		return 0;
	}
	if (addr >= r->sp0)
		r->beyond = addr;
	return -UNW_EINVAL;
}

static int remote_reg(unw_addr_space_t space, unw_regnum_t reg, unw_word_t *val, int write,
		      void *arg)
{
	struct remote *r = arg;
	const struct arch *arch = code_arch(r->code);

	(void)space;
	if (write || reg < 0 || reg >= arch->n_dwarf_regs || arch->perf_of_dwarf[reg] < 0)
		return -UNW_EBADREG;
	if (!arch_sample_reg(r->sample, (unsigned int)arch->perf_of_dwarf[reg], val))
		return -UNW_EBADREG;
	return 0;
}

static int remote_fpreg(unw_addr_space_t space, unw_regnum_t reg, unw_fpreg_t *val, int write,
			void *arg)
{
	(void)space, (void)reg, (void)val, (void)write, (void)arg;
	return -UNW_EBADREG;
}

static int remote_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *arg)
{
	(void)space, (void)cursor, (void)arg;
	return -UNW_EINVAL;
}

static int remote_proc_name(unw_addr_space_t space, unw_word_t ip, char *buf, size_t len,
			    unw_word_t *off, void *arg)
{
	(void)space, (void)ip, (void)buf, (void)len, (void)off, (void)arg;
	return -UNW_ENOINFO;
}

struct remote *remote_create(struct code *code)
{
	static unw_accessors_t accessors = {
		.find_proc_info = remote_find_proc_info,
		.put_unwind_info = remote_put_unwind_info,
		.get_dyn_info_list_addr = remote_dyn_info,
		.access_mem = remote_mem,
		.access_reg = remote_reg,
		.access_fpreg = remote_fpreg,
		.resume = remote_resume,
		.get_proc_name = remote_proc_name,
	};

	if (code_arch(code) != arch_native())
		return NULL;
	struct remote *r = xcalloc(1, sizeof(*r));

	r->code = code;
	r->space = unw_create_addr_space(&accessors, 0);
	unw_set_caching_policy(r->space, UNW_CACHE_NONE);
	return r;
}

void remote_destroy(struct remote *r)
{
	if (!r)
		return;
	unw_destroy_addr_space(r->space);
	free(r);
}

/* *ret_blame: the binary has to do with it. */
static enum verdict remote_verdict(const struct remote *r, int err, bool *ret_blame)
{
	*ret_blame = true;
	if (!err)
		return VERDICT_COMPLETE;
	if (r->waiting)
		return VERDICT_NO_CFI_YET;
	if (r->beyond && !r->other_stack &&
	    stackcopy_is_beyond(r->sample, r->sp0, r->beyond, ret_blame))
		return VERDICT_COPY_SMALL;
	*ret_blame = true;
	return r->beyond || err != -UNW_ENOINFO ? VERDICT_BAD_CFA : VERDICT_NO_CFI;
}

static bool remote_begin(struct remote *r, struct walk *w, const struct addrspace *as,
			 const struct raw_sample *s, unw_cursor_t *cursor)
{
	w->n = 0;
	w->binary = BINARY_UNKNOWN;
	w->end_fp_known = false;
	w->verdict = VERDICT_NO_STACK;
	r->as = as;
	r->sample = s;
	r->file = NULL;
	r->binary = BINARY_UNKNOWN;
	r->beyond = 0;
	r->waiting = r->other_stack = false;
	return arch_sample_reg(s, code_arch(r->code)->perf_sp, &r->sp0) &&
	       !unw_init_remote(cursor, r->space, r);
}

static void remote_regs(const struct remote *r, unw_cursor_t *cursor, struct walk_regs *ret)
{
	unw_word_t sp = 0, fp = 0;

	unw_get_reg(cursor, UNW_REG_SP, &sp);
	*ret = (struct walk_regs){ .sp = sp, .other_stack = r->other_stack };
	/* libunwind numbers registers as DWARF does. */
	ret->fp_known = !unw_get_reg(cursor, code_arch(r->code)->dwarf_fp, &fp);
	ret->fp = fp;
}

/* True as soon as it has gone to frame `stop`, the frames inward of it being those already in `w`.
 * False at the end of the stack; 0 never stops. */
static bool remote_run(struct remote *r, struct walk *w, const struct addrspace *as,
		       const struct raw_sample *s, uint32_t stop, struct walk_regs *ret)
{
	unw_cursor_t cursor;
	uint64_t last_sp = 0;
	uint8_t kind = FRAME_PC;
	int err = -UNW_EINVAL;

	if (!remote_begin(r, w, as, s, &cursor))
		return false;
	do {
		unw_word_t ip = 0;
		unw_word_t sp = 0;

		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) || unw_get_reg(&cursor, UNW_REG_SP, &sp))
			break;
		err = 0;
		if (!ip)
			break;
		err = -UNW_EBADFRAME;
		if (sp < last_sp || (sp == last_sp && w->n > 1))
			break;
		if (w->n == WALK_MAX_FRAMES) {
			w->verdict = VERDICT_DEPTH_LIMIT;
			return false;
		}
		last_sp = sp;
		if (kind == FRAME_AFTER_SIGNAL)
			r->other_stack |= stackcopy_is_other(s, r->sp0, sp);
		if (w->n < stop && w->frames[w->n].pc != ip)
			stop = 0;
		if (w->n < stop)
			kind = w->frames[w->n].kind; /* libunwind tells it one frame late */
		w->frames[w->n++] = (struct walk_frame){ .pc = ip, .kind = kind };
		if (stop && w->n > stop) {
			remote_regs(r, &cursor, ret);
			return true;
		}
		kind = unw_is_signal_frame(&cursor) > 0 ? FRAME_AFTER_SIGNAL : FRAME_RETURN;
		r->beyond = 0;
		r->waiting = r->has_cfi = false;
		bool is_signal = kind == FRAME_AFTER_SIGNAL;

		err = unw_step(&cursor);
		/* Without CFI libunwind guesses, by the frame pointer or an end of the stack. */
		if (err >= 0 && !r->has_cfi && !is_signal)
			err = -UNW_ENOINFO;
	} while (err > 0);
	bool blame;

	/* Rows came further, through code that libunwind knows nothing of. */
	if (w->n < stop)
		w->n = stop;
	w->verdict = remote_verdict(r, err, &blame);
	w->binary = blame ? r->binary : BINARY_UNKNOWN;
	return false;
}

void remote_walk(struct remote *r, struct walk *w, const struct addrspace *as,
		 const struct raw_sample *s)
{
	struct walk_regs regs;

	remote_run(r, w, as, s, 0, &regs);
}

bool remote_cross(struct remote *r, struct walk *w, const struct addrspace *as,
		  const struct raw_sample *s, struct walk_regs *ret)
{
	return remote_run(r, w, as, s, w->n, ret);
}
