/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "law.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NIGHTLY_SCENARIOS = 100000,
    SLOWER = 10,
    BROKEN_SHOWN = 5,
    BLOCKS_MAX = 1 << 16,
    RUBBISH_MAX = 1 << 20
};

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

bool law_verbose;
static jmp_buf seed_over;
static void *block[BLOCKS_MAX];
static size_t blocks;
static uint8_t rubbish;

/* ---- draws ---- */

uint64_t law_mix(uint64_t z)
{
    z += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

struct draw draw_start(uint64_t seed, uint64_t family)
{
    return (struct draw){.key = law_mix(law_mix(seed) ^ family * 0xd1342543de82ef95u)};
}

uint64_t draw_bits(struct draw *d)
{
    return law_mix(d->key ^ law_mix(d->count++));
}

uint32_t draw_below(struct draw *d, uint32_t n)
{
    return (uint32_t)((draw_bits(d) >> 32) * n >> 32);
}

uint32_t draw_from(struct draw *d, uint32_t low, uint32_t high)
{
    return low + draw_below(d, high - low + 1);
}

bool draw_chance(struct draw *d, uint32_t percent)
{
    return draw_below(d, 100) < percent;
}

/* ---- one seed ---- */

void *law_memory(size_t octets)
{
    void *memory = malloc(octets ? octets : 1);
    if (!memory || blocks == BLOCKS_MAX) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
    memset(memory, rubbish += 0x35, octets < RUBBISH_MAX ? octets : RUBBISH_MAX);
    block[blocks++] = memory;
    return memory;
}

static void free_memory(void)
{
    while (blocks)
        free(block[--blocks]);
}

void law_broken(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list args;
    printf("%s:%d: broken: %s\n    ", file, line, condition);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    longjmp(seed_over, 1);
}

void law_trace(const char *format, ...)
{
    va_list args;
    if (!law_verbose)
        return;
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
}

static bool holds(const struct law *law, uint64_t seed)
{
    bool broken = setjmp(seed_over);
    if (!broken)
        law->hold(seed);
    free_memory();
    return !broken;
}

/* ---- all seeds ---- */

static uint32_t seeds_of(const struct law *law)
{
    uint32_t seeds = getenv("IWARPSIM_NIGHTLY") ? NIGHTLY_SCENARIOS / law->each : law->seeds;
    if (SANITIZED)
        seeds = seeds / SLOWER + 1;
    const char *most = getenv("IWARPSIM_LAW_SEEDS");
    uint32_t limit = most ? (uint32_t)strtoul(most, NULL, 10) : seeds;
    return seeds < limit ? seeds : limit;
}

static bool run(const char *program, const struct law *law, uint64_t from, uint64_t seeds)
{
    uint32_t broken = 0;
    printf("[ RUN      ] %s: %llu seeds\n", law->name, (unsigned long long)seeds);
    for (uint64_t seed = from; seed - from < seeds && broken < BROKEN_SHOWN; seed++) {
        if (holds(law, seed))
            continue;
        broken++;
        printf("    replay: %s %s %llu\n", program, law->name, (unsigned long long)seed);
    }
    printf("[  %s ] %s\n", broken ? "FAILED  " : "     OK", law->name);
    fflush(stdout);
    return !broken;
}

static const struct law *find(const struct law *laws, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (!strcmp(laws[i].name, name))
            return &laws[i];
    fprintf(stderr, "no law is called %s; the laws are:\n", name);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, "  %s\n", laws[i].name);
    exit(2);
}

static bool replay(const struct law *law, uint64_t seed)
{
    law_verbose = true;
    setvbuf(stdout, NULL, _IOLBF, 0);
    return holds(law, seed);
}

static int all(const char *program, const struct law *laws, size_t count)
{
    size_t held = 0;
    for (size_t i = 0; i < count; i++)
        held += run(program, &laws[i], 1, seeds_of(&laws[i]));
    if (held)
        printf("[  PASSED  ] %zu test(s).\n", held);
    if (held < count)
        printf("[  FAILED  ] %zu test(s)\n", count - held);
    return held < count;
}

int law_main(int argc, char **argv, const struct law *laws, size_t count)
{
    mallopt(M_MMAP_THRESHOLD, 1 << 30); /* the same blocks come and go with every seed */
    mallopt(M_TRIM_THRESHOLD, 1 << 30);
    if (argc == 1)
        return all(argv[0], laws, count);
    if (argc > 4 || argc < 3) {
        fprintf(stderr, "usage: %s [NAME SEED [COUNT]]\n", argv[0]);
        return 2;
    }
    const struct law *law = find(laws, count, argv[1]);
    uint64_t seed = strtoull(argv[2], NULL, 10);
    bool held = argc == 3 ? replay(law, seed) : run(argv[0], law, seed, strtoull(argv[3], NULL, 10));
    return !held;
}
