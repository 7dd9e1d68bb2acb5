/* SPDX-License-Identifier: GPL-2.0-or-later */
/* program.h -- the programs that run worlds: where they are, of which versions, on what machine. */
#ifndef HELPERS_CAMPAIGN_PROGRAM_H
#define HELPERS_CAMPAIGN_PROGRAM_H

#include "helpers/base/files.h"
#include "helpers/scenario/point.h"

/* The program that runs a world: this one, whatever its name, or one beside it. Its path. False: it is not there. */
bool world_program(enum point_world world, char path[PATH_LONG]);

/* The simulator below a world with its version, "ns-3 3.37", empty when it is not built here. */
void program_simulator(enum point_world world, char text[1024]);

/* What made results, or would make them now. */
enum manifest_fact {
    FACT_IWARPSIM,
    FACT_COMMIT,
    FACT_WORLD, /* of the simulator below it, for each */
    FACT_COMPILER = FACT_WORLD + WORLDS,
    FACT_LIBC,
    FACT_CPU,
    FACT_SYSTEM,
    FACTS
};
enum { FACT_MAX = 1024 };
struct manifest_facts {
    char of[FACTS][FACT_MAX]; /* empty: not known */
};
const char *manifest_fact_name(int fact); /* of its member; NULL: a world without */
/* For identical results, where it is used at all. */
static inline bool manifest_fact_must_match(int fact)
{
    return fact < FACT_COMPILER;
}
/* The simulators of `used` worlds alone: asking one starts its program. */
void manifest_facts(struct manifest_facts *facts, const bool used[WORLDS]);

#endif
