/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminate.h -- a Terminate, judged: its octets, and what it answers. */
#ifndef HELPERS_JUDGE_TERMINATE_H
#define HELPERS_JUDGE_TERMINATE_H

#include "helpers/judge/bench.h"

/* `m` is a Terminate of direction m->dir that was delivered, at this place. */
void terminate_judge(const struct judge_place *at, const struct decode_message *m);

#endif
