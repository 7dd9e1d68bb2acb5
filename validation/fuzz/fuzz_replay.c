/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_replay.c -- any octets as a capture file, whose initiator is replayed to our own engine: it comes to an end and says what
 * it says in text. */
#include <stdlib.h>
#include <string.h>

#include "helpers/judge/replay.h"

static void must(bool law)
{
    if (!law)
        abort();
}

static void play(const struct replay *r)
{
    static struct replay_result result;
    char why[REPLAY_TEXT_MAX];
    struct judge_peer peer;
    struct peer_own *own = peer_own_new(&peer, 0);
    if (own && replay_play(r, &peer, 1, NULL, &result, why)) {
        must(result.differs == false || result.first[0]);
        must(memchr(result.first, 0, sizeof result.first) && memchr(result.note, 0, sizeof result.note));
    }
    peer_own_free(own);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char error[CAPTURE_ERROR_MAX], why[REPLAY_TEXT_MAX];
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
    struct capture *capture = file ? capture_stream(file, "fuzz", error) : NULL;
    struct replay *r = capture ? replay_read(capture, 0, why) : NULL;
    capture_close(capture);
    if (r)
        play(r);
    replay_free(r);
    return 0;
}
