/* In: filters as typed. Out: yes or no for a thread, a number, a binary; compiled expressions. */
#include "profile/filter.h"

#include <string.h>

void filter_init(struct filter *f)
{
	*f = (struct filter){ 0 };
}

static void name_list_deinit(struct name_list *l)
{
	for (size_t i = 0; i < l->v.n; i++)
		free(l->v.v[i]);
	vec_deinit(&l->v);
}

void filter_deinit(struct filter *f)
{
	name_list_deinit(&f->comms);
	name_list_deinit(&f->origins);
	name_list_deinit(&f->binaries);
	vec_deinit(&f->pids.v);
	vec_deinit(&f->tids.v);
	vec_deinit(&f->cpus.v);
}

void filter_add_names(const char *text, struct name_list *ret)
{
	vec_push(&ret->v, xstrdup(text));
	if (!strchr(text, ','))
		return;
	for (const char *p = text;; p++) {
		size_t len = strcspn(p, ",");

		vec_push(&ret->v, xstrndup(p, len));
		p += len;
		if (!*p)
			return;
	}
}

/* strtoul takes blanks and signs; a list of numbers does not. */
static bool parse_u32(const char **p, uint32_t *ret)
{
	uint64_t n = 0;
	const char *s = *p;

	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++) {
		n = n * 10 + (uint64_t)(*s - '0');
		if (n > UINT32_MAX)
			return false;
	}
	*p = s;
	*ret = (uint32_t)n;
	return true;
}

struct err *filter_add_numbers(const char *option, const char *text, struct number_list *ret)
{
	const char *p = text;

	for (;;) {
		struct number_range r;

		if (!parse_u32(&p, &r.first))
			break;
		r.last = r.first;
		if (*p == '-') {
			p++;
			if (!parse_u32(&p, &r.last) || r.last < r.first)
				break;
		}
		if (*p && *p != ',')
			break;
		vec_push(&ret->v, r);
		if (!*p)
			return NULL;
		p++;
	}
	return err_new("%s takes numbers such as 1,2,5-7, not '%s'", option, text);
}

/* "1.25" seconds in integers: a double would lose nanoseconds after some days of uptime. */
static bool parse_seconds(const char **p, uint64_t *ret_ns)
{
	uint32_t whole = 0;
	uint64_t ns = 0;
	bool any = parse_u32(p, &whole);

	if (**p == '.') {
		(*p)++;
		for (uint64_t unit = 100000000; **p >= '0' && **p <= '9'; (*p)++, unit /= 10) {
			ns += (uint64_t)(**p - '0') * unit;
			any = true;
		}
	}
	*ret_ns = (uint64_t)whole * 1000000000 + ns;
	return any;
}

static bool parse_time(const char *p, uint64_t *ret_from, uint64_t *ret_to)
{
	if (*p != ',' && !parse_seconds(&p, ret_from))
		return false;
	if (*p++ != ',')
		return false;
	return !*p || (parse_seconds(&p, ret_to) && !*p && *ret_to > *ret_from);
}

struct err *filter_set_time(struct filter *f, const char *text)
{
	uint64_t from = 0, to = 0;

	if (parse_time(text, &from, &to)) {
		f->from_ns = from;
		f->to_ns = to;
		return NULL;
	}
	return err_new(
		"--time takes FROM,TO in seconds from the first sample, such as 1.5,3 or ,2; "
		"not '%s'",
		text);
}

bool number_list_has(const struct number_list *l, uint32_t n)
{
	if (!l->v.n)
		return true;
	for (size_t i = 0; i < l->v.n; i++)
		if (n >= l->v.v[i].first && n <= l->v.v[i].last)
			return true;
	return false;
}

bool filter_has_thread(const struct filter *f, const struct thread_entry *t)
{
	if (!number_list_has(&f->pids, t->pid) || !number_list_has(&f->tids, t->tid))
		return false;
	if (!f->comms.v.n)
		return true;
	for (size_t i = 0; i < f->comms.v.n; i++)
		if (!strcmp(f->comms.v.v[i], t->comm) || !strcmp(f->comms.v.v[i], t->process_comm))
			return true;
	return false;
}

bool filter_has_origin(const struct filter *f, const char *origin)
{
	for (size_t i = 0; i < f->origins.v.n; i++)
		if (!strcmp(f->origins.v.v[i], origin))
			return true;
	return !f->origins.v.n;
}

bool filter_has_binary(const struct filter *f, const struct binary *b)
{
	for (size_t i = 0; i < f->binaries.v.n; i++)
		if (!strcmp(f->binaries.v.v[i], b->path) ||
		    !strcmp(f->binaries.v.v[i], binary_name(b)))
			return true;
	return false;
}

static struct err *compile(regex_t *re, const char *option, const char *text)
{
	int rc = regcomp(re, text, REG_EXTENDED | REG_NOSUB);

	if (!rc)
		return NULL;
	char why[128];

	regerror(rc, re, why, sizeof(why));
	return err_new("%s '%s': %s", option, text, why);
}

struct err *frame_filter_set_symbol(struct frame_filter *f, const char *regex)
{
	if (f->has_symbol)
		regfree(&f->symbol);
	f->has_symbol = false;
	TRY(compile(&f->symbol, "--symbol", regex));
	f->has_symbol = true;
	return NULL;
}

struct err *frame_filter_set_hide(struct frame_filter *f, const char *regex)
{
	if (f->has_hide)
		regfree(&f->hide);
	f->has_hide = false;
	TRY(compile(&f->hide, "--hide", regex));
	f->has_hide = true;
	return NULL;
}

void frame_filter_deinit(struct frame_filter *f)
{
	if (f->has_symbol)
		regfree(&f->symbol);
	if (f->has_hide)
		regfree(&f->hide);
	*f = (struct frame_filter){ 0 };
}
