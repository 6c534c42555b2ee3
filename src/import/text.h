/* Stacks as text: what `perf script` prints, or folded stacks ("a;b;c 12"), told apart by their
 * first lines. A stream of any length: memory goes with distinct names and stacks.
 *
 * Names are those of the text, in binaries of BINARY_KIND_TEXT (see textplaces.h). Where the text
 * does not say a process or a thread, its number is UINT32_MAX. */
#ifndef IMPORT_TEXT_H
#define IMPORT_TEXT_H

#include "base/diag.h"
#include "sample/dataset.h"

/* `fd` stays the caller's and must outlive the source. Events are known after the first batch. An
 * error is text of another kind. Lines that make no sense are counted and reported. */
ERR_CHECK struct err *text_open(int fd, struct dataset *data, struct diag *diag,
				struct source **ret);
/* Leaves the 'L' of Java's classes in names of perf script's ("Ljava/lang/Object"), as
 * stackcollapse-perf.pl does with --pid and --tid. Before the first batch. */
void text_keep_java(struct source *src);

#endif
