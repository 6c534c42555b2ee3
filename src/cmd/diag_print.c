/* In: diagnostics. Out: one line each. */
#include "cmd/diag_print.h"

#include <inttypes.h>

static void print_clean(FILE *out, const char *text)
{
	for (const char *p = text; *p; p++)
		fputc((unsigned char)*p < 0x20 || *p == 0x7f ? '?' : *p, out);
}

void diag_print(FILE *out, const struct diag *d, const char *program, bool verbose, size_t *from)
{
	for (; *from < d->entries.n; (*from)++) {
		const struct diag_entry *e = &d->entries.v[*from];

		if (e->level == DIAG_DETAIL && !verbose)
			continue;
		fprintf(out, "%s: %s", program, e->level == DIAG_WARNING ? "warning: " : "");
		print_clean(out, e->text);
		if (e->count > 1)
			fprintf(out, " (%" PRIu64 " times)", e->count);
		fputc('\n', out);
	}
}

void diag_print_err(FILE *out, const char *program, const struct err *err)
{
	fprintf(out, "%s: ", program);
	print_clean(out, err_msg(err));
	fputc('\n', out);
}
