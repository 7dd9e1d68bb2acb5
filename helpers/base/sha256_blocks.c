/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/base/sha256_blocks.h"

#ifdef __x86_64__
#include <cpuid.h>
#include <immintrin.h>

#define SHA_NI __attribute__((target("sha,sse4.1")))
enum { WORDS = 4, ROUNDS = 64 }; /* of a register; of a block */

static const uint32_t constants[ROUNDS] __attribute__((aligned(16))) = {
    /* FIPS 180-4 section 4.2.2 */
    // clang-format off
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
    // clang-format on
};

/* The eight words of a state, as the instructions want them. */
struct state {
    __m128i abef, cdgh;
};

static inline SHA_NI struct state load_state(const uint32_t words[8])
{
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0xb1);
    __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + WORDS)), 0x1b);
    return (struct state){_mm_alignr_epi8(badc, efgh, 8), _mm_blend_epi16(efgh, badc, 0xf0)};
}

static inline SHA_NI void store_state(uint32_t words[8], struct state s)
{
    __m128i feba = _mm_shuffle_epi32(s.abef, 0x1b), dchg = _mm_shuffle_epi32(s.cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)words, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(words + WORDS), _mm_alignr_epi8(dchg, feba, 8));
}

static inline SHA_NI __m128i load_words(const uint8_t *octets)
{
    const __m128i highest_first = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    return _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)octets), highest_first);
}

/* Four rounds; their words of the schedule make way for those of sixteen rounds later, if there are any. */
static inline SHA_NI __attribute__((always_inline)) void four_rounds(struct state *s, __m128i w[4], int round)
{
    __m128i *own = &w[round / 4 % 4], after = w[(round / 4 + 3) % 4];
    __m128i in = _mm_add_epi32(*own, _mm_load_si128((const __m128i *)(constants + round)));
    s->cdgh = _mm_sha256rnds2_epu32(s->cdgh, s->abef, in);
    s->abef = _mm_sha256rnds2_epu32(s->abef, s->cdgh, _mm_shuffle_epi32(in, 0x0e));
    if (round >= ROUNDS - 16)
        return;
    __m128i next = _mm_sha256msg1_epu32(*own, w[(round / 4 + 1) % 4]);
    next = _mm_add_epi32(next, _mm_alignr_epi8(after, w[(round / 4 + 2) % 4], 4));
    *own = _mm_sha256msg2_epu32(next, after);
}

/* An instruction of two rounds waits for the one before it in its file, but not for those of other files. */
static inline SHA_NI __attribute__((always_inline)) void side_by_side(unsigned files,
                                                                      struct sha256_ctx *const *sum,
                                                                      const uint8_t *const *octets,
                                                                      size_t blocks)
{
    struct state s[SHA256_FILES], was[SHA256_FILES];
    __m128i w[SHA256_FILES][4];
    for (unsigned f = 0; f < files; f++)
        s[f] = load_state(sum[f]->state);
    for (size_t at = 0; at < blocks * SHA256_BLOCK_SIZE; at += SHA256_BLOCK_SIZE) {
        for (unsigned f = 0; f < files; f++) {
            was[f] = s[f];
            for (size_t i = 0; i < 4; i++)
                w[f][i] = load_words(octets[f] + at + 16 * i);
        }
#pragma GCC unroll 16
        for (int round = 0; round < ROUNDS; round += 4)
#pragma GCC unroll 4
            for (unsigned f = 0; f < files; f++)
                four_rounds(&s[f], w[f], round);
        for (unsigned f = 0; f < files; f++)
            s[f] =
                (struct state){_mm_add_epi32(s[f].abef, was[f].abef), _mm_add_epi32(s[f].cdgh, was[f].cdgh)};
    }
    for (unsigned f = 0; f < files; f++) {
        store_state(sum[f]->state, s[f]);
        sum[f]->count += blocks;
    }
}

static SHA_NI void one(struct sha256_ctx *const *sum, const uint8_t *const *octets, size_t blocks)
{
    side_by_side(1, sum, octets, blocks);
}

static SHA_NI void two(struct sha256_ctx *const *sum, const uint8_t *const *octets, size_t blocks)
{
    side_by_side(2, sum, octets, blocks);
}

static SHA_NI void four(struct sha256_ctx *const *sum, const uint8_t *const *octets, size_t blocks)
{
    side_by_side(4, sum, octets, blocks);
}

/* Asked once, for below a hypervisor the answer is slow. */
static bool has_instructions(void)
{
    static enum { NOT_ASKED, NO, YES } has;
    unsigned a, b, c, d;
    if (has == NOT_ASKED)
        has = __get_cpuid_count(7, 0, &a, &b, &c, &d) && b & bit_SHA ? YES : NO;
    return has == YES;
}

/* Of how many files; 0: the processor has none. */
static unsigned by_instructions(struct sha256_ctx *const *sum, const uint8_t *const *octets, unsigned files,
                                size_t blocks)
{
    unsigned n = files >= 4 ? 4 : files >= 2 ? 2 : 1;
    if (!has_instructions())
        return 0;
    (n == 4 ? four : n == 2 ? two : one)(sum, octets, blocks);
    return n;
}
#else
static unsigned by_instructions(struct sha256_ctx *const *sum, const uint8_t *const *octets, unsigned files,
                                size_t blocks)
{
    (void)sum, (void)octets, (void)files, (void)blocks;
    return 0;
}
#endif

void sha256_blocks(struct sha256_ctx *const *sum, const uint8_t *const *octets, unsigned files, size_t blocks)
{
    for (unsigned f = 0, done; f < files; f += done) {
        done = by_instructions(sum + f, octets + f, files - f, blocks);
        if (done)
            continue;
        sha256_update(sum[f], blocks * SHA256_BLOCK_SIZE, octets[f]);
        done = 1;
    }
}
