/* In: stored names, files. Out: names that are better than those. */
#include "symbol/improve.h"

/* Named, with lines and inlined calls: it can't become better. */
static bool is_good(const struct name_entry *e)
{
	return e && (e->flags & NAME_FOUND) && (e->flags & NAME_HAS_LINES) &&
	       !(e->flags & NAME_NO_INLINES);
}

static bool is_better(const struct name_entry *now, const struct name_entry *was)
{
	if (!was)
		return true;
	int gained = (now->flags & NAME_FOUND) - (was->flags & NAME_FOUND);

	if (gained)
		return gained > 0;
	gained = (now->flags & NAME_HAS_LINES) - (was->flags & NAME_HAS_LINES);
	if (!(now->flags & NAME_FOUND) || gained)
		return gained > 0 && (now->flags & NAME_FOUND);
	return (was->flags & NAME_NO_INLINES) && !(now->flags & NAME_NO_INLINES);
}

static void copy_entry(struct names *to, const struct names *from, const struct name_entry *e)
{
	VEC(struct name_line) lines = { 0 };

	for (uint16_t i = 0; i < e->n; i++) {
		struct name_line l = from->lines.v[e->first + i];

		l.function = intern_add(&to->strings, intern_str(&from->strings, l.function));
		l.file = intern_add(&to->strings, intern_str(&from->strings, l.file));
		vec_push(&lines, l);
	}
	names_set(to, e->binary, e->off, lines.v, e->n, e->flags);
	vec_deinit(&lines);
}

static struct err *look_up(struct symbolizer *s, const struct dataset *data,
			   const struct names *stored)
{
	VEC(struct place) places = { 0 };

	for (size_t i = 1; i < data->tree.frames.n; i++) {
		const struct frame *f = &data->tree.frames.v[i];

		if (f->kind != FRAME_CUT && !is_good(names_find(stored, f->binary, names_key(f))))
			vec_push(&places, ((struct place){ f->binary, names_key(f) }));
	}
	symbolizer_set_stored(s, stored);
	struct err *err = symbolizer_run_places(s, places.v, places.n);

	symbolizer_set_stored(s, NULL);
	vec_deinit(&places);
	return err;
}

struct err *improve_find(struct symbolizer *s, struct dataset *data, struct names *ret,
			 uint64_t *ret_n)
{
	struct names stored = data->names;

	names_init(ret);
	names_init(&data->names);
	struct err *err = look_up(s, data, &stored);
	struct names found = data->names;

	data->names = stored;
	for (size_t i = 0; i < found.entries.n; i++) {
		const struct name_entry *e = &found.entries.v[i];

		if (is_better(e, names_find(&stored, e->binary, e->off)))
			copy_entry(ret, &found, e);
	}
	if (ret_n)
		*ret_n = found.entries.n;
	names_deinit(&found);
	return err;
}

struct err *improve_names(struct symbolizer *s, struct dataset *data)
{
	struct names better;
	struct err *err = improve_find(s, data, &better, NULL);

	for (size_t i = 0; i < better.entries.n; i++)
		copy_entry(&data->names, &better, &better.entries.v[i]);
	names_deinit(&better);
	return err;
}
