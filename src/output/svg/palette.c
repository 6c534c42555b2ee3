/* In: a palette's name, a frame's origin and name. Out: CSS classes and the rules that colour them.
 */
#include "output/svg/palette.h"

#include <stdint.h>
#include <string.h>

#include "base/table.h"

/* Shades run evenly from the first colour to the second. */
struct range {
	uint32_t light[2], dark[2];
};

struct palette {
	const char *name;
	bool legend;
	struct range by_origin[PALETTE_ORIGINS];
};

static const struct {
	char letter;
	const char *name;
} origins[PALETTE_ORIGINS] = {
	[ORIGIN_GROUP] = { 'g', "process" }, [ORIGIN_KERNEL] = { 'k', "kernel" },
	[ORIGIN_USER] = { 'u', "program" },  [ORIGIN_LIBRARY] = { 'l', "library" },
	[ORIGIN_JIT] = { 'j', "JIT" },       [ORIGIN_UNKNOWN] = { 'x', "unknown" },
};

#define GREY                                                                                       \
	{                                                                                          \
		{ 0xdcdfe4, 0xcdd2d9 },                                                            \
		{                                                                                  \
			0x3a404a, 0x454c57                                                         \
		}                                                                                  \
	}
#define SLATE                                                                                      \
	{                                                                                          \
		{ 0xd3dae4, 0xc3ccd9 },                                                            \
		{                                                                                  \
			0x39434f, 0x434f5d                                                         \
		}                                                                                  \
	}
#define WARM                                                                                       \
	{                                                                                          \
		{ 0xfbd38a, 0xef8a62 },                                                            \
		{                                                                                  \
			0x8a5f1c, 0x913f24                                                         \
		}                                                                                  \
	}
#define INK                                                                                        \
	{                                                                                          \
		{ 0xd6deea, 0xb3c0d4 },                                                            \
		{                                                                                  \
			0x33404f, 0x475a70                                                         \
		}                                                                                  \
	}

/* "safe" keeps to the hues of Okabe and Ito, which every common kind of colour blindness tells
 * apart, and to steps in lightness. */
static const struct palette palettes[] = {
	{ "origin",
	  true,
	  { [ORIGIN_GROUP] = SLATE,
	    [ORIGIN_KERNEL] = { { 0xb9c6f5, 0xa2b0ec }, { 0x3d4b86, 0x4a559c } },
	    [ORIGIN_USER] = { { 0xf9b18e, 0xf0957a }, { 0x8f4a2c, 0x9a3f35 } },
	    [ORIGIN_LIBRARY] = { { 0xfae0a0, 0xf3cb78 }, { 0x77591b, 0x80641f } },
	    [ORIGIN_JIT] = { { 0xb4e0bd, 0x93d0a8 }, { 0x2b6443, 0x2f7352 } },
	    [ORIGIN_UNKNOWN] = GREY } },
	{ "safe",
	  true,
	  { [ORIGIN_GROUP] = SLATE,
	    [ORIGIN_KERNEL] = { { 0x7cc3ee, 0x64b4e6 }, { 0x1d5f92, 0x15527f } },
	    [ORIGIN_USER] = { { 0xf0b040, 0xe69f1f }, { 0x7d4c00, 0x6e4200 } },
	    [ORIGIN_LIBRARY] = { { 0xf7f0a0, 0xf0e670 }, { 0x857d34, 0x787028 } },
	    [ORIGIN_JIT] = { { 0x54c3a0, 0x3ab08b }, { 0x00664b, 0x00573f } },
	    [ORIGIN_UNKNOWN] = GREY } },
	{ "hot", false, { WARM, WARM, WARM, WARM, WARM, WARM } },
	{ "mono", false, { INK, INK, INK, INK, INK, INK } },
};

const struct palette *palette_find(const char *name)
{
	for (size_t i = 0; i < sizeof(palettes) / sizeof(palettes[0]); i++)
		if (!strcmp(palettes[i].name, name))
			return &palettes[i];
	return NULL;
}

bool palette_has_legend(const struct palette *p)
{
	return p->legend;
}

const char *palette_origin_name(enum origin origin)
{
	return origins[origin].name;
}

void palette_class(enum origin origin, const char *name, char ret[3])
{
	ret[0] = origins[origin].letter;
	ret[1] = (char)('0' + hash_str(name) % PALETTE_SHADES);
	ret[2] = '\0';
}

static uint32_t mix(const uint32_t range[2], int shade)
{
	uint32_t rgb = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		int from = range[0] >> shift & 0xff, to = range[1] >> shift & 0xff;

		rgb = rgb << 8 | (uint32_t)(from + (to - from) * shade / (PALETTE_SHADES - 1));
	}
	return rgb;
}

static void put_rules(const struct palette *p, bool dark, struct buf *css)
{
	for (int origin = 0; origin < PALETTE_ORIGINS; origin++) {
		const struct range *r = &p->by_origin[origin];

		for (int shade = 0; shade < PALETTE_SHADES; shade++) {
			char rule[32];
			int len = snprintf(rule, sizeof(rule), ".%c%d{fill:#%06x}",
					   origins[origin].letter, shade,
					   (unsigned int)mix(dark ? r->dark : r->light, shade));

			buf_bytes(css, rule, (size_t)len);
		}
		buf_u8(css, '\n');
	}
}

void palette_css(const struct palette *p, struct buf *css)
{
	static const char media[] = "@media (prefers-color-scheme:dark){\n";

	put_rules(p, false, css);
	buf_bytes(css, media, sizeof(media) - 1);
	put_rules(p, true, css);
	buf_bytes(css, "}\n", 2);
}

/* From slight to total. */
static const struct {
	char letter;
	struct range range;
} changes[] = {
	{ 'r', { { 0xf9d6cc, 0xe5503a }, { 0x5c3a33, 0xb8402c } } },
	{ 'b', { { 0xcfe0f3, 0x3f86cc }, { 0x33465c, 0x2f6cab } } },
	{ 'n', GREY },
};

static void put_change_rules(bool dark, struct buf *css)
{
	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		const struct range *r = &changes[i].range;

		for (int shade = 0; shade < PALETTE_SHADES; shade++) {
			char rule[32];
			int len = snprintf(rule, sizeof(rule), ".%c%d{fill:#%06x}",
					   changes[i].letter, shade,
					   (unsigned int)mix(dark ? r->dark : r->light, shade));

			buf_bytes(css, rule, (size_t)len);
		}
		buf_u8(css, '\n');
	}
}

void palette_change_css(struct buf *css)
{
	static const char media[] = "@media (prefers-color-scheme:dark){\n";

	put_change_rules(false, css);
	buf_bytes(css, media, sizeof(media) - 1);
	put_change_rules(true, css);
	buf_bytes(css, "}\n", 2);
}

void palette_change_class(double change, char ret[3])
{
	double size = change < 0 ? -change : change;
	int shade = (int)(size * PALETTE_SHADES);

	ret[0] = change > 0 ? 'r' : change < 0 ? 'b' : 'n';
	ret[1] = (char)('0' + (shade < PALETTE_SHADES ? shade : PALETTE_SHADES - 1));
	ret[2] = '\0';
}
