/* SPDX-License-Identifier: GPL-2.0-or-later */
/* team.h -- a few threads that do the pieces of one job together, again and again. */
#ifndef HELPERS_WORLD_FABRIC_TEAM_H
#define HELPERS_WORLD_FABRIC_TEAM_H

#include <stdint.h>

/* Which of the pieces; each is done once, by one thread. */
typedef void team_work(void *context, uint32_t piece);

struct team;
/* `threads`, the caller's among them. NULL: no memory, or the system gives no thread. */
struct team *team_new(unsigned threads, team_work *work, void *context);
/* All pieces 0 .. pieces - 1; when it returns they are done, and what each wrote is seen by all that follow. */
void team_do(struct team *t, uint32_t pieces);
void team_free(struct team *t);

#endif
