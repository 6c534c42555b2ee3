/* Tagged fields {uleb tag, uleb length, value}, the form of what may grow, and the records of
 * binaries and threads. */
#ifndef RECORDING_FIELDS_H
#define RECORDING_FIELDS_H

#include "base/buf.h"
#include "base/cursor.h"
#include "base/err.h"
#include "sample/dataset.h"

void field_bytes(struct buf *b, uint32_t tag, const void *p, size_t len);
/* Left out where it is empty. */
void field_buf(struct buf *b, uint32_t tag, const struct buf *value);
void field_str(struct buf *b, uint32_t tag, const char *s);
/* Left out where it is zero. */
void field_uint(struct buf *b, uint32_t tag, uint64_t v);

/* Steps to the next field; false at the end or at damage (`c->failed`). */
bool field_next(struct cursor *c, uint64_t *ret_tag, struct cursor *ret_value);
/* A copy of the value as a string, in place of `*s`, which is freed. */
void field_take_str(struct cursor value, char **s);

/* Strings are a uleb length and bytes; what is longer than this is clipped when written. */
enum { RECORD_STR_MAX = 32768 };

void record_binary(struct buf *b, uint32_t id, const struct binary *binary);
/* `ret->path` is made (caller frees). False, and nothing made, if damaged. */
bool record_binary_read(struct cursor *c, uint32_t *ret_id, struct binary *ret);
void record_thread(struct buf *b, uint32_t id, const struct thread_entry *thread);
/* Both names are made (caller frees). False, and nothing made, if damaged. */
bool record_thread_read(struct cursor *c, uint32_t *ret_id, struct thread_entry *ret);

#endif
