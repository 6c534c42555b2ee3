/* In: `singe-report COMMAND …`, as the front door runs it. Out: the command's exit status. */
#include <stdio.h>
#include <string.h>

#include "cmd/diff.h"
#include "cmd/convert.h"
#include "cmd/info.h"
#include "cmd/report.h"
#include "cmd/resolve.h"

static const struct {
	const char *name;
	int (*main)(int argc, char **argv);
} commands[] = {
	{ "report", report_main }, { "info", info_main },       { "resolve", resolve_main },
	{ "diff", diff_main },     { "convert", convert_main },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(commands) / sizeof(*commands); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].main(argc - 1, argv + 1);
	return report_main(argc, argv);
}
