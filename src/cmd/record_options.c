/* In: words as typed. Out: what to record, how, and where to. */
#include "cmd/record_options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

const char record_usage[] =
	"usage: singe record [OPTIONS] -p PID | -t TID | -a | -u USER | --name NAME | -- COMMAND "
	"ARGS\n"
	"\n"
	"Whom:\n"
	"  -p, --pid PID[,PID…]     processes, their threads and children\n"
	"  -t, --tid TID[,TID…]     threads, and the threads they make\n"
	"  -a, --all-cpus           the whole system\n"
	"  -C, --cpu LIST           only these CPUs (0-3,7); the whole system if nothing else is "
	"said\n"
	"  -u, --uid USER           every process of a user (name or number)\n"
	"      --name NAME          every process of that name\n"
	"      --wait               with --name: wait until there is one\n"
	"  -- COMMAND ARGS          run the command; with -p, -t, -a or -u: as long as it runs\n"
	"What:\n"
	"  -e, --event EVENT[,…]    cycles, cpu-clock, task-clock, page-faults …, with :u or :k\n"
	"  -F, --freq HZ            samples a second and CPU, or max (default 999)\n"
	"  -c, --period N           a sample every N events (ns for clocks)\n"
	"  -g                       call chains, as --call-graph; a mode may follow\n"
	"      --call-graph MODE    auto[,BYTES] (default): by CFI from a copy of BYTES of stack\n"
	"                           (16384), its tail by frame pointers; dwarf[,BYTES]: by CFI\n"
	"                           alone; fp: by frame pointers; none\n"
	"      --keep-stacks        keep the copies of stacks in the file: a report unwinds anew\n"
	"      --unwinder ENGINE    rows (default) or libunwind: what walks the stacks\n"
	"      --idle               with -a: keep the idle task\n"
	"  -i, --no-inherit         leave out children and new threads\n"
	"How long, and where to:\n"
	"  -d, --duration SECONDS   end after this time\n"
	"      --count N            end after this many samples\n"
	"  -o, --output FILE        default singe.rec (an older one is kept as .old); - for a "
	"pipe\n"
	"How:\n"
	"      --attach MODE        threads, system or auto (default)\n"
	"  -m, --mmap-size SIZE     of each CPU's ring: pages, or with K, M, G\n"
	"      --no-resolve         leave names out of the file\n"
	"      --compress CODEC     zlib (default), zstd or none\n"
	"  -v, --verbose            say more\n"
	"  -q, --quiet              say nothing but errors\n"
	"  -h, --help               this text\n"
	"      --version            the version\n";

enum {
	OPT_NAME = 256,
	OPT_WAIT,
	OPT_CALL_GRAPH,
	OPT_IDLE,
	OPT_COUNT,
	OPT_ATTACH,
	OPT_NO_RESOLVE,
	OPT_COMPRESS,
	OPT_UNWINDER,
	OPT_KEEP_STACKS,
	OPT_VERSION,
};

static const char short_options[] = "+:p:t:aC:u:e:F:c:gid:o:m:vqh";
static const struct option long_options[] = {
	{ "pid", required_argument, NULL, 'p' },
	{ "tid", required_argument, NULL, 't' },
	{ "all-cpus", no_argument, NULL, 'a' },
	{ "cpu", required_argument, NULL, 'C' },
	{ "uid", required_argument, NULL, 'u' },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "wait", no_argument, NULL, OPT_WAIT },
	{ "event", required_argument, NULL, 'e' },
	{ "freq", required_argument, NULL, 'F' },
	{ "period", required_argument, NULL, 'c' },
	{ "call-graph", required_argument, NULL, OPT_CALL_GRAPH },
	{ "idle", no_argument, NULL, OPT_IDLE },
	{ "no-inherit", no_argument, NULL, 'i' },
	{ "duration", required_argument, NULL, 'd' },
	{ "count", required_argument, NULL, OPT_COUNT },
	{ "output", required_argument, NULL, 'o' },
	{ "attach", required_argument, NULL, OPT_ATTACH },
	{ "mmap-size", required_argument, NULL, 'm' },
	{ "no-resolve", no_argument, NULL, OPT_NO_RESOLVE },
	{ "compress", required_argument, NULL, OPT_COMPRESS },
	{ "verbose", no_argument, NULL, 'v' },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ "keep-stacks", no_argument, NULL, OPT_KEEP_STACKS },
	{ "unwinder", required_argument, NULL, OPT_UNWINDER },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ NULL, 0, NULL, 0 },
};

static struct err *parse_number(const char *what, const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	unsigned long long v = strtoull(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || errno || !v)
		return err_new("%s: '%s' is not a number above 0", what, text);
	*ret = v;
	return NULL;
}

static struct err *parse_seconds(const char *text, uint64_t *ret)
{
	static const double longest = 1e9; /* thirty years */
	char *end;
	double v = strtod(text, &end);

	if (!(isdigit((unsigned char)*text) || *text == '.') || *end || !(v > 0) || v > longest)
		return err_new("-d: '%s' is not a time in seconds", text);
	*ret = (uint64_t)(v * 1e9) + 1;
	return NULL;
}

/* "64": pages, as perf has it; "4M": bytes. */
static struct err *parse_size(const char *text, uint64_t *ret)
{
	static const char units[] = "KMG";
	_cleanup_free_ char *digits = xstrdup(text);
	size_t len = strlen(digits);
	const char *unit = len ? strchr(units, toupper((unsigned char)digits[len - 1])) : NULL;
	uint64_t factor = (uint64_t)sysconf(_SC_PAGESIZE);

	if (unit) {
		digits[len - 1] = '\0';
		factor = UINT64_C(1) << (10 * (unit - units + 1));
	}
	TRY(parse_number("-m", digits, ret));
	if (*ret > (UINT64_C(1) << 34) / factor)
		return err_new("-m: %s is more than a ring can have", text);
	*ret *= factor;
	return NULL;
}

static struct err *parse_events(struct session_request *s, const char *list)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *save = NULL;

	for (char *one = strtok_r(copy, ",", &save); one; one = strtok_r(NULL, ",", &save)) {
		if (s->n_events == ATTACH_EVENTS_MAX)
			return err_new("-e: more than %d events", ATTACH_EVENTS_MAX);
		TRY(event_parse(one, &s->events[s->n_events]));
		s->n_events++;
	}
	return s->n_events ? NULL : err_new("-e: no event in '%s'", list);
}

static bool is_mode(const char *word)
{
	static const char *const modes[] = { "none", "fp", "dwarf", "auto", "lbr" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		size_t len = strlen(modes[i]);

		if (!strncmp(word, modes[i], len) && (!word[len] || word[len] == ','))
			return true;
	}
	return false;
}

/* BYTES of "dwarf,BYTES": what the kernel takes, a multiple of 8 below 64 KiB. */
static struct err *parse_stack_bytes(const char *text, uint32_t *ret)
{
	enum { LEAST = 256, MOST = 65528 };
	uint64_t n = 0;

	TRY(parse_number("--call-graph", text, &n));
	if (n < LEAST || n > MOST)
		return err_new("--call-graph: %s bytes of stack: from %d to %d can be copied", text,
			       LEAST, MOST);
	*ret = (uint32_t)n & ~7U;
	return NULL;
}

static struct err *parse_callgraph(struct record_options *o, const char *mode)
{
	static const char *const modes[] = {
		[CALLGRAPH_NONE] = "none",
		[CALLGRAPH_FP] = "fp",
		[CALLGRAPH_DWARF] = "dwarf",
		[CALLGRAPH_AUTO] = "auto",
	};
	enum { STACK_BYTES = 16384 };
	size_t len = strcspn(mode, ",");

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (strlen(modes[i]) != len || strncmp(mode, modes[i], len) != 0)
			continue;
		o->session.callgraph = i;
		o->session.stack_bytes = STACK_BYTES;
		if (!mode[len])
			return NULL;
		if (i == CALLGRAPH_NONE || i == CALLGRAPH_FP)
			return err_new("--call-graph %s takes no size", modes[i]);
		return parse_stack_bytes(mode + len + 1, &o->session.stack_bytes);
	}
	return err_new("call graph mode '%s' is not known: auto, dwarf, fp and none are", mode);
}

static struct err *parse_engine(const char *text, enum unwind_engine *ret)
{
	bool rows = !strcmp(text, "rows");

	if (!rows && strcmp(text, "libunwind") != 0)
		return err_new("--unwinder: '%s' is neither rows nor libunwind", text);
	*ret = rows ? ENGINE_ROWS : ENGINE_LIBUNWIND;
	return NULL;
}

static struct err *parse_attach(const char *text, enum attach_mode *ret)
{
	static const char *const modes[] = { "auto", "threads", "system" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		if (!strcmp(text, modes[i])) {
			*ret = (enum attach_mode)i;
			return NULL;
		}
	}
	return err_new("--attach: '%s' is none of threads, system, auto", text);
}

static struct err *parse_rate(struct session_request *s, int option, const char *text)
{
	if (s->rate)
		return err_new("-F and -c exclude each other, and one of them is enough");
	s->is_freq = option == 'F';
	if (s->is_freq && !strcmp(text, "max")) {
		s->rate = UINT64_MAX;
		return NULL;
	}
	return parse_number(s->is_freq ? "-F" : "-c", text, &s->rate);
}

static struct err *parse_target(struct record_options *o, int option, const char *text)
{
	struct target *t = &o->session.target;

	if (option == 'C')
		return target_parse_cpus(t, text);
	if (t->kind != TARGET_NONE && !(option == 'p' && t->kind == TARGET_PIDS && !o->name) &&
	    !(option == 't' && t->kind == TARGET_TIDS))
		return err_new("-p, -t, -a, -u and --name exclude each other");
	switch (option) {
	case 'p':
		return target_parse_ids(t, TARGET_PIDS, text);
	case 't':
		return target_parse_ids(t, TARGET_TIDS, text);
	case 'u':
		return target_parse_user(t, text);
	case 'a':
		t->kind = TARGET_ALL;
		return NULL;
	default:
		o->name = text;
		t->kind = TARGET_PIDS;
		return NULL;
	}
}

static struct err *parse_flag(struct record_options *o, int option)
{
	switch (option) {
	case OPT_WAIT:
		o->wait = true;
		return NULL;
	case OPT_IDLE:
		o->session.idle = true;
		return NULL;
	case OPT_KEEP_STACKS:
		o->session.keep_stacks = true;
		return NULL;
	case 'i':
		o->session.inherit = false;
		return NULL;
	case OPT_NO_RESOLVE:
		o->resolve = false;
		return NULL;
	case 'v':
		o->verbose = true;
		return NULL;
	case 'q':
		o->quiet = true;
		return NULL;
	case 'h':
		o->help = true;
		return NULL;
	default:
		o->version = true;
		return NULL;
	}
}

static struct err *parse_option(struct record_options *o, int option, const char *text)
{
	switch (option) {
	case 'p':
	case 't':
	case 'a':
	case 'C':
	case 'u':
	case OPT_NAME:
		return parse_target(o, option, text);
	case 'e':
		return parse_events(&o->session, text);
	case 'F':
	case 'c':
		return parse_rate(&o->session, option, text);
	case OPT_CALL_GRAPH:
		return parse_callgraph(o, text);
	case 'd':
		return parse_seconds(text, &o->session.duration_ns);
	case OPT_COUNT:
		return parse_number("--count", text, &o->session.max_samples);
	case 'o':
		o->output = text;
		return NULL;
	case OPT_UNWINDER:
		return parse_engine(text, &o->session.engine);
	case OPT_ATTACH:
		return parse_attach(text, &o->session.attach);
	case 'm':
		return parse_size(text, &o->session.ring_bytes);
	case OPT_COMPRESS:
		return codec_parse(text, &o->codec);
	default:
		return parse_flag(o, option);
	}
}

/* What the options leave open, and what does not go together. */
static struct err *complete(struct record_options *o)
{
	static const uint64_t default_hz = 999; /* not in step with what happens 1,000 times */
	struct session_request *s = &o->session;

	if (s->target.kind == TARGET_NONE && o->argv)
		s->target.kind = TARGET_COMMAND;
	if (s->target.kind == TARGET_NONE && s->target.cpus.n)
		s->target.kind = TARGET_ALL;
	if (s->target.kind == TARGET_NONE)
		return err_new("whom to record? -p PID, -a, or -- COMMAND");
	if (o->wait && !o->name)
		return err_new("--wait goes with --name");
	if (s->idle && s->target.kind != TARGET_ALL)
		return err_new("--idle goes with -a");
	if (!s->rate) {
		s->is_freq = true;
		s->rate = default_hz;
	}
	if (!s->n_events) {
		s->default_event = true;
		TRY(parse_events(s, "cycles"));
	}
	s->stext = o->resolve;
	return NULL;
}

struct err *record_options_parse(struct record_options *o, int argc, char **argv)
{
	int option;

	*o = (struct record_options){
		.session = { .inherit = true },
		.output = "singe.rec",
		.codec = CODEC_ZLIB,
		.resolve = true,
	};
	TRY(parse_callgraph(o, "auto"));
	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		if (option == ':')
			return err_new("%s needs a value", argv[optind - 1]);
		if (option == '?')
			return err_new("there is no option %s", argv[optind - 1]);
		if (option == 'g') {
			bool named = optind < argc && is_mode(argv[optind]);

			TRY(parse_callgraph(o, named ? argv[optind++] : "auto"));
			continue;
		}
		TRY(parse_option(o, option, optarg));
	}
	if (optind < argc)
		o->argv = argv + optind;
	return o->help || o->version ? NULL : complete(o);
}

void record_options_deinit(struct record_options *o)
{
	target_deinit(&o->session.target);
}
