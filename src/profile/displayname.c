/* In: the name of a function. Out: how it is to be shown. */
#include "profile/displayname.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/alloc.h"

/* What follows the ">" that closes the "<" at `p`; NULL: nothing closes it. Comparisons within are
 * in parentheses. */
static const char *arguments_end(const char *p)
{
	int angles = 0, parens = 0;

	for (; *p; p++) {
		if (*p == '(')
			parens++;
		else if (*p == ')')
			parens--;
		else if (parens)
			continue;
		else if (*p == '<')
			angles++;
		else if (*p == '>' && p[-1] != '-' && !--angles)
			return p + 1;
	}
	return NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool follows(const char *name, const char *p, const char *word)
{
	size_t len = strlen(word);

	return (size_t)(p - name) >= len && !strncmp(p - len, word, len);
}

static bool follows_operator(const char *name, const char *p)
{
	return follows(name, p, "operator") && (p - name == 8 || !is_word(p[-9]));
}

/* Whether "<" at `p` comes behind the name of an operator: "operator()<int>", "operator<< <char>";
 * in that of operator<< it is a sign itself. */
static bool follows_signs(const char *name, const char *p)
{
	bool spaced = p[-1] == ' ';
	const char *end = p - spaced, *from = end;

	while (from > name && strchr("<>=!+-*/%^&|~,()[]", from[-1]))
		from--;
	return from < end && (spaced || end[-1] != '<') && follows_operator(name, from);
}

/* Whether "<" at `p` begins arguments: after a word ("vector<int>"), an operator or Rust's "::"
 * ("f::<u8>"), but not as the name of an operator, nor "<T as Trait>" and "<impl …>". */
static bool begins_arguments(const char *name, const char *p)
{
	if (p == name)
		return false;
	if (follows(name, p, "::"))
		return strncmp(p, "<impl ", 6) != 0 && p - name > 2;
	if (follows_operator(name, p))
		return false;
	return is_word(p[-1]) || follows_signs(name, p);
}

/* Appends `name` with every list of arguments emptied. */
static void put_short(struct buf *out, const char *name)
{
	for (const char *p = name; *p;) {
		const char *end = *p == '<' && begins_arguments(name, p) ? arguments_end(p) : NULL;

		if (end) {
			buf_bytes(out, "<>", 2);
			p = end;
		} else {
			buf_u8(out, (uint8_t)*p++);
		}
	}
}

/* What compilers append: gcc's and clang's names of clones and parts, each with numbers. */
static const char *const suffixes[] = {
	".cold", ".part", ".constprop", ".isra",     ".lto_priv", ".localalias",
	".llvm", ".warm", ".hot",       ".unlikely", ".startup",  ".exit",
};

static size_t suffix_len(const char *p)
{
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t len = strlen(suffixes[i]);

		if (strncmp(p, suffixes[i], len) != 0)
			continue;
		while (p[len] == '.' && isdigit((unsigned char)p[len + 1]))
			len += 1 + strspn(p + len + 1, "0123456789");
		if (!p[len] || p[len] == '.')
			return len;
	}
	return 0;
}

/* The length of the name without the suffixes at its end. */
static size_t stem_len(const char *name)
{
	for (const char *p = name + (*name != 0); (p = strchr(p, '.')); p++) {
		const char *end = p;
		size_t len;

		while ((len = suffix_len(end)))
			end += len;
		if (end > p && !*end)
			return (size_t)(p - name);
	}
	return strlen(name);
}

char *displayname(const struct displayname *opt, const char *name, const char *file, uint32_t line)
{
	struct buf out = { 0 };

	if (!opt->short_templates && !opt->fold_clones && !(opt->lines && file))
		return NULL;
	if (opt->short_templates)
		put_short(&out, name);
	else
		buf_bytes(&out, name, strlen(name));
	buf_u8(&out, 0);
	if (opt->fold_clones)
		out.data[stem_len((char *)out.data)] = 0;
	if (!opt->lines || !file)
		return (char *)out.data;
	_cleanup_free_ char *stem = (char *)out.data;
	const char *slash = strrchr(file, '/');

	return xasprintf("%s (%s:%" PRIu32 ")", stem, slash ? slash + 1 : file, line);
}
