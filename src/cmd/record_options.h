/* The command line of `singe record`. */
#ifndef CMD_RECORD_OPTIONS_H
#define CMD_RECORD_OPTIONS_H

#include "base/codec.h"
#include "capture/session.h"

struct record_options {
	struct session_request session;
	const char *name;   /* --name; NULL: none */
	bool wait;          /* --wait */
	char *const *argv;  /* the command; NULL: none */
	const char *output; /* "-": standard output */
	enum codec codec;
	bool resolve;
	bool verbose, quiet;
	bool help, version;
};

/* The error is one of usage. Strings are those of argv. */
ERR_CHECK struct err *record_options_parse(struct record_options *o, int argc, char **argv);
void record_options_deinit(struct record_options *o);
extern const char record_usage[];

#endif
