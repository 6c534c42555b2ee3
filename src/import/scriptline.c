/* In: a line. Out: its fields. */
#include "import/scriptline.h"

#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t skip_blanks(const char *p, size_t at, size_t len)
{
	while (at < len && is_blank(p[at]))
		at++;
	return at;
}

static size_t skip_word(const char *p, size_t at, size_t len)
{
	while (at < len && !is_blank(p[at]))
		at++;
	return at;
}

static size_t skip_digits(const char *p, size_t at, size_t len)
{
	while (at < len && is_digit(p[at]))
		at++;
	return at;
}

/* Saturates. */
static uint64_t number(const char *p, size_t from, size_t to)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++)
		if (__builtin_mul_overflow(n, 10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(p[i] - '0'), &n))
			return UINT64_MAX;
	return n;
}

static uint32_t number32(const char *p, size_t from, size_t to)
{
	uint64_t n = number(p, from, to);

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX - 1;
}

/* "4794564.109216:" at `at`; its length, 0 if it is none. */
static size_t time_at(const char *p, size_t at, size_t len, uint64_t *ret)
{
	size_t dot = skip_digits(p, at, len);
	size_t end = dot < len && p[dot] == '.' ? skip_digits(p, dot + 1, len) : 0;

	if (dot == at || end <= dot + 1 || end == len || p[end] != ':')
		return 0;
	uint64_t ns = 0, unit = 100000000;

	for (size_t i = dot + 1; i < end; i++, unit /= 10)
		ns += (uint64_t)(p[i] - '0') * unit;
	uint64_t s = number(p, at, dot);

	*ret = s > UINT64_MAX / 1000000000 - 1 ? UINT64_MAX : s * 1000000000 + ns;
	return end + 1 - at;
}

/* "[003]" at `at`; its length, 0 if it is none. */
static size_t cpu_at(const char *p, size_t at, size_t len, uint32_t *ret)
{
	if (at >= len || p[at] != '[')
		return 0;
	size_t end = skip_digits(p, at + 1, len);

	if (end == at + 1 || end >= len || p[end] != ']')
		return 0;
	*ret = number32(p, at + 1, end);
	return end + 1 - at;
}

/* "12688" or "24636/25607" from `at`, with a blank behind. */
static bool numbers_at(const char *p, size_t at, size_t len, struct script_header *h, size_t *end)
{
	size_t first = skip_digits(p, at, len);
	size_t second = first;

	if (first == at)
		return false;
	h->pid = UINT32_MAX;
	h->tid = number32(p, at, first);
	if (first < len && p[first] == '/') {
		second = skip_digits(p, first + 1, len);
		if (second == first + 1)
			return false;
		h->pid = h->tid;
		h->tid = number32(p, first + 1, second);
	}
	if (second < len && !is_blank(p[second]))
		return false;
	*end = second;
	return true;
}

/* Names of threads may hold blanks and numbers: the numbers meant are those before a CPU or a time,
 * else the first. */
static bool find_numbers(const char *p, size_t from, size_t len, struct script_header *ret,
			 size_t *ret_end)
{
	struct script_header h = { 0 };
	bool found = false;
	uint64_t time;
	uint32_t cpu;
	size_t end;

	for (size_t at = skip_word(p, from, len); at < len; at = skip_word(p, at, len)) {
		size_t comm_end = at;

		at = skip_blanks(p, at, len);
		if (!numbers_at(p, at, len, &h, &end))
			continue;
		size_t next = skip_blanks(p, end, len);
		bool sure = time_at(p, next, len, &time) || cpu_at(p, next, len, &cpu);

		if (found && !sure)
			continue;
		*ret = h;
		ret->comm = (struct text_span){ p + from, comm_end - from };
		*ret_end = end;
		if (sure)
			return true;
		found = true;
	}
	return found;
}

static bool begins_record(const char *p, size_t len)
{
	static const char word[] = "PERF_RECORD_";

	return len >= sizeof(word) - 1 && !memcmp(p, word, sizeof(word) - 1);
}

/* CPU, time, period and event, those that are there. */
static void tail_fields(const char *p, size_t at, size_t len, struct script_header *h)
{
	while ((at = skip_blanks(p, at, len)) < len) {
		size_t end = skip_word(p, at, len);
		size_t n = cpu_at(p, at, len, &h->cpu);

		if (n) {
			at += n;
			continue;
		}
		n = time_at(p, at, len, &h->time_ns);
		if (n) {
			h->has_time = true;
			at += n;
			continue;
		}
		if (begins_record(p + at, len - at)) {
			h->is_record = true;
			return;
		}
		if (skip_digits(p, at, end) == end) {
			h->period = number(p, at, end);
			h->has_period = true;
		} else if (p[end - 1] == ':') {
			h->event = (struct text_span){ p + at, end - 1 - at };
			at = skip_blanks(p, end, len);
			h->rest = (struct text_span){ p + at, len - at };
			return;
		}
		at = end;
	}
}

bool script_header(const char *p, size_t len, struct script_header *ret)
{
	size_t from = skip_blanks(p, 0, len);
	size_t end;

	if (from == len || p[from] == '#' || !find_numbers(p, from, len, ret, &end))
		return false;
	ret->cpu = UINT32_MAX;
	ret->period = 1;
	ret->who = (struct text_span){ p, end };
	tail_fields(p, end, len, ret);
	/* Where perf pads names, blanks alone do not tell it from a frame. */
	return !from || ret->has_time;
}

static int hex_digit(char c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Takes off "+0x1f". */
static size_t without_offset(const char *p, size_t len)
{
	size_t n = len;

	while (n && hex_digit(p[n - 1]) >= 0)
		n--;
	return n < len && n > 3 && !memcmp(p + n - 3, "+0x", 3) ? n - 3 : len;
}

/* Where the module's " (" is: the last one that a ')' follows. SIZE_MAX: nowhere. */
static size_t module_at(const char *p, size_t from, size_t close)
{
	for (size_t i = close; i-- > from + 1;)
		if (p[i] == '(' && is_blank(p[i - 1]))
			return i - 1;
	return SIZE_MAX;
}

bool script_frame(const char *p, size_t len, struct script_frame *ret)
{
	size_t at = skip_blanks(p, 0, len);
	uint64_t pc = 0;
	size_t i = at;

	for (int d; i < len && i < at + 16 && (d = hex_digit(p[i])) >= 0; i++)
		pc = pc << 4 | (uint64_t)d;
	bool bare = at && i == len; /* perf script -F ip */

	if (i == at || (i < len ? !is_blank(p[i]) : !bare))
		return false;
	size_t from = skip_blanks(p, i, len);

	while (len > from && is_blank(p[len - 1]))
		len--;
	const char *close = from < len ? memrchr(p + from, ')', len - from) : NULL;
	size_t open = close ? module_at(p, from - 1, (size_t)(close - p)) : SIZE_MAX;
	size_t function_end = open != SIZE_MAX ? open : len;

	*ret = (struct script_frame){ .pc = pc };
	if (open != SIZE_MAX)
		ret->module = (struct text_span){ p + open + 2, (size_t)(close - p) - open - 2 };
	size_t n = function_end > from ? function_end - from : 0;

	ret->function = (struct text_span){ p + from, without_offset(p + from, n) };
	if (!ret->function.len)
		ret->function = (struct text_span){ "[unknown]", 9 };
	return true;
}
