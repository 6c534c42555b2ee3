/* In: text through a file descriptor. Out: a dataset and batches of samples. */
#include "import/text.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "import/foldedtext.h"
#include "import/scripttext.h"

/* The window grows to hold the longest line, or the longest stack of perf script's; text that has
 * longer ones is something else. */
enum { WINDOW = 1 << 20, LARGEST_WINDOW = 64 << 20 };

struct text {
	struct source source; /* first: what the caller holds */
	struct diag *diag;
	int fd;
	char *window; /* owned */
	size_t cap, at, len;
	bool eof;
	bool is_script;
	struct foldedtext folded;
	struct scripttext script;
};

static void text_destroy(struct source *src)
{
	struct text *t = (struct text *)src;

	if (t->is_script)
		scripttext_deinit(&t->script);
	else
		foldedtext_deinit(&t->folded);
	free(t->window);
	free(t);
}

/* More text behind what is unread. */
static struct err *fill(struct text *t)
{
	memmove(t->window, t->window + t->at, t->len - t->at);
	t->len -= t->at;
	t->at = 0;
	if (t->len > t->cap / 2) {
		if (t->cap >= LARGEST_WINDOW)
			return err_new("a line or a stack is longer than %d bytes", LARGEST_WINDOW);
		t->cap *= 2;
		t->window = xrealloc(t->window, t->cap);
	}
	while (t->len < t->cap && !t->eof) {
		ssize_t n = read(t->fd, t->window + t->len, t->cap - t->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(errno, "cannot read");
		t->eof = !n;
		t->len += (size_t)n;
	}
	return NULL;
}

/* The samples of whole lines, or of whole stacks. */
static void parse(struct text *t, struct batch *ret)
{
	const char *p = t->window + t->at, *end = t->window + t->len;

	if (t->is_script) {
		p = scripttext_read(&t->script, p, end, t->eof);
		*ret = (struct batch){ .samples = t->script.samples.v,
				       .n_samples = t->script.samples.n };
	} else {
		const char *last = t->eof ? end : memrchr(p, '\n', (size_t)(end - p));

		if (last && !t->eof)
			last++;
		foldedtext_read(&t->folded, p, last ? last : p);
		p = last ? last : p;
		*ret = (struct batch){ .samples = t->folded.samples.v,
				       .n_samples = t->folded.samples.n };
	}
	t->at = (size_t)(p - t->window);
}

static struct err *text_next(struct source *src, struct batch *ret)
{
	struct text *t = (struct text *)src;
	struct totals *totals = &src->data->totals;

	*ret = (struct batch){ 0 };
	while (!ret->n_samples && (!t->eof || t->at < t->len)) {
		if (!t->eof)
			TRY(fill(t));
		parse(t, ret);
	}
	totals->end_ns = totals->last_ns;
	totals->complete = t->eof && t->at == t->len;
	return NULL;
}

/* A sample's first line. perf script -F comm,tid,ip,sym prints neither event nor time there: then
 * the frame on the line below says what it is. */
static bool is_script(const char *p, size_t len, const char *below, const char *end)
{
	struct script_header h;
	struct script_frame f;

	if (!script_header(p, len, &h))
		return false;
	if (h.has_time || h.event.len)
		return true;
	const char *newline = memchr(below, '\n', (size_t)(end - below));

	return newline && *below == '\t' && script_frame(below, (size_t)(newline - below), &f);
}

/* By the first line that says: of a sample, or a stack with its count. */
static struct err *choose(struct text *t)
{
	const char *p = t->window, *end = t->window + t->len;

	while (p < end) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((newline ? newline : end) - p);

		if (len && p[len - 1] == '\r')
			len--;
		bool comment = len && *p == '#';

		if (!comment && foldedtext_is(p, len)) {
			t->is_script = false;
			return NULL;
		}
		if (!comment && is_script(p, len, newline ? newline + 1 : end, end)) {
			t->is_script = true;
			return NULL;
		}
		if (!newline)
			break;
		p = newline + 1;
	}
	return err_new("text that is neither perf script's nor folded stacks (\"a;b;c 12\")");
}

struct err *text_open(int fd, struct dataset *data, struct diag *diag, struct source **ret)
{
	struct text *t = xcalloc(1, sizeof(*t));

	t->source = (struct source){ data, text_next, text_destroy };
	t->fd = fd;
	t->diag = diag;
	t->cap = WINDOW;
	t->window = xmalloc(t->cap);
	struct err *err = fill(t);

	if (!err)
		err = choose(t);
	if (err) {
		free(t->window);
		free(t);
		return err;
	}
	if (t->is_script)
		scripttext_init(&t->script, data, diag);
	else
		foldedtext_init(&t->folded, data, diag);
	*ret = &t->source;
	return NULL;
}

void text_keep_java(struct source *src)
{
	struct text *t = (struct text *)src;

	if (t->is_script)
		t->script.keep_java = true;
}
