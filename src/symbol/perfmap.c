/* In: the map a JIT compiler wrote. Out: the entry that covers an address. */
#include "symbol/perfmap.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "symbol/addrset.h"

/* A map larger than this is none. */
enum { PERFMAP_MAX = 1 << 30 };

static struct err *read_all(int fd, struct buf *ret)
{
	enum { PIECE = 1 << 16 };

	while (ret->len < PERFMAP_MAX) {
		size_t before = ret->len;

		if (!buf_read_at(ret, fd, before, PIECE))
			return err_sys(errno, "cannot read a map of JIT code");
		if (ret->len - before < PIECE)
			return NULL;
	}
	return err_new("a map of JIT code that does not end");
}

/* "7f00", "0x7f00", and the blanks behind it. */
static bool parse_hex(const char **p, uint64_t *ret)
{
	char *end;

	if (!isxdigit((unsigned char)**p))
		return false;
	errno = 0;
	*ret = strtoull(*p, &end, 16);
	if (errno || (*end != ' ' && *end != '\t'))
		return false;
	*p = end + strspn(end, " \t");
	return true;
}

static void parse_line(struct perfmap *m, const char *line)
{
	const char *p = line;
	uint64_t start, len, end;

	if (!parse_hex(&p, &start) || !parse_hex(&p, &len) || !*p || !len ||
	    __builtin_add_overflow(start, len, &end))
		return;
	vec_push(&m->v, ((struct perfmap_entry){
				.start = start,
				.end = end,
				.name = (uint32_t)(p - m->text),
				.name_len = (uint32_t)strlen(p),
			}));
}

struct err *perfmap_read(int fd, struct perfmap *ret)
{
	struct buf text = { 0 };
	struct err *err = read_all(fd, &text);

	*ret = (struct perfmap){ 0 };
	if (err) {
		buf_deinit(&text);
		return err;
	}
	buf_u8(&text, 0);
	ret->text = (char *)text.data;
	char *line = ret->text;

	for (char *end; (end = strchr(line, '\n')); line = end + 1) {
		*end = '\0';
		parse_line(ret, line);
	}
	return NULL;
}

void perfmap_deinit(struct perfmap *m)
{
	free(m->text);
	vec_deinit(&m->v);
}

/* From the last entry to the first, each takes what no later one took. */
void perfmap_find(const struct perfmap *m, const uint64_t *addrs, size_t n, uint32_t *ret)
{
	struct addrset open;

	addrset_init(&open, addrs, n);
	for (size_t i = 0; i < n; i++)
		ret[i] = UINT32_MAX;
	for (size_t e = m->v.n; e-- > 0;) {
		const struct perfmap_entry *entry = &m->v.v[e];

		for (size_t i = addrset_first(&open, entry->start); i < n && addrs[i] < entry->end;
		     i = addrset_next(&open, i)) {
			ret[i] = (uint32_t)e;
			addrset_take(&open, i);
		}
	}
	addrset_deinit(&open);
}
