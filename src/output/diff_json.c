/* In: a difference. Out: JSON for scripts. */
#include "config.h"
#include "output/diff_output.h"
#include "output/json.h"

static void put_share(struct json *j, const struct diff_value *v, enum diff_side side)
{
	json_open(j, '{');
	json_key_double(j, "percent", 100 * v->share[side], 4);
	json_key_double(j, "low", 100 * v->range[side].low, 4);
	json_key_double(j, "high", 100 * v->range[side].high, 4);
	json_key_u64(j, "samples", v->samples[side]);
	json_close(j, '}');
}

static void put_value(struct json *j, const char *key, const struct diff_value *v)
{
	json_key_open(j, key, '{');
	json_key(j, "before");
	put_share(j, v, DIFF_BEFORE);
	json_key(j, "after");
	put_share(j, v, DIFF_AFTER);
	json_key_double(j, "change", 100 * diff_change(v), 4);
	json_key_double(j, "change_low", 100 * diff_change_range(v).low, 4);
	json_key_double(j, "change_high", 100 * diff_change_range(v).high, 4);
	json_key_double(j, "p", v->p, 12);
	json_key(j, "significant");
	json_bool(j, v->significant);
	json_close(j, '}');
}

static void put_functions(struct json *j, const struct diff *d)
{
	json_line(j);
	json_key_open(j, "functions", '[');
	for (size_t i = 0; i < d->changes.n; i++) {
		const struct diff_function *f = &d->changes.v[i];
		const struct func *func = &d->tree->funcs.v[d->functions.v.v[f->function].func];

		json_line(j);
		json_open(j, '{');
		json_key_str(j, "name", func->name);
		json_key_str(j, "kind", json_kind((enum origin)func->origin));
		json_key_str(j, "binary",
			     binary_name(binaries_get(&d->data->binaries, func->binary)));
		put_value(j, "total", &f->total);
		put_value(j, "self", &f->self);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_nodes(struct json *j, const struct diff *d)
{
	json_line(j);
	json_key_open(j, "nodes", '[');
	for (size_t i = 0; i < d->tree->nodes.n; i++) {
		const struct callnode *n = &d->tree->nodes.v[i];
		const struct func *func = &d->tree->funcs.v[n->func];

		json_line(j);
		json_open(j, '{');
		json_key(j, "parent");
		if (i)
			json_u64(j, n->parent);
		else
			json_null(j);
		json_key_str(j, "name", func->name);
		put_value(j, "total", &d->nodes[i]);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void put_side(struct json *j, const struct diff_context *ctx, enum diff_side side)
{
	json_open(j, '{');
	json_key_str(j, "about", ctx->about[side]);
	json_key_double(j, "weight", ctx->diff->whole[side], 0);
	json_key_u64(j, "samples", ctx->diff->samples[side]);
	json_close(j, '}');
}

static struct err *diff_json_write(const struct diff_context *ctx, FILE *out)
{
	const struct diff *d = ctx->diff;
	struct json j;

	json_begin(&j, out);
	json_open(&j, '{');
	json_key_str(&j, "format", "singe-diff");
	json_key_u64(&j, "version", 1);
	json_key_str(&j, "generator", PACKAGE_NAME " " PACKAGE_VERSION);
	if (ctx->title)
		json_key_str(&j, "title", ctx->title);
	json_key_str(&j, "unit", ctx->unit);
	json_key_str(&j, "per", ctx->per);
	json_key_str(&j, "test", diff_test_name(d));
	json_key_double(&j, "false_discovery_rate", DIFF_FALSE_RATE, 4);
	json_line(&j);
	json_key(&j, "before");
	put_side(&j, ctx, DIFF_BEFORE);
	json_key(&j, "after");
	put_side(&j, ctx, DIFF_AFTER);
	put_value(&j, "whole", &d->nodes[0]);
	put_functions(&j, d);
	put_nodes(&j, d);
	json_close(&j, '}');
	json_end(&j);
	return output_finish(out, "json");
}

const struct diff_output diff_json_output = {
	.name = "json",
	.suffix = ".json",
	.what = "for scripts",
	.write = diff_json_write,
};
