/* In: numbers without a meaning. Out: one sentence about them. */
#include "recording/newer.h"

#include <stdio.h>

#include "base/buf.h"

void newer_add(struct newer *n, enum newer_what what, uint64_t number)
{
	struct newer_list *l = &n->of[what];

	for (uint32_t i = 0; i < l->n; i++)
		if (l->numbers[i] == number)
			return;
	if (l->n < NEWER_MAX)
		l->numbers[l->n++] = number;
	else
		l->more = true;
}

static void put(struct buf *b, const char *text)
{
	buf_bytes(b, text, strlen(text));
}

/* "blocks of kind 9, 12 and more" */
static void put_list(struct buf *b, const char *what, const struct newer_list *l)
{
	char number[32];

	if (!l->n)
		return;
	put(b, b->len ? "; " : "");
	put(b, what);
	for (uint32_t i = 0; i < l->n; i++) {
		snprintf(number, sizeof(number), "%s%llu", i ? ", " : " ",
			 (unsigned long long)l->numbers[i]);
		put(b, number);
	}
	put(b, l->more ? " and more" : "");
}

void newer_report(const struct newer *n, struct diag *diag)
{
	static const char *const what[N_NEWER] = {
		[NEWER_BLOCK] = "blocks of kind",
		[NEWER_COLUMN] = "columns",
		[NEWER_EVENT] = "process events of kind",
	};
	struct buf b = { 0 };

	for (int i = 0; i < N_NEWER; i++)
		put_list(&b, what[i], &n->of[i]);
	if (b.len) {
		buf_u8(&b, 0);
		diag_add(diag, DIAG_WARNING, "newer recording",
			 "this recording was made by a newer singe; what this one does not know "
			 "is left out: %s",
			 (const char *)b.data);
	}
	buf_deinit(&b);
}
