/* In: a call tree and the least weight worth drawing. Out: the frames to draw and their places;
 * narrow siblings are merged into one frame at the right end, so that no weight looks like self. */
#include "output/svg/drawing.h"

#include <string.h>

/* Weights by magnitude: the exponent and the four bits after the leading one. */
enum { BUCKET_BITS = 4, N_BUCKETS = 64 << BUCKET_BITS };

static unsigned int bucket_of(uint64_t weight)
{
	unsigned int exp = 63 - (unsigned int)__builtin_clzll(weight | 1);

	if (exp < BUCKET_BITS)
		return (unsigned int)weight;
	unsigned int mantissa =
		(unsigned int)(weight >> (exp - BUCKET_BITS)) & ((1 << BUCKET_BITS) - 1);

	return exp << BUCKET_BITS | mantissa;
}

static uint64_t bucket_floor(unsigned int bucket)
{
	unsigned int exp = bucket >> BUCKET_BITS;

	if (exp < BUCKET_BITS)
		return bucket;
	return (1ULL << exp) | (uint64_t)(bucket & ((1 << BUCKET_BITS) - 1)) << (exp - BUCKET_BITS);
}

/* The least threshold, not below `least`, that leaves at most DRAWING_MAX_FRAMES nodes. */
static uint64_t bounded_threshold(const struct calltree *tree, uint64_t least)
{
	size_t count[N_BUCKETS] = { 0 }, n = 0;

	for (size_t i = 0; i < tree->nodes.n; i++) {
		uint64_t weight = tree->nodes.v[i].total;

		if (weight < least)
			continue;
		count[bucket_of(weight)]++;
		n++;
	}
	if (n <= DRAWING_MAX_FRAMES)
		return least;
	unsigned int bucket = N_BUCKETS;

	for (n = 0; bucket && n + count[bucket - 1] <= DRAWING_MAX_FRAMES; bucket--)
		n += count[bucket - 1];
	if (bucket == N_BUCKETS)
		return UINT64_MAX;
	return bucket_floor(bucket);
}

/* A drawn node whose children are being placed. */
struct level {
	uint32_t node;
	uint32_t child; /* the next to look at; 0: none left */
	uint64_t x;     /* where it goes */
	uint32_t merged;
	uint64_t merged_weight, merged_samples;
};

static void place(struct drawing *d, const struct drawn *f)
{
	vec_push(&d->frames, *f);
	if (f->depth > d->max_depth)
		d->max_depth = f->depth;
}

static void place_merged(struct drawing *d, const struct level *l, uint32_t depth)
{
	d->pruned_weight += l->merged_weight;
	if (!l->merged || l->merged_weight < d->threshold)
		return;
	place(d, &(struct drawn){
			 .node = l->node,
			 .depth = depth,
			 .merged = l->merged,
			 .x = l->x,
			 .weight = l->merged_weight,
			 .samples = l->merged_samples,
		 });
}

static struct level level_of(const struct calltree *tree, uint32_t node, uint64_t x)
{
	return (struct level){ .node = node, .child = tree->nodes.v[node].first_child, .x = x };
}

/* The next child of the innermost level, drawn if it is wide enough. False if it has none left. */
static bool step(struct drawing *d, const struct calltree *tree, struct level *l, uint32_t depth)
{
	if (!l->child)
		return false;
	const struct callnode *n = &tree->nodes.v[l->child];

	if (n->total < d->threshold) {
		l->merged++;
		l->merged_weight += n->total;
		l->merged_samples += n->total_samples;
	} else {
		place(d, &(struct drawn){
				 .node = l->child,
				 .depth = depth,
				 .x = l->x,
				 .weight = n->total,
				 .self = n->self,
				 .samples = n->total_samples,
			 });
	}
	l->child = n->next;
	return true;
}

static void walk(struct drawing *d, const struct calltree *tree)
{
	const struct callnode *root = &tree->nodes.v[0];
	VEC(struct level) levels = { 0 };

	place(d, &(struct drawn){ .weight = root->total,
				  .self = root->self,
				  .samples = root->total_samples });
	vec_push(&levels, level_of(tree, 0, 0));
	d->pruned = tree->nodes.n - 1;
	while (levels.n) {
		struct level *l = &levels.v[levels.n - 1];
		size_t before = d->frames.n;

		if (!step(d, tree, l, (uint32_t)levels.n)) {
			place_merged(d, l, (uint32_t)levels.n);
			levels.n--;
			continue;
		}
		if (d->frames.n == before)
			continue;
		const struct drawn *f = &d->frames.v[before];

		d->pruned--;
		l->x += f->weight;
		if (tree->nodes.v[f->node].first_child)
			vec_push(&levels, level_of(tree, f->node, f->x));
	}
	vec_deinit(&levels);
}

void drawing_init(struct drawing *d, const struct calltree *tree, uint64_t threshold)
{
	if (!threshold)
		threshold = 1;
	memset(d, 0, sizeof(*d));
	d->threshold = bounded_threshold(tree, threshold);
	d->capped = d->threshold > threshold;
	walk(d, tree);
}

void drawing_deinit(struct drawing *d)
{
	vec_deinit(&d->frames);
}
