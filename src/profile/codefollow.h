/* A source whose stacks follow code over time: a frame in code that was replaced while it was
 * recorded becomes one of the generation that was there at its sample's time (codetimes.h). Stands
 * between a reader and whatever counts stacks. */
#ifndef PROFILE_CODEFOLLOW_H
#define PROFILE_CODEFOLLOW_H

#include "sample/dataset.h"

/* Takes `inner`, which must fill its dataset's codetimes before the samples they are about. */
struct source *codefollow_create(struct source *inner);

#endif
