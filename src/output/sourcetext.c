/* In: a call tree with lines, a function's name, source files. Out: those lines with their weights.
 */
#include "output/sourcetext.h"

#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output/listing.h"
#include "output/text.h"

enum { AROUND = 2 }; /* lines shown before and after one with samples */

struct sourcetext {
	const struct linecosts *costs;
	const struct profile *p;
	struct buf *b;
	struct listings files;
};

void sourcetext_head(struct buf *b, const struct calltree *t, const struct function *f,
		     uint64_t weight, uint64_t samples)
{
	const struct func *func = &t->funcs.v[f->func];
	const char *binary = binary_name(binaries_get(&t->profile->data->binaries, func->binary));
	double whole = (double)t->profile->weight;

	output_printf(b, "\n# ");
	output_clean_utf8(b, func->name, strlen(func->name));
	output_printf(b, " in ");
	output_clean_utf8(b, binary, strlen(binary));
	output_printf(b, ": ");
	output_number(b, samples);
	output_printf(b, " samples in its code, %.2f %%; with what it calls ",
		      whole > 0 ? 100 * (double)weight / whole : 0);
	output_number(b, f->total_samples);
	output_printf(b, ", %.2f %%\n", whole > 0 ? 100 * (double)f->total / whole : 0);
}

void sourcetext_columns(struct buf *b, const struct profile *p, const char *rest)
{
	output_printf(b, "#  of all  of this  %s  %s\n",
		      p->by_period ? "     weight    samples" : "  samples", rest);
}

void sourcetext_share(struct buf *b, const struct profile *p, uint64_t weight, uint64_t samples,
		      uint64_t of)
{
	double whole = (double)p->weight;

	if (!samples) {
		output_printf(b, "%*s", p->by_period ? 44 : 31, "");
		return;
	}
	output_printf(b, "%7.2f %% %6.2f %%", whole > 0 ? 100 * (double)weight / whole : 0,
		      of ? 100 * (double)weight / (double)of : 0);
	if (p->by_period)
		output_printf(b, " %12" PRIu64, weight);
	output_printf(b, "  %9" PRIu64 "  ", samples);
}

static const struct source_place *place_of(const struct sourcetext *s, const struct line_cost *c)
{
	return &s->costs->picked.tree->places.v[c->place];
}

static void put_line(const struct sourcetext *s, const struct listing *l, uint32_t line,
		     const struct line_cost *cost, uint64_t of)
{
	sourcetext_share(s->b, s->p, cost ? cost->weight : 0, cost ? cost->samples : 0, of);
	output_printf(s->b, "%5" PRIu32, line);
	if (line <= listing_lines(l)) {
		output_printf(s->b, "  ");
		listing_put(l, line, s->b);
	}
	buf_u8(s->b, '\n');
}

/* The lines of one file, those around them too; "..." where some are left out. */
static void put_lines(const struct sourcetext *s, const struct listing *l,
		      const struct line_cost *costs, size_t n, uint64_t of)
{
	uint64_t next = 0; /* the first line not shown yet */

	for (size_t i = 0; i < n; i++) {
		uint32_t line = place_of(s, &costs[i])->line;
		uint64_t from = line > AROUND ? line - AROUND : 1;
		uint64_t to = i + 1 < n ? place_of(s, &costs[i + 1])->line : UINT64_MAX;

		if (from < next)
			from = next;
		if (next && from > next && listing_lines(l))
			output_printf(s->b, "%*s  ...\n", s->p->by_period ? 44 : 31, "");
		for (; from < line; from++)
			if (from <= listing_lines(l))
				put_line(s, l, (uint32_t)from, NULL, of);
		put_line(s, l, line, &costs[i], of);
		for (next = (uint64_t)line + 1; next < to && next <= (uint64_t)line + AROUND;
		     next++)
			if (next <= listing_lines(l))
				put_line(s, l, (uint32_t)next, NULL, of);
	}
}

static bool is_changed(const struct profile *p, const char *path)
{
	uint64_t since = p->data->meta.wall_start_ns;
	struct stat st;

	return since && !stat(path, &st) && st.st_mtim.tv_sec > 0 &&
	       (uint64_t)st.st_mtim.tv_sec > since / 1000000000;
}

static void put_file(struct sourcetext *s, const struct line_cost *costs, size_t n, uint64_t of)
{
	const char *path = place_of(s, costs)->file;
	const struct listing *l = listings_get(&s->files, path);
	bool own = false;

	for (size_t i = 0; i < n; i++)
		own |= costs[i].own;
	output_printf(s->b, "# ");
	output_clean_utf8(s->b, path, strlen(path));
	if (!own)
		output_printf(s->b, ", inlined from there");
	if (listing_lines(l) && strcmp(l->found, path) != 0) {
		output_printf(s->b, ", read from ");
		output_clean_utf8(s->b, l->found, strlen(l->found));
	}
	if (listing_lines(l) && is_changed(s->p, l->found))
		output_printf(s->b, " (changed since it was recorded: lines may have moved)");
	buf_u8(s->b, '\n');
	put_lines(s, l, costs, n, of);
}

static void put_function(struct sourcetext *s, const struct line_function *f)
{
	const struct line_cost *costs = s->costs->lines.v + f->first;
	const struct picked *picked = &s->costs->picked;

	sourcetext_head(s->b, picked->tree, &picked->functions.v.v[f->function], f->weight,
			f->samples);
	if (!f->n)
		return;
	sourcetext_columns(s->b, s->p, " line  source");
	for (size_t i = 0, end; i < f->n; i = end) {
		end = i + 1;
		if (!costs[i].place) {
			sourcetext_share(s->b, s->p, costs[i].weight, costs[i].samples, f->weight);
			output_printf(s->b, "    ?  line not known\n");
			continue;
		}
		while (end < f->n && costs[end].place &&
		       !strcmp(place_of(s, &costs[end])->file, place_of(s, &costs[i])->file))
			end++;
		put_file(s, costs + i, end - i, f->weight);
	}
}

/* Files that were not found, and where they were looked for. */
static void put_unread(const struct sourcetext *s)
{
	_cleanup_free_ char *here = getcwd(NULL, 0);
	const struct source_dirs *dirs = s->files.dirs;
	bool any = false;

	for (size_t i = 0; i < s->files.v.n; i++) {
		const struct listing *l = &s->files.v.v[i];

		if (listing_lines(l))
			continue;
		output_printf(s->b, "%s#   ",
			      any ? "" : "\n# not readable here, so by number alone:\n");
		output_clean_utf8(s->b, l->path, strlen(l->path));
		if (l->path[0] != '/' && here) {
			output_printf(s->b, ", looked for below ");
			output_clean_utf8(s->b, here, strlen(here));
		}
		buf_u8(s->b, '\n');
		any = true;
	}
	for (size_t i = 0; any && dirs && i < dirs->n; i++) {
		output_printf(s->b, "# nor below ");
		output_clean_utf8(s->b, dirs->v[i], strlen(dirs->v[i]));
		buf_u8(s->b, '\n');
	}
	if (any && !(dirs && dirs->n))
		output_printf(s->b, "# --source-dir DIR looks for them below DIR\n");
}

static struct err *sourcetext_write(const struct output_context *ctx, FILE *out)
{
	const struct linecosts *costs = ctx->options;
	struct buf b = { 0 };
	struct sourcetext s = {
		.costs = costs, .p = ctx->tree->profile, .b = &b, .files.dirs = ctx->sources
	};

	text_header(&b, ctx);
	/* Of those that only call, the totals: but not where others have lines to show. */
	for (size_t i = 0; i < costs->v.n; i++)
		if (costs->v.v[i].samples || !costs->v.v[0].samples)
			put_function(&s, &costs->v.v[i]);
	put_unread(&s);
	fwrite(b.data, 1, b.len, out);
	listings_deinit(&s.files);
	buf_deinit(&b);
	return output_finish(out, "source");
}

const struct output sourcetext_output = {
	.name = "source",
	.suffix = "",
	.what = "lines of source of one function with their weights",
	.needs_lines = true,
	.write = sourcetext_write,
};
