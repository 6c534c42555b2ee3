/* In: the name of a function. Out: a shorter one. */
#include "import/scripttidy.h"

#include <string.h>

static const char *find(struct text_span s, const char *word)
{
	return memmem(s.p, s.len, word, strlen(word));
}

/* "net/http.(*Client).Do": what is in parentheses is part of the name. */
static bool is_go_method(struct text_span s)
{
	const char *open = find(s, ".(");

	return open && find((struct text_span){ open + 2, (size_t)(s.p + s.len - open - 2) }, ").");
}

static size_t without_arguments(struct text_span s)
{
	static const char anonymous[] = "(anonymous namespace)";

	if (is_go_method(s))
		return s.len;
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] == '(' && (s.len - i < strlen(anonymous) ||
				      memcmp(s.p + i, anonymous, strlen(anonymous)) != 0))
			return i;
	}
	return s.len;
}

/* Appends the tidied name; its length. */
static size_t tidy(struct text_span s, bool java, struct buf *to)
{
	size_t from = to->len;

	s.len = without_arguments(s);
	for (size_t i = 0; i < s.len; i++) {
		if (s.p[i] != '"' && s.p[i] != '\'')
			buf_u8(to, (uint8_t)(s.p[i] == ';' ? ':' : s.p[i]));
	}
	size_t len = to->len - from;

	if (java && len && to->data[from] == 'L' && memchr(to->data + from, '/', len)) {
		memmove(to->data + from, to->data + from + 1, len - 1);
		to->len--;
	}
	return to->len - from;
}

uint16_t scripttidy(struct text_span function, bool java, struct buf *scratch,
		    struct text_span ret[SCRIPT_MAX_INLINES])
{
	uint16_t n = 0;

	scratch->len = 0;
	buf_room(scratch, function.len + 1); /* names only get shorter: nothing moves */
	for (;;) {
		const char *arrow = find(function, "->");
		struct text_span one = function;
		bool more = arrow && n + 1 < SCRIPT_MAX_INLINES;

		if (more)
			one.len = (size_t)(arrow - function.p);
		size_t from = scratch->len;

		ret[n].len = tidy(one, java, scratch);
		ret[n++].p = (const char *)scratch->data + from;
		if (!more || !function.p[one.len + 2])
			return n;
		function.p += one.len + 2;
		function.len -= one.len + 2;
		if (!function.len)
			return n;
	}
}
