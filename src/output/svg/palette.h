/* Colours: a class a frame, one letter for the origin and one digit by the hash of the name, so
 * that a function has the same colour in every picture. */
#ifndef OUTPUT_SVG_PALETTE_H
#define OUTPUT_SVG_PALETTE_H

#include <stdbool.h>

#include "base/buf.h"
#include "profile/calltree.h"

enum { PALETTE_SHADES = 8, PALETTE_ORIGINS = ORIGIN_UNKNOWN + 1 };

struct palette;

/* NULL if there is none of that name. */
const struct palette *palette_find(const char *name);
/* Whether colours tell origins apart, so that a legend is of use. */
bool palette_has_legend(const struct palette *p);
/* Appends the CSS rules, light and dark, for the classes palette_class() gives. */
void palette_css(const struct palette *p, struct buf *css);
/* Two characters and a NUL. */
void palette_class(enum origin origin, const char *name, char ret[3]);
/* The same for changes: -1 (all gone) to 1 (all new); 0 is no change. Red is more, blue is less:
 * apart for the colour-blind as well. */
void palette_change_css(struct buf *css);
void palette_change_class(double change, char ret[3]);
/* "kernel", "library", … */
const char *palette_origin_name(enum origin origin);

#endif
