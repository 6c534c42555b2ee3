/* In: an event as users type it. Out: type, config and modifiers for perf_event_open(2), or an
 * error that names the events nearest to what was typed. */
#include "perf/event.h"

#include <linux/perf_event.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"

/* Name, the name it is an alias of (or itself), type, config. Names as perf-list(1) has them. */
#define EVENTS(ROW)                                                                                \
	ROW("cycles", "cycles", HARDWARE, HW_CPU_CYCLES)                                           \
	ROW("cpu-cycles", "cycles", HARDWARE, HW_CPU_CYCLES)                                       \
	ROW("instructions", "instructions", HARDWARE, HW_INSTRUCTIONS)                             \
	ROW("cache-references", "cache-references", HARDWARE, HW_CACHE_REFERENCES)                 \
	ROW("cache-misses", "cache-misses", HARDWARE, HW_CACHE_MISSES)                             \
	ROW("branches", "branches", HARDWARE, HW_BRANCH_INSTRUCTIONS)                              \
	ROW("branch-instructions", "branches", HARDWARE, HW_BRANCH_INSTRUCTIONS)                   \
	ROW("branch-misses", "branch-misses", HARDWARE, HW_BRANCH_MISSES)                          \
	ROW("bus-cycles", "bus-cycles", HARDWARE, HW_BUS_CYCLES)                                   \
	ROW("ref-cycles", "ref-cycles", HARDWARE, HW_REF_CPU_CYCLES)                               \
	ROW("cpu-clock", "cpu-clock", SOFTWARE, SW_CPU_CLOCK)                                      \
	ROW("task-clock", "task-clock", SOFTWARE, SW_TASK_CLOCK)                                   \
	ROW("page-faults", "page-faults", SOFTWARE, SW_PAGE_FAULTS)                                \
	ROW("faults", "page-faults", SOFTWARE, SW_PAGE_FAULTS)                                     \
	ROW("minor-faults", "minor-faults", SOFTWARE, SW_PAGE_FAULTS_MIN)                          \
	ROW("major-faults", "major-faults", SOFTWARE, SW_PAGE_FAULTS_MAJ)                          \
	ROW("context-switches", "context-switches", SOFTWARE, SW_CONTEXT_SWITCHES)                 \
	ROW("cs", "context-switches", SOFTWARE, SW_CONTEXT_SWITCHES)                               \
	ROW("cpu-migrations", "cpu-migrations", SOFTWARE, SW_CPU_MIGRATIONS)                       \
	ROW("migrations", "cpu-migrations", SOFTWARE, SW_CPU_MIGRATIONS)                           \
	ROW("alignment-faults", "alignment-faults", SOFTWARE, SW_ALIGNMENT_FAULTS)                 \
	ROW("emulation-faults", "emulation-faults", SOFTWARE, SW_EMULATION_FAULTS)

#define EVENT_NAME(name, as, type, config) name,
#define EVENT_ROW(name, as, type, config) { as, PERF_TYPE_##type, PERF_COUNT_##config },

const char *const event_names[] = { EVENTS(EVENT_NAME) NULL };

static const struct {
	const char *as;
	uint32_t type;
	uint64_t config;
} rows[] = { EVENTS(EVENT_ROW) };

enum { N_EVENTS = sizeof(rows) / sizeof(rows[0]), NAME_MAX_LEN = 40 };

/* Levenshtein distance; both strings at most NAME_MAX_LEN bytes. */
static unsigned int distance(const char *a, const char *b)
{
	unsigned int row[NAME_MAX_LEN + 1];
	size_t len = strlen(b);

	for (unsigned int j = 0; j <= len; j++)
		row[j] = j;
	for (unsigned int i = 1; a[i - 1]; i++) {
		unsigned int diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= len; j++) {
			unsigned int best = diagonal + (a[i - 1] != b[j - 1]);

			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			diagonal = row[j];
			row[j] = best;
		}
	}
	return row[len];
}

static bool is_near(const char *typed, const char *name)
{
	size_t len = strlen(typed);

	if (len < 2 || len > NAME_MAX_LEN)
		return false;
	return distance(typed, name) <= len / 3 || (len > 2 && strstr(name, typed));
}

/* ", "-joined names, all of them where none is near. */
static char *near_names(const char *typed)
{
	struct buf b = { 0 };

	for (int all = 0; all <= 1 && !b.len; all++) {
		for (size_t i = 0; i < N_EVENTS; i++) {
			if (!all && !is_near(typed, event_names[i]))
				continue;
			if (b.len)
				buf_bytes(&b, ", ", 2);
			buf_bytes(&b, event_names[i], strlen(event_names[i]));
		}
	}
	buf_u8(&b, 0);
	return (char *)b.data;
}

static struct err *bad_modifier(const char *text)
{
	return err_new("event \"%s\": modifiers are u (user), k (kernel) and p, pp, ppp (precise)",
		       text);
}

/* perf-list(1), "EVENT MODIFIERS": with u or k only the named parts are counted. */
static struct err *parse_modifiers(const char *text, const char *mods, struct event_spec *spec)
{
	bool user = false, kernel = false;

	if (!*mods)
		return bad_modifier(text);
	for (; *mods; mods++) {
		if (*mods == 'u' && !user)
			user = true;
		else if (*mods == 'k' && !kernel)
			kernel = true;
		else if (*mods == 'p' && spec->precise < 3)
			spec->precise++;
		else
			return bad_modifier(text);
	}
	spec->exclude_user = kernel && !user;
	spec->exclude_kernel = user && !kernel;
	return NULL;
}

static int find_event(const char *name)
{
	for (int i = 0; i < N_EVENTS; i++)
		if (!strcmp(event_names[i], name))
			return i;
	return -1;
}

struct err *event_parse(const char *text, struct event_spec *ret)
{
	size_t len = strcspn(text, ":");
	_cleanup_free_ char *name = xstrndup(text, len);
	int at = find_event(name);

	if (at < 0) {
		_cleanup_free_ char *near = near_names(name);

		return err_new("no event \"%s\"; events are named like %s", text, near);
	}
	struct event_spec spec = {
		.type = rows[at].type,
		.config = rows[at].config,
		.is_clock = rows[at].type == PERF_TYPE_SOFTWARE &&
			    (rows[at].config == PERF_COUNT_SW_CPU_CLOCK ||
			     rows[at].config == PERF_COUNT_SW_TASK_CLOCK),
	};

	spec.unit = spec.is_clock ? "ns" : "events";
	if (text[len])
		TRY(parse_modifiers(text, text + len + 1, &spec));
	/* At most five modifiers passed the check above, so the name fits. */
	_cleanup_free_ char *full = xasprintf("%s%s", rows[at].as, text + len);

	memcpy(spec.name, full, strlen(full) + 1);
	*ret = spec;
	return NULL;
}
