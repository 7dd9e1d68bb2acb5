/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz_mpa_start.c -- any octets as start-up frames, to either side in any configuration.
 *
 * Input: 4 octets of configuration, 1 octet: how the octets are cut, then the peer's octets. Laws: whatever
 * the cuts, the outcome is the same (but for surplus, which only one piece can show); what is sent can be
 * read; what is agreed is within what was configured.
 */
#include <stdlib.h>
#include <string.h>

#include "llp/mpa.h"

enum { CONF = 4, HEAD = CONF + 1 };

static void must(bool law)
{
    if (!law)
        abort();
}

static struct mpa_start_conf conf_of(const uint8_t *in)
{
    static const uint8_t private_data[MPA_PRIVATE_MAX];
    struct mpa_start_conf c = {.role = in[0] & 1 ? MPA_RESPONDER : MPA_INITIATOR,
                               .kind = (enum mpa_kind)((in[0] >> 1) % 3),
                               .markers = in[0] & 8,
                               .no_crc = in[0] & 16,
                               .enhanced = in[0] & 32,
                               .peer_to_peer = in[0] & 64,
                               .rtr = in[1] & 7,
                               .ord_min = in[1] >> 6,
                               .ird = in[2] == 255 ? MPA_DEPTH_ULP : in[2],
                               .ord = in[3] == 255 ? MPA_DEPTH_ULP : in[3],
                               .private_len = in[1] & 8 ? 300 : 0,
                               .private_data = private_data};
    c.ird_max = (uint16_t)(c.ird + (in[1] >> 4 & 3));
    return c;
}

static void check_sent(struct mpa_start *s)
{
    uint8_t out[MPA_FRAME_MAX];
    struct mpa_frame f;
    uint32_t size, len = mpa_start_out(s, out);
    must(len <= MPA_FRAME_MAX);
    if (!len)
        return;
    must(mpa_frame_get(out, len, &f, &size) == MPA_FRAME_WHOLE && size == len);
    must(f.reserved == 0 && f.reply == (s->conf.role == MPA_RESPONDER));
    must(mpa_start_out(s, out) == 0);
}

static void check_agreed(const struct mpa_start *s)
{
    const struct mpa_agreement *a = &s->agreed;
    const struct mpa_start_conf *c = &s->conf;
    must(a->crc || (c->no_crc && !s->peer.crc));
    must(a->version == 0 || (a->markers_rx == c->markers && a->markers_tx == s->peer.markers));
    must((a->rtr & ~c->rtr) == 0);
    if (!a->enhanced)
        return;
    must(a->ird == c->ird || c->role == MPA_RESPONDER || a->ird <= c->ird_max);
    must(a->ord <= c->ord || a->rtr == MPA_RTR_READ);
    must(a->ord >= c->ord_min);
}

static void feed(struct mpa_start *s, const struct mpa_start_conf *conf, const uint8_t *octets, size_t len,
                 uint32_t piece)
{
    must(mpa_start(s, 0, conf) == IW_OK);
    check_sent(s);
    for (size_t at = 0; at < len && s->state < MPA_DECIDE;) {
        uint32_t n = len - at < piece ? (uint32_t)(len - at) : piece;
        uint32_t took = mpa_start_in(s, 0, octets + at, n);
        must(took <= n && (took == n || s->state >= MPA_FULL || s->state == MPA_DECIDE));
        at += took;
    }
}

/* The ULP's answer, and what comes of it. */
static void finish(struct mpa_start *s, bool accept)
{
    if (s->state == MPA_DECIDE) {
        must((accept ? mpa_accept(s, NULL, 0) : mpa_reject(s, NULL, 0)) == IW_OK);
        must(s->state == MPA_FULL || s->state == MPA_REJECTED);
    }
    check_sent(s);
    if (s->state == MPA_FULL)
        check_agreed(s);
    must((s->state == MPA_FAILED) <= (s->term != 0));
    if (s->state == MPA_FULL || s->state == MPA_REJECTED)
        must(s->peer.private_data >= s->in &&
             s->peer.private_data + s->peer.private_len <= s->in + s->in_len);
}

static void check_frame(const uint8_t *octets, size_t len)
{
    uint8_t again[MPA_FRAME_MAX];
    struct mpa_frame f;
    uint32_t size;
    if (mpa_frame_get(octets, (uint32_t)len, &f, &size) != MPA_FRAME_WHOLE)
        return;
    must(size <= len && f.private_len <= MPA_PRIVATE_MAX);
    must(mpa_frame_put(again, &f) == size);
    if (f.reserved == 0 && (f.peer_to_peer || !f.rtr))
        must(memcmp(again, octets, size) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t frames[2][2 * MPA_FRAME_MAX];
    struct mpa_start whole, cut;
    if (size < HEAD || size > 4096)
        return 0;
    struct mpa_start_conf conf = conf_of(data);
    check_frame(data + HEAD, size - HEAD);
    if (mpa_start_conf_error(&conf))
        return 0;
    conf.frames = frames[0];
    feed(&whole, &conf, data + HEAD, size - HEAD, UINT32_MAX);
    conf.frames = frames[1];
    feed(&cut, &conf, data + HEAD, size - HEAD, 1u + data[CONF] % 32);
    if (whole.why != MPA_WHY_SURPLUS && cut.why != MPA_WHY_SURPLUS)
        must(whole.state == cut.state && whole.why == cut.why && whole.tcp == cut.tcp &&
             whole.term == cut.term);
    finish(&whole, data[CONF] & 128);
    finish(&cut, data[CONF] & 128);
    return 0;
}
