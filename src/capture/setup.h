/* The steps of session_create(), in their order. */
#ifndef CAPTURE_SETUP_H
#define CAPTURE_SETUP_H

#include "capture/session.h"

/* Which CPUs, and how large their rings. */
ERR_CHECK struct err *setup_rings(struct session *s);
/* What to open, then opening it. */
ERR_CHECK struct err *setup_events(struct session *s);
/* By the attrs as opened. */
void setup_unwinder(struct session *s);
/* Who is there already: mappings, names, openings; then what side-band has said since. */
ERR_CHECK struct err *setup_world(struct session *s);
/* Reads /proc/PID/maps into the world; what is mapped there already stays. */
void setup_read_maps(struct session *s, uint32_t pid);

#endif
