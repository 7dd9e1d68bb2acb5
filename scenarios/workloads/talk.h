/* SPDX-License-Identifier: GPL-2.0-or-later */
/* talk.h -- who talks to whom, as functions of the configuration. */
#ifndef IW_SCENARIOS_TALK_H
#define IW_SCENARIOS_TALK_H

#include "scenarios/workloads/workload.h"

/* One pair: host 0 to host 1. */
uint32_t talks_one(const struct workload_conf *conf);
struct workload_pair talk_one(const struct workload_conf *conf, uint32_t pair);
/* Hosts 1 .. N-1, each with host 0; `from` is the one that posts. */
uint32_t talks_spokes(const struct workload_conf *conf);
struct workload_pair talk_to_hub(const struct workload_conf *conf, uint32_t pair);   /* i -> 0 */
struct workload_pair talk_from_hub(const struct workload_conf *conf, uint32_t pair); /* 0 -> i */
/* Each host to the next, round. */
uint32_t talks_each(const struct workload_conf *conf);
struct workload_pair talk_next(const struct workload_conf *conf, uint32_t pair);
/* Each host to another one: a single cycle through all hosts, drawn from (seed, repeat). */
struct workload_pair talk_drawn(const struct workload_conf *conf, uint32_t pair);
/* Each host to every other. */
uint32_t talks_all(const struct workload_conf *conf);
struct workload_pair talk_of_all(const struct workload_conf *conf, uint32_t pair);

#endif
