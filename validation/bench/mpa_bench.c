/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What MPA costs per FPDU, beside the CRC alone over the same octets in the same run. Judges nothing.
 *   mpa_bench                            all of it
 *   mpa_bench framing|crc|markers FPDUS  that many made and received, for valgrind (see instructions_test.py) */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "llp/crc32c.h"
#include "llp/mpa.h"

enum { FPDUS = 256, ROUNDS = 200, LARGEST = 9216 };

static uint8_t stream[FPDUS * LARGEST];
static uint64_t keys[FPDUS + 1];
static struct mpa_mark marks[FPDUS];
static volatile uint64_t sink; /* keeps the compiler from dropping what is measured */

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void make_stream(unsigned flags, uint32_t payload)
{
    static uint8_t ulpdu[LARGEST];
    struct mpa_tx tx, twin;
    struct iw_seg seg;
    mpa_tx_init(&tx, flags, LARGEST);
    twin = tx;
    ulpdu[0] = 0xc1;
    for (int i = 0; i < FPDUS; i++) {
        keys[i] = mpa_key(&tx);
        iw_seg_view(&seg, keys[i], ulpdu, IW_HEAD_TAGGED + payload);
        mpa_put(&tx, &seg, stream + keys[i]);
        mpa_advance(&twin, &seg, &marks[i]);
    }
    keys[FPDUS] = mpa_key(&tx);
}

/* Every FPDU at most `reach` places from its turn. */
static void make_order(uint32_t order[FPDUS], uint32_t reach)
{
    uint64_t random = 1;
    for (uint32_t i = 0; i < FPDUS; i++)
        order[i] = i;
    for (uint32_t block = 0; reach > 1 && block < FPDUS; block += reach) {
        for (uint32_t i = reach - 1; i > 0; i--) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            uint32_t with = (uint32_t)(random >> 33) % (i + 1), kept = order[block + i];
            order[block + i] = order[block + with];
            order[block + with] = kept;
        }
    }
}

static double crc_round(void)
{
    uint32_t all = 0;
    double start = now_ns();
    for (int i = 0; i < FPDUS; i++)
        all += crc32c(0, stream + keys[i], keys[i + 1] - keys[i] - 4);
    sink += all;
    return now_ns() - start;
}

static double receive_round(const struct mpa_rx_conf *conf, void *memory, const uint32_t order[FPDUS])
{
    struct mpa_rx *rx = mpa_rx_init(memory, conf);
    struct mpa_fpdu f;
    double start = now_ns();
    for (int n = 0; n < FPDUS; n++) {
        uint32_t i = order[n], len = (uint32_t)(keys[i + 1] - keys[i]);
        struct mpa_arrival in = {keys[i], stream + keys[i], len, 1, &marks[i]};
        mpa_arrive(rx, &in);
        while (mpa_take(rx, &f) == 1)
            sink += f.len;
    }
    double ns = now_ns() - start;
    if (mpa_edge(rx) != keys[FPDUS] || mpa_statistics(rx)->octets_copied) {
        fputs("not every FPDU was received in place\n", stderr);
        exit(3);
    }
    return ns;
}

static double best_of(const struct mpa_rx_conf *conf, void *memory, uint32_t reach)
{
    uint32_t order[FPDUS];
    double best = 1e18;
    make_order(order, reach);
    for (int i = 0; i < ROUNDS; i++) {
        double ns = conf ? receive_round(conf, memory, order) : crc_round();
        if (ns < best)
            best = ns;
    }
    return best / FPDUS;
}

static void compare(const char *what, unsigned flags, uint32_t payload)
{
    struct mpa_rx_conf conf = {.flags = flags | MPA_PIECES, .store = sizeof stream, .ranges = 256};
    void *memory = malloc(mpa_rx_size(&conf));
    if (!memory)
        exit(3);
    make_stream(flags, payload);
    double crc = best_of(NULL, NULL, 1), in_order = best_of(&conf, memory, 1),
           ahead = best_of(&conf, memory, 64);
    printf("%-22s %5u  crc %7.1f ns  in order %7.1f ns %5.2fx (+%.0f ns)  up to 64 ahead %7.1f ns %5.2fx of "
           "in order\n",
           what, payload, crc, in_order, in_order / crc, in_order - crc, ahead, ahead / in_order);
    free(memory);
}

static void headers_only(void)
{
    struct mpa_rx_conf conf = {
        .flags = MPA_TRUST_ALIGNMENT, .store = sizeof stream, .ranges = 256, .fpdus = 256};
    void *memory = malloc(mpa_rx_size(&conf));
    if (!memory)
        exit(3);
    make_stream(0, 1408);
    printf("%-22s        in order %7.1f ns  up to 64 ahead %7.1f ns\n", "length-only, no CRC",
           best_of(&conf, memory, 1), best_of(&conf, memory, 64));
    free(memory);
}

/* As the sender frames them and the receiver finds them, in order. */
static int some(const char *what, uint64_t fpdus)
{
    const unsigned flags = strcmp(what, "crc") == 0       ? MPA_CRC
                           : strcmp(what, "markers") == 0 ? MPA_MARKERS
                                                          : 0;
    const struct mpa_rx_conf conf = {.flags = flags | MPA_PIECES, .store = sizeof stream, .ranges = 256};
    uint32_t order[FPDUS];
    void *memory = malloc(mpa_rx_size(&conf));
    if (!memory)
        exit(3);
    make_order(order, 1);
    for (uint64_t i = 0; i < fpdus; i += FPDUS) {
        make_stream(flags, 1408);
        receive_round(&conf, memory, order);
    }
    free(memory);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 3)
        return some(argv[1], strtoull(argv[2], NULL, 10));
    compare("CRC", MPA_CRC, 64);
    compare("CRC", MPA_CRC, 1408);
    compare("CRC", MPA_CRC, 8928);
    compare("CRC, markers", MPA_CRC | MPA_MARKERS, 1408);
    headers_only();
    return 0;
}
