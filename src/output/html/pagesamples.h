/* The samples of the page: those of a thread together, in order of time. */
#ifndef OUTPUT_HTML_PAGESAMPLES_H
#define OUTPUT_HTML_PAGESAMPLES_H

#include "output/html/pagecolumns.h"
#include "output/html/pagetree.h"

struct pagesamples {
	const struct profile *profile;
	VEC(uint32_t) threads; /* entries with samples, in the order of the columns */
	VEC(uint32_t) order;   /* indexes into profile->kept */
	uint32_t *stack; /* by index into profile->kept: node of the page; UINT32_MAX: left out */
};

enum { PAGE_TICK_NS = 1000 };

/* Whether weights of `event` are periods: as the profile has it for its own event, and by the same
 * rule for the others. */
bool pagesamples_by_period(const struct profile *p, uint32_t event);
void pagesamples_init(struct pagesamples *s, const struct calltree *from, const struct pagetree *p);
void pagesamples_deinit(struct pagesamples *s);
void pagesamples_put(const struct pagesamples *s, struct pagecolumns *c);

#endif
