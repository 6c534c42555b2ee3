/* What the page is about, as bytes: doc/html-data.md. */
#ifndef OUTPUT_HTML_DATA_H
#define OUTPUT_HTML_DATA_H

#include "output/html.h"

/* Appends the data, not yet compressed. A tree whose leaves are known and whose profile kept its
 * samples comes with them; any other only with the weight of each node. */
void html_data_put(const struct output_context *ctx, const struct html_options *opt,
		   struct buf *ret);

#endif
