/* In: call trees of two sides. Out: their union, with the change at each place and what it means.
 */
#include "profile/diff.h"

#include <math.h>
#include <string.h>

#include "profile/diff_union.h"
#include "profile/stats.h"

struct builder {
	struct diff *d;
	const struct diff_input *inputs;
	size_t n, n_side[DIFF_SIDES];
	struct union_column *columns; /* one an input */
	double *per;                  /* by input: what a weight is divided by to be a share */
	double amount[DIFF_SIDES];    /* sums */
	double each[DIFF_SIDES];      /* the share of a sample, per amount */
	double *values[DIFF_SIDES];   /* scratch: shares of one place */
};

/* One place in all inputs: a node, or a function's total or self. */
struct cell {
	double *weight; /* by input */
	uint64_t *samples;
};

struct interval diff_change_range(const struct diff_value *v)
{
	double before = v->share[DIFF_BEFORE], after = v->share[DIFF_AFTER];
	const struct interval *b = &v->range[DIFF_BEFORE], *a = &v->range[DIFF_AFTER];

	return (struct interval){ after - before - hypot(after - a->low, b->high - before),
				  after - before + hypot(a->high - after, before - b->low) };
}

double diff_margin(double middle, struct interval range)
{
	return fmax(range.high - middle, middle - range.low);
}

static bool is_tested(const struct diff_value *v)
{
	return v->samples[0] + v->samples[1] >= DIFF_MIN_SAMPLES;
}

static double test(const struct builder *b, const struct diff_value *v)
{
	const struct diff *d = b->d;
	uint64_t x = v->samples[DIFF_BEFORE], y = v->samples[DIFF_AFTER];

	if (!is_tested(v))
		return 1;
	if (d->by_welch)
		return stats_welch(b->values[DIFF_BEFORE], b->n_side[DIFF_BEFORE],
				   b->values[DIFF_AFTER], b->n_side[DIFF_AFTER]);
	if (d->per_amount)
		return stats_two_rates(x, b->amount[DIFF_BEFORE], y, b->amount[DIFF_AFTER]);
	return stats_two_proportions(x, d->samples[DIFF_BEFORE], y, d->samples[DIFF_AFTER]);
}

/* Per amount nothing bounds a count of samples; what it is uncertain by, its weight is. */
static struct interval range_of(const struct builder *b, const struct diff_value *v,
				enum diff_side side)
{
	const struct diff *d = b->d;
	double share = v->share[side];
	uint64_t samples = v->samples[side];

	if (b->n_side[side] > 1) {
		double margin = stats_mean_margin(b->values[side], b->n_side[side]);

		return (struct interval){ fmax(0, share - margin), share + margin };
	}
	if (!d->per_amount)
		return stats_share_interval(share < 1 ? share : 1, d->samples[side]);
	struct interval i = stats_count_interval(samples);
	double each = samples ? share / (double)samples : b->each[side];

	return (struct interval){ i.low * each, i.high * each };
}

static struct diff_value value_of(const struct builder *b, const struct cell *c)
{
	struct diff_value v = { 0 };
	size_t k[DIFF_SIDES] = { 0 };

	for (size_t i = 0; i < b->n; i++) {
		enum diff_side side = b->inputs[i].side;
		double share = b->per[i] > 0 ? c->weight[i] / b->per[i] : 0;

		b->values[side][k[side]++] = share;
		v.share[side] += share / (double)b->n_side[side];
		v.samples[side] += c->samples[i];
	}
	for (int side = 0; side < DIFF_SIDES; side++)
		v.range[side] = range_of(b, &v, (enum diff_side)side);
	v.p = test(b, &v);
	return v;
}

/* Wholes, and what a weight of each input is divided by. */
static void find_wholes(struct builder *b)
{
	struct diff *d = b->d;
	double rate = 0; /* of the whole before: the mean */

	for (size_t i = 0; i < b->n; i++) {
		const struct diff_input *in = &b->inputs[i];

		d->whole[in->side] += b->columns[i].total[0];
		d->samples[in->side] += b->columns[i].total_samples[0];
		b->amount[in->side] += in->amount;
		if (d->per_amount && in->side == DIFF_BEFORE)
			rate += b->columns[i].total[0] / in->amount /
				(double)b->n_side[DIFF_BEFORE];
	}
	for (size_t i = 0; i < b->n; i++)
		b->per[i] = d->per_amount ? b->inputs[i].amount * rate : b->columns[i].total[0];
	for (int side = 0; side < DIFF_SIDES; side++)
		if (d->samples[side] && rate > 0)
			b->each[side] =
				d->whole[side] / (double)d->samples[side] / b->amount[side] / rate;
	d->scale = d->per_amount     ? b->amount[DIFF_AFTER] / b->amount[DIFF_BEFORE]
		   : d->whole[0] > 0 ? d->whole[DIFF_AFTER] / d->whole[DIFF_BEFORE]
				     : 1;
}

/* Nodes get the shares of both sides as weight, so that a frame's width is before plus after. */
static void fill_tree(struct builder *b)
{
	struct calltree *t = b->d->tree;

	for (size_t k = 0; k < t->nodes.n; k++) {
		struct callnode *n = &t->nodes.v[k];
		double share = 0;

		for (size_t i = 0; i < b->n; i++) {
			enum diff_side side = b->inputs[i].side;
			double weight = b->columns[i].self[k];

			b->d->weight[side][k] += weight;
			n->self_samples += b->columns[i].self_samples[k];
			if (b->per[i] > 0)
				share += weight / b->per[i] / (double)b->n_side[side];
		}
		n->self = (uint64_t)(share * DIFF_UNIT + 0.5);
	}
	calltree_finish(t);
}

static struct cell cell_create(size_t n)
{
	return (struct cell){ xcalloc(n + 1, sizeof(double)), xcalloc(n + 1, sizeof(uint64_t)) };
}

static void cell_deinit(struct cell *c)
{
	free(c->weight);
	free(c->samples);
}

static void value_nodes(struct builder *b)
{
	struct diff *d = b->d;
	size_t n = d->tree->nodes.n, n_tested = 0;
	_cleanup_free_ double *p = xcalloc(n + 1, sizeof(*p));
	struct cell c = cell_create(b->n);

	d->nodes = xcalloc(n, sizeof(*d->nodes));
	for (size_t k = 0; k < n; k++) {
		for (size_t i = 0; i < b->n; i++) {
			c.weight[i] = b->columns[i].total[k];
			c.samples[i] = b->columns[i].total_samples[k];
		}
		d->nodes[k] = value_of(b, &c);
		if (is_tested(&d->nodes[k]))
			p[n_tested++] = d->nodes[k].p;
	}
	double limit = stats_false_discovery(p, n_tested, DIFF_FALSE_RATE);

	for (size_t k = 0; k < n; k++)
		d->nodes[k].significant = d->nodes[k].p <= limit;
	cell_deinit(&c);
}

/* Sums of nodes by function: [function * n + input]. */
struct sums {
	double *total, *self;
	uint64_t *total_samples, *self_samples;
};

static void sum_functions(const struct builder *b, struct sums *s)
{
	const struct diff *d = b->d;

	for (size_t k = 1; k < d->tree->nodes.n; k++) {
		size_t at = d->functions.of[d->tree->nodes.v[k].func] * b->n;

		for (size_t i = 0; i < b->n; i++, at++) {
			const struct union_column *c = &b->columns[i];

			s->self[at] += c->self[k];
			s->self_samples[at] += c->self_samples[k];
			if (!d->functions.outermost[k])
				continue;
			s->total[at] += c->total[k];
			s->total_samples[at] += c->total_samples[k];
		}
	}
}

static void judge_functions(struct diff *d)
{
	_cleanup_free_ double *p = xcalloc(2 * d->changes.n + 1, sizeof(*p));
	size_t n = 0;

	for (size_t i = 0; i < d->changes.n; i++) {
		const struct diff_function *f = &d->changes.v[i];

		if (is_tested(&f->total))
			p[n++] = f->total.p;
		if (is_tested(&f->self))
			p[n++] = f->self.p;
	}
	double limit = stats_false_discovery(p, n, DIFF_FALSE_RATE);

	for (size_t i = 0; i < d->changes.n; i++) {
		struct diff_function *f = &d->changes.v[i];

		f->total.significant = f->total.p <= limit;
		f->self.significant = f->self.p <= limit;
		d->n_significant += f->total.significant || f->self.significant;
	}
}

static int change_cmp(const void *a, const void *b)
{
	const struct diff_function *x = a, *y = b;
	bool sx = x->total.significant || x->self.significant;
	bool sy = y->total.significant || y->self.significant;
	double cx = diff_change(&x->total), cy = diff_change(&y->total);

	if (sx != sy)
		return sx ? -1 : 1;
	if (!sx) {
		cx = fabs(cx);
		cy = fabs(cy);
	}
	if (cx > cy || cx < cy)
		return cx > cy ? -1 : 1;
	cx = diff_change(&x->self);
	cy = diff_change(&y->self);
	if (cx > cy || cx < cy)
		return cx > cy ? -1 : 1;
	return (x->function > y->function) - (x->function < y->function);
}

static void value_functions(struct builder *b)
{
	struct diff *d = b->d;
	size_t n = d->functions.v.n * b->n + 1;
	struct sums s = { xcalloc(n, sizeof(double)), xcalloc(n, sizeof(double)),
			  xcalloc(n, sizeof(uint64_t)), xcalloc(n, sizeof(uint64_t)) };

	sum_functions(b, &s);
	for (uint32_t i = 0; i < d->functions.v.n; i++) {
		size_t at = i * b->n;
		struct diff_function f = { .function = i };

		if (!d->functions.v.v[i].is_code)
			continue;
		f.total = value_of(b, &(struct cell){ s.total + at, s.total_samples + at });
		f.self = value_of(b, &(struct cell){ s.self + at, s.self_samples + at });
		if (f.total.samples[DIFF_BEFORE] || f.total.samples[DIFF_AFTER])
			vec_push(&d->changes, f);
	}
	judge_functions(d);
	vec_sort(&d->changes, change_cmp);
	free(s.total);
	free(s.self);
	free(s.total_samples);
	free(s.self_samples);
}

static struct err *check(const struct diff_input *inputs, size_t n, size_t n_side[DIFF_SIDES])
{
	const char *unit = n ? profile_unit(inputs[0].tree->profile) : "";

	for (size_t i = 0; i < n; i++) {
		n_side[inputs[i].side]++;
		if (strcmp(profile_unit(inputs[i].tree->profile), unit) != 0)
			return err_new("recordings of different units: %s and %s", unit,
				       profile_unit(inputs[i].tree->profile));
		if ((inputs[i].amount > 0) != (inputs[0].amount > 0))
			return err_new("an amount is not known of every recording");
	}
	if (!n_side[DIFF_BEFORE] || !n_side[DIFF_AFTER])
		return err_new("a difference needs a recording before and one after");
	return NULL;
}

static struct diff *diff_create(void)
{
	struct diff *d = xcalloc(1, sizeof(*d));

	d->data = xcalloc(1, sizeof(*d->data));
	dataset_init(d->data);
	d->data->totals.complete = true;
	d->profile = xcalloc(1, sizeof(*d->profile));
	d->profile->data = d->data;
	d->tree = calltree_create(d->profile);
	return d;
}

struct err *diff_build(const struct diff_input *inputs, size_t n, struct diff **ret)
{
	struct builder b = { .inputs = inputs, .n = n };

	TRY(check(inputs, n, b.n_side));
	struct diff *d = b.d = diff_create();

	d->per_amount = inputs[0].amount > 0;
	d->by_welch = b.n_side[DIFF_BEFORE] > 1 && b.n_side[DIFF_AFTER] > 1;
	b.columns = xcalloc(n, sizeof(*b.columns));
	b.per = xcalloc(n, sizeof(*b.per));
	diff_union_build(d->tree, d->data, inputs, n, b.columns);
	for (int side = 0; side < DIFF_SIDES; side++) {
		b.values[side] = xcalloc(n, sizeof(double));
		d->weight[side] = xcalloc(d->tree->nodes.n, sizeof(double));
	}
	find_wholes(&b);
	fill_tree(&b);
	functions_init(&d->functions, d->tree);
	value_nodes(&b);
	value_functions(&b);
	for (size_t i = 0; i < n; i++)
		union_column_deinit(&b.columns[i]);
	free(b.columns);
	free(b.per);
	free(b.values[DIFF_BEFORE]);
	free(b.values[DIFF_AFTER]);
	d->profile->weight = d->tree->nodes.v[0].total;
	d->profile->samples = d->tree->nodes.v[0].total_samples;
	*ret = d;
	return NULL;
}

void diff_destroy(struct diff *d)
{
	if (!d)
		return;
	functions_deinit(&d->functions);
	calltree_destroy(d->tree);
	free(d->nodes);
	vec_deinit(&d->changes);
	free(d->weight[DIFF_BEFORE]);
	free(d->weight[DIFF_AFTER]);
	free(d->profile);
	dataset_deinit(d->data);
	free(d->data);
	free(d);
}
