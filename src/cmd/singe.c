/* In: `singe COMMAND …`. Out: the program that does it, run in this one's place. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/vec.h"
#include "cmd/flame.h"
#include "cmd/program.h"
#include "config.h"

struct command {
	const char *name;
	const char *program; /* gets the command's name as its first argument; NULL: built in */
	const char *what;
};

static const struct command commands[] = {
	{ "record", "singe-record", "sample a process, a command or the whole system" },
	{ "report", "singe-report",
	  "turn a recording into a table, folded stacks or a flame graph" },
	{ "flame", NULL, "record and draw flame.svg in one step" },
	{ "resolve", "singe-report", "find names that a recording lacks, and add them to it" },
	{ "info", "singe-report", "what is in a recording, and what is missing" },
	{ "diff", "singe-report", "what changed between recordings" },
	{ "convert", "singe-report", "other tools' files to recordings, and back; merge several" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(*commands))

static void usage(FILE *out)
{
	fputs("usage: singe COMMAND [OPTIONS]\n\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].what);
	fputs("\n`singe help COMMAND` explains one; `singe --version` names this build.\n", out);
}

static const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

/* Levenshtein's distance; words longer than the row are far from every command. */
static unsigned distance(const char *a, const char *b)
{
	unsigned row[16];
	size_t n = strlen(b);

	if (strlen(a) >= 16 || n >= 16)
		return 16;
	for (unsigned j = 0; j <= n; j++)
		row[j] = j;
	for (unsigned i = 0; a[i]; i++) {
		unsigned diagonal = row[0];

		row[0] = i + 1;
		for (size_t j = 0; j < n; j++) {
			unsigned change = diagonal + (a[i] != b[j]);
			unsigned step = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;

			diagonal = row[j + 1];
			row[j + 1] = change < step ? change : step;
		}
	}
	return row[n];
}

static int unknown(const char *name)
{
	const struct command *best = NULL;
	unsigned least = 3; /* two slips of the finger */

	for (size_t i = 0; i < N_COMMANDS; i++) {
		unsigned d = distance(name, commands[i].name);

		if (d < least) {
			least = d;
			best = &commands[i];
		}
	}
	fprintf(stderr, "singe: there is no command '%s'", name);
	if (best)
		fprintf(stderr, "; did you mean '%s'?", best->name);
	fputs("\n`singe help` lists them all.\n", stderr);
	return 2;
}

static int command_run(const struct command *c, int argc, char **argv)
{
	if (!c->program)
		return flame_main(argc, argv);
	_cleanup_free_ char *path = NULL;
	_cleanup_err_ struct err *err = program_find(c->program, &path);
	VEC(char *) args = { 0 };

	if (!err) {
		vec_push(&args, path);
		for (int i = 0; i <= argc; i++)
			vec_push(&args, argv[i]);
		execv(path, args.v);
		err = err_sys(errno, "cannot run %s", path);
		vec_deinit(&args);
	}
	fprintf(stderr, "singe: %s\n", err_msg(err));
	return 1;
}

/* The manual page on a terminal, where there is one; else the command's own --help. */
static int help(const char *name)
{
	const struct command *c = command_find(name);

	if (!c)
		return unknown(name);
	if (isatty(STDOUT_FILENO)) {
		_cleanup_free_ char *page = xasprintf("singe-%s", c->name);
		char *man[] = { (char *)"/usr/bin/man", page, NULL };
		int status = 1;
		struct err *err = access(man[0], X_OK) ? NULL : program_run(man, &status);

		err_destroy(err);
		if (!status)
			return 0;
	}
	char *argv[] = { (char *)c->name, (char *)"--help", NULL };

	return command_run(c, 2, argv);
}

int main(int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : "";

	if (!*word) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(word, "--version") || !strcmp(word, "-V") || !strcmp(word, "version")) {
		printf("singe %s\n", PACKAGE_VERSION);
		return 0;
	}
	bool asks = !strcmp(word, "--help") || !strcmp(word, "-h") || !strcmp(word, "help");

	if (asks && argc > 2)
		return help(argv[2]);
	if (asks) {
		usage(stdout);
		return 0;
	}
	const struct command *c = command_find(word);

	return c ? command_run(c, argc - 1, argv + 1) : unknown(word);
}
