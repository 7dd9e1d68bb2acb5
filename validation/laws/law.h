/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law.h -- a law holds for every seed: draws, the loop over seeds, the trace of one, and what is said when it
 * breaks.
 *
 *   law_x                       every law of the program, seeds 1 .. as many as its table says
 *   law_x NAME SEED             one seed of one law, with its trace
 *   IWARPSIM_NIGHTLY=1 law_x    100,000 scenarios each
 *
 * Under the sanitizers the numbers are a tenth. */
#ifndef IW_LAWS_LAW_H
#define IW_LAWS_LAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- draws: a counter and a key, so that two families of draws never disturb each other ---- */

struct draw {
    uint64_t key, count;
};

/* `family` is any number: each gives draws of its own. */
struct draw draw_start(uint64_t seed, uint64_t family);
uint64_t draw_bits(struct draw *d);
/* Uniform in 0 .. n - 1; n > 0. */
uint32_t draw_below(struct draw *d, uint32_t n);
/* Uniform in low .. high. */
uint32_t draw_from(struct draw *d, uint32_t low, uint32_t high);
bool draw_chance(struct draw *d, uint32_t percent);

/* 64 well mixed bits of a value. */
uint64_t law_mix(uint64_t value);

/* ---- one seed ---- */

/* Octets for this seed, freed when it ends; the first MiB is filled with rubbish that differs from call to
 * call. */
void *law_memory(size_t octets);

/* The law: what must be true, and what to say when it is not. A broken law ends the seed. */
#define law(condition, ...)                                          \
    do {                                                             \
        if (!(condition))                                            \
            law_broken(__FILE__, __LINE__, #condition, __VA_ARGS__); \
    } while (0)
_Noreturn void law_broken(const char *file, int line, const char *condition, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* True while one seed is replayed; law_trace() prints then and is silent else. */
extern bool law_verbose;
void law_trace(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- all seeds ---- */

struct law {
    const char *name;
    void (*hold)(uint64_t seed);
    uint32_t seeds; /* in an ordinary run */
    uint32_t each;  /* scenarios that one seed tries, so that a night has 100,000 of them */
};

/* Runs the laws, prints a summary as cmocka does; the exit code, 1 when one was broken. */
int law_main(int argc, char **argv, const struct law *laws, size_t count);

#endif
