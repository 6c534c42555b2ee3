/* In: a name. Out: the output of that name; words that all of them use. */
#include "output/diff_output.h"

#include <string.h>

const struct diff_output *const diff_outputs[] = {
	&diff_text_output,   &diff_svg_output,  &diff_html_output,
	&diff_folded_output, &diff_json_output, NULL,
};

const struct diff_output *diff_output_find(const char *name)
{
	for (size_t i = 0; diff_outputs[i]; i++)
		if (!strcmp(diff_outputs[i]->name, name))
			return diff_outputs[i];
	return NULL;
}

const struct diff_output *diff_output_by_suffix(const char *path)
{
	size_t len = strlen(path);

	for (size_t i = 0; diff_outputs[i]; i++) {
		size_t n = strlen(diff_outputs[i]->suffix);

		if (len > n && !strcmp(path + len - n, diff_outputs[i]->suffix))
			return diff_outputs[i];
	}
	return NULL;
}

const char *diff_test_name(const struct diff *d)
{
	if (d->by_welch)
		return "Welch's t-test";
	return d->per_amount ? "binomial test of two rates" : "two-proportion z-test";
}

double diff_share_margin(const struct diff_value *v, enum diff_side side)
{
	return 100 * diff_margin(v->share[side], v->range[side]);
}

double diff_change_margin(const struct diff_value *v)
{
	return 100 * diff_margin(diff_change(v), diff_change_range(v));
}
