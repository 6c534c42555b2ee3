/* In: samples by verdict and binary. Out: a sentence. */
#include "cmd/cuts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"

enum {
	COPY_USUAL = 16384,
	COPY_MAX = 65528
}; /* perf_event_open(2): sample_stack_user is below 64 KiB, of words */

static void say_larger_copy(struct buf *b, const char *callgraph, bool hopeless)
{
	const char *comma = strchr(callgraph, ',');
	unsigned long bytes = comma ? strtoul(comma + 1, NULL, 10) : 0;
	unsigned long larger = bytes * 2 < COPY_MAX ? bytes * 2 : COPY_MAX;

	if (hopeless)
		output_printf(b,
			      "a frame larger than the %d bytes that the kernel copies, or a "
			      "page of it that was never written, where copying stops",
			      COPY_MAX);
	else if (!comma)
		output_printf(b, "record with a larger copy of the stack");
	else if (bytes >= COPY_MAX)
		output_printf(b, "the kernel copies no more of a stack than these %lu bytes",
			      bytes);
	else
		output_printf(b, "record with a larger copy of the stack: -g %.*s,%lu%s",
			      (int)(comma - callgraph), callgraph, larger,
			      bytes < COPY_USUAL ? ", and rings that hold it (-m, `ulimit -l`)"
						 : "");
}

/* `most` is to blame for most of them. `hopeless`: all of them need more than the kernel copies. */
static void say_remedy(struct buf *b, enum verdict v, const struct binary *most,
		       const char *callgraph, bool hopeless)
{
	bool walked = !strncmp(callgraph, "dwarf", 5) || !strncmp(callgraph, "auto", 4);

	switch (v) {
	case VERDICT_COPY_SMALL:
		say_larger_copy(b, callgraph, hopeless);
		return;
	case VERDICT_DEPTH_LIMIT:
		if (!strcmp(callgraph, "lbr"))
			output_printf(b, "the CPU keeps the latest 8 to 32 calls; record with "
					 "--call-graph dwarf");
		else
			output_printf(
				b,
				walked ? "singe follows no more frames"
				       : "raise it with `sysctl kernel.perf_event_max_stack=1024` "
					 "and record again");
		return;
	case VERDICT_FP_END:
		output_printf(b, walked ? "32-bit code is followed by frame pointers alone"
					: "code without frame pointers, or caught in its first "
					  "instructions; build with -fno-omit-frame-pointer or "
					  "record with -g dwarf");
		return;
	case VERDICT_NO_CFI:
		output_printf(b,
			      most->kind == BINARY_KIND_ANON
				      ? "code made at run time: tell its compiler to keep frame "
					"pointers, or to dump unwinding information"
				      : "build with -fasynchronous-unwind-tables, keep .eh_frame "
					"when stripping, or install the debug symbols; where code "
					"keeps frame pointers, as old Go's does, record with "
					"--call-graph fp");
		return;
	case VERDICT_NO_CFI_YET:
		output_printf(b, "only at the start of a recording: record longer");
		return;
	case VERDICT_BAD_CFA:
		output_printf(b, "a signal handler or a coroutine on a stack of its own, a word "
				 "kept below the stack pointer, where the kernel copies nothing, "
				 "or wrong unwind information; their outer callers are not known");
		return;
	case VERDICT_NO_STACK:
	case VERDICT_COMPLETE:
	case N_VERDICTS:
		break;
	}
	output_printf(b, "their outer callers are not known");
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

char *cuts_sentence(const struct cuts *c, enum verdict v, double *ret_percent)
{
	enum { NAMED = 3 };
	const struct binaries *binaries = &c->data->binaries;
	struct buf where = { 0 };
	struct buf b = { 0 };
	uint32_t most = BINARY_UNKNOWN;
	uint64_t samples = 0, blamed = 0;
	int named = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct cut_binary *cut = &c->v[i];

		if (cut->verdict != v)
			continue;
		samples += cut->samples;
		blamed += cut->binary == BINARY_UNKNOWN ? 0 : cut->samples;
		if (cut->binary == BINARY_UNKNOWN || named == NAMED)
			continue;
		if (!named)
			most = cut->binary;
		output_printf(&where, "%s%s %.1f %%", named++ ? ", " : " (",
			      binary_name(binaries_get(binaries, cut->binary)),
			      percent(cut->samples, c->all));
	}
	if (named)
		output_printf(&where, ")");
	buf_u8(&where, 0);
	*ret_percent = percent(samples, c->all);
	output_printf(&b, "%.1f %% of the stacks are cut, %s%s: ", *ret_percent, verdict_name(v),
		      (const char *)where.data);
	say_remedy(&b, v, binaries_get(binaries, most), c->data->meta.callgraph, blamed == samples);
	if (v == VERDICT_COPY_SMALL && blamed && blamed < samples)
		output_printf(&b, "; those of the binaries named need more than the kernel copies");
	buf_u8(&b, 0);
	buf_deinit(&where);
	if (samples)
		return (char *)b.data;
	buf_deinit(&b);
	return NULL;
}
