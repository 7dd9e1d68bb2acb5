/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The life of an association: handshake, cookie, tags, unknown things, heartbeats, the end. RFC 9260 sections
 * 3, 5, 8, 9. */
#include <stdlib.h>
#include <string.h>

#include "llp/sctp_inner.h"
#include "validation/support/test.h"
#include "validation/unit/sctp_rig.h"

/* The first values of the table that came with SipHash: key 00 .. 0f, input 00, 01, ... */
TEST(the_seal_is_siphash)
{
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const struct {
        uint32_t len;
        uint64_t hash;
    } table[] = {{0, 0x726fdb47dd0e0e31u},
                 {1, 0x74f839c593dc67fdu},
                 {8, 0x93f5f5799a932462u},
                 {15, 0xa129ca6149be45e5u}};
    uint8_t in[16];
    for (uint8_t i = 0; i < 16; i++)
        in[i] = i;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        assert_true(sctp_seal(key, in, table[i].len) == table[i].hash);
}

/* RFC 9260 3.3.2, RFC 3758 3.1, RFC 5061 4.2.6, octet by octet. */
/* checks: SCTP-5.1-1 SCTP-8-1 */
TEST(an_init_is_what_the_rfc_draws)
{
    static const uint8_t after_tag[] = {0, 3, 0x0d, 0x40, 0, 4, 0, 4}; /* a_rwnd 200000, 4 and 4 streams */
    static const uint8_t params[] = {0xc0, 0, 0, 4, 0xc0, 6, 0, 8, 0, 0, 0, 1};
    struct by_hand h;
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.adapts = true;
    conf.adaptation = 1;
    by_hand_open(&h, &conf);
    assert_int_equal(sctp_connect(h.a, 0), IW_OK);
    assert_int_equal(sctp_connect(h.a, 0), IW_ESTATE);
    assert_int_equal(by_hand_take(&h), SCTP_INIT);
    assert_int_equal(h.out_len, 12 + 20 + 12);
    assert_int_equal(at16(h.out), RIG_PORT);
    assert_int_equal(at16(h.out + 2), RIG_PEER_PORT);
    assert_int_equal(at32(h.out + 4), 0);
    assert_int_equal(at32(h.out + 12), 0x01000020);
    assert_int_not_equal(at32(h.out + 16), 0);
    assert_memory_equal(h.out + 20, after_tag, sizeof after_tag);
    assert_memory_equal(h.out + 32, params, sizeof params);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_close(&h);
}

TEST(a_lost_init_goes_out_again_with_more_patience)
{
    struct by_hand h;
    iw_time wait = 10000 * US;
    by_hand_open(&h, NULL);
    sctp_connect(h.a, 0);
    assert_int_equal(by_hand_take(&h), SCTP_INIT);
    for (uint32_t i = 0; i < h.conf.init_retries; i++, wait *= 2) {
        assert_true(sctp_deadline(h.a) == h.now + wait);
        h.now += wait;
        sctp_expire(h.a, h.now);
        assert_int_equal(by_hand_take(&h), SCTP_INIT);
    }
    h.now += wait;
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), -1);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_LOST);
    assert_true(sctp_deadline(h.a) == IW_NEVER);
    by_hand_close(&h);
}

TEST(nothing_is_remembered_before_the_cookie)
{
    static const uint8_t init[] = {1,    0,    0, 20, 0x11, 0x22, 0x33, 0x44, 0, 1,
                                   0x86, 0xa0, 0, 4,  0,    4,    0,    0,    3, 0xe8};
    struct by_hand h;
    by_hand_open(&h, NULL);
    struct sctp *before = malloc(sctp_size(&h.conf));
    memcpy(before, h.a, sctp_size(&h.conf));
    by_hand_send(&h, 0, init, sizeof init);
    assert_int_equal(sctp_state(h.a), SCTP_CLOSED);
    assert_int_equal(h.a->peer.tag, 0);
    assert_int_equal(h.a->tag, before->tag);
    assert_true(sctp_deadline(h.a) == IW_NEVER);
    free(before);
    by_hand_close(&h);
}

/* Every altered bit, every cut: no association. */
TEST(a_cookie_we_did_not_make_is_refused)
{
    struct by_hand h, good;
    by_hand_establish(&good, NULL);
    by_hand_open(&h, NULL);
    for (uint32_t bit = 0; bit < good.cookie_len * 8; bit++) {
        good.cookie[4 + bit / 8] ^= (uint8_t)(1u << bit % 8);
        by_hand_send(&h, good.tag, good.cookie, good.cookie_len + 4);
        assert_int_equal(sctp_state(h.a), SCTP_CLOSED);
        good.cookie[4 + bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_send(&h, good.tag ^ 1, good.cookie, good.cookie_len + 4);
    assert_int_equal(sctp_state(h.a), SCTP_CLOSED);
    by_hand_send(&h, good.tag, good.cookie, good.cookie_len + 4);
    assert_int_equal(sctp_state(h.a), SCTP_ESTABLISHED);
    by_hand_close(&h);
    by_hand_close(&good);
}

TEST(a_cookie_too_old_is_stale)
{
    struct by_hand h, good;
    by_hand_establish(&good, NULL);
    by_hand_open(&h, NULL);
    h.now = h.conf.cookie_life + 3 * US;
    by_hand_send(&h, good.tag, good.cookie, good.cookie_len + 4);
    assert_int_equal(sctp_state(h.a), SCTP_CLOSED);
    assert_int_equal(by_hand_take(&h), SCTP_ERROR);
    assert_int_equal(at32(h.out + 4), RIG_PEER_TAG);
    assert_int_equal(at32(h.out + 16), 0x00030008);
    assert_int_equal(at32(h.out + 20), 3); /* microseconds */
    by_hand_close(&h);
    by_hand_close(&good);
}

TEST(a_cookie_again_is_acknowledged_again)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_send(&h, h.tag, h.cookie, h.cookie_len + 4);
    assert_int_equal(by_hand_take(&h), SCTP_COOKIE_ACK);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_NONE);
    by_hand_close(&h);
}

/* An old INIT of this association says nothing; another's is refused under its own tag. */
TEST(restart_is_refused_and_harms_nobody)
{
    static uint8_t init[] = {1,    0,    0, 20, 0x11, 0x22, 0x33, 0x44, 0, 1,
                             0x86, 0xa0, 0, 4,  0,    4,    0,    0,    3, 0xe8};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_send(&h, 0, init, sizeof init);
    assert_int_equal(by_hand_take(&h), -1);
    init[4] = 0x99;
    by_hand_send(&h, 0, init, sizeof init);
    assert_int_equal(by_hand_take(&h), SCTP_ABORT);
    assert_int_equal(at32(h.out + 4), 0x99223344);
    assert_int_equal(sctp_state(h.a), SCTP_ESTABLISHED);
    init[4] = 0x11;
    by_hand_close(&h);
}

TEST(without_streams_there_is_no_association)
{
    uint8_t init[] = {1, 0, 0, 20, 0x11, 0x22, 0x33, 0x44, 0, 1, 0x86, 0xa0, 0, 0, 0, 4, 0, 0, 3, 0xe8};
    struct by_hand h;
    by_hand_open(&h, NULL);
    by_hand_send(&h, 0, init, sizeof init);
    assert_int_equal(by_hand_take(&h), SCTP_ABORT);
    assert_int_equal(at16(h.out + 16), 7); /* RFC 9260 3.3.10.7: Invalid Mandatory Parameter */
    memset(init + 4, 0, 4);                /* a tag of 0: no answer */
    by_hand_send(&h, 0, init, sizeof init);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_close(&h);
}

/* RFC 9260 3.2.1: the two highest bits of the type. */
TEST(unknown_parameters_are_treated_as_their_bits_say)
{
    static const struct {
        uint16_t type;
        bool reported, goes_on;
    } table[] = {{0x3abc, false, false}, {0x7abc, true, false}, {0x9abc, false, true}, {0xdabc, true, true}};
    for (int i = 0; i < 4; i++) {
        uint8_t init[32] = {1, 0, 0, 32, 0x11, 0x22, 0x33, 0x44, 0, 1, 0x86, 0xa0, 0, 4, 0, 4, 0, 0, 3, 0xe8};
        struct by_hand h;
        iw_put16(iw_put16(init + 20, table[i].type), 8);
        iw_put16(iw_put16(init + 28, 0xc000), 4); /* Forward-TSN-Supported, if it is read */
        by_hand_open(&h, NULL);
        by_hand_send(&h, 0, init, sizeof init);
        assert_int_equal(by_hand_take(&h), SCTP_INIT_ACK);
        uint32_t end = 12 + at16(h.out + 14), last = end - 12;
        assert_int_equal(at16(h.out + last) == 8 && at16(h.out + last + 4) == table[i].type,
                         table[i].reported);
        uint8_t echo[512] = {SCTP_COOKIE_ECHO, 0, 0, 4 + COOKIE_OCTETS};
        memcpy(echo + 4, h.out + 12 + 20 + 4 + 4, COOKIE_OCTETS);
        by_hand_send(&h, at32(h.out + 16), echo, 4 + COOKIE_OCTETS);
        assert_int_equal(sctp_state(h.a), SCTP_ESTABLISHED);
        assert_int_equal(by_hand_queue(&h, 0, true, 0, 8), table[i].goes_on ? IW_OK : IW_EINVAL);
        by_hand_close(&h);
    }
}

/* RFC 9260 3.2.1, 3.3.10.8: those of INIT ACK that ask for it are told in an ERROR behind COOKIE ECHO, complete, in one
 * cause; what is behind one that stops the reading is not read. */
TEST(unknown_parameters_of_init_ack_are_told_with_the_cookie)
{
    static const uint8_t init_ack[] = {
        2,    0,    0, 64, 0x11, 0x22, 0x33, 0x44, 0,   1, 0x86, 0xa0,
        0,    4,    0, 4,  0,    0,    3,    0xe8,                  /* fixed part */
        0xda, 0xbc, 0, 7,  1,    2,    3,    0,                     /* report, go on */
        0x9a, 0xbc, 0, 8,  4,    5,    6,    7,                     /* go on */
        0,    7,    0, 9,  'c',  'o',  'o',  'k',  'y', 0, 0,    0, /* State Cookie */
        0x7a, 0xbc, 0, 6,  8,    9,    0,    0,                     /* report, stop */
        0xda, 0xbd, 0, 8,  1,    1,    1,    1};
    static const uint8_t told[] = {10,   0,    0, 9,  'c', 'o', 'o', 'k', 'y',  0,    0, 0, /* COOKIE ECHO */
                                   9,    0,    0, 22, 0,   8,   0,   18,                    /* ERROR, cause */
                                   0xda, 0xbc, 0, 7,  1,   2,   3,   0,   0x7a, 0xbc, 0, 6, 8, 9, 0, 0};
    struct by_hand h;
    by_hand_open(&h, NULL);
    sctp_connect(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_INIT);
    uint32_t tag = at32(h.out + 16);
    assert_int_equal(by_hand_send(&h, tag, init_ack, sizeof init_ack), IW_OK);
    for (int i = 0; i < 2; i++) { /* with each COOKIE ECHO: the first may be lost */
        assert_int_equal(by_hand_take(&h), SCTP_COOKIE_ECHO);
        assert_int_equal(h.out_len, 12 + sizeof told);
        assert_memory_equal(h.out + 12, told, sizeof told);
        h.now = sctp_deadline(h.a);
        sctp_expire(h.a, h.now);
    }
    assert_int_equal(by_hand_take(&h), SCTP_COOKIE_ECHO);
    assert_int_equal(by_hand_send(&h, tag, (const uint8_t[]){11, 0, 0, 4}, 4), IW_OK);
    assert_int_equal(sctp_state(h.a), SCTP_ESTABLISHED);
    by_hand_close(&h);
}

/* The same of chunks. What follows them is a HEARTBEAT that is answered if it is read. */
TEST(unknown_chunks_are_treated_as_their_bits_say)
{
    static const struct {
        uint8_t type;
        bool reported, goes_on;
    } table[] = {{0x3a, false, false}, {0x7a, true, false}, {0x9a, false, true}, {0xda, true, true}};
    for (int i = 0; i < 4; i++) {
        uint8_t chunks[20] = {
            table[i].type, 0, 0, 8, 1, 2, 3, 4, SCTP_HEARTBEAT, 0, 0, 12, 0, 1, 0, 8, 5, 6, 7, 8};
        struct by_hand h;
        by_hand_establish(&h, NULL);
        by_hand_send(&h, h.tag, chunks, sizeof chunks);
        int type = by_hand_take(&h);
        assert_int_equal(type == SCTP_ERROR, table[i].reported);
        if (table[i].reported)
            assert_memory_equal(
                h.out + 12, ((uint8_t[]){9, 0, 0, 16, 0, 6, 0, 12, table[i].type, 0, 0, 8, 1, 2, 3, 4}), 16);
        const uint8_t *ack = h.out + 12 + (table[i].reported ? 16 : 0);
        assert_int_equal(type != -1 && *ack == SCTP_HEARTBEAT_ACK && h.out + h.out_len > ack,
                         table[i].goes_on);
        if (table[i].goes_on)
            assert_memory_equal(ack + 4, chunks + 12, 8);
        by_hand_close(&h);
    }
}

TEST(only_the_right_tag_counts)
{
    static const uint8_t abort_chunk[] = {6, 0, 0, 4}, reflected[] = {6, 1, 0, 4};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    assert_int_equal(by_hand_send(&h, h.tag ^ 0x80, abort_chunk, 4), IW_EINVAL);
    assert_int_equal(by_hand_send(&h, RIG_PEER_TAG, abort_chunk, 4), IW_EINVAL);
    assert_int_equal(by_hand_send(&h, h.tag, reflected, 4), IW_EINVAL);
    assert_int_equal(sctp_state(h.a), SCTP_ESTABLISHED);
    assert_int_equal(by_hand_send(&h, RIG_PEER_TAG, reflected, 4), IW_OK);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_ABORTED);
    by_hand_close(&h);
    by_hand_establish(&h, NULL);
    assert_int_equal(by_hand_send(&h, h.tag, (const uint8_t[]){6, 0, 0, 8, 0, 13, 0, 4}, 8), IW_OK);
    uint16_t cause;
    assert_int_equal(by_hand_event(&h, &cause), SCTP_EV_ABORTED);
    assert_int_equal(cause, SCTP_CAUSE_PROTOCOL);
    by_hand_close(&h);
}

TEST(a_wrong_checksum_is_dropped)
{
    uint8_t packet[28] = {0x13, 0x8a, 0x13, 0x89, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 16};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    iw_put32(packet + 4, h.tag);
    assert_int_equal(sctp_receive(h.a, 0, packet, sizeof packet), IW_EINVAL);
    assert_int_equal(sctp_statistics(h.a)->dropped, 2); /* the INIT is counted too */
    by_hand_close(&h);
}

/* RFC 9260 8.4: what is not of an association is answered under the tag it came with. */
TEST(out_of_the_blue)
{
    static const uint8_t sack[] = {3, 0, 0, 16, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0},
                         shutdown_ack[] = {8, 0, 0, 4};
    static const uint8_t silent[][4] = {{6, 0, 0, 4}, {14, 0, 0, 4}, {11, 0, 0, 4}, {9, 0, 0, 4}};
    struct by_hand h;
    by_hand_open(&h, NULL);
    by_hand_send(&h, 77, sack, sizeof sack);
    assert_int_equal(by_hand_take(&h), SCTP_ABORT);
    assert_memory_equal(h.out + 12, ((uint8_t[]){6, 1, 0, 4}), 4);
    assert_int_equal(at32(h.out + 4), 77);
    by_hand_send(&h, 78, shutdown_ack, sizeof shutdown_ack);
    assert_int_equal(by_hand_take(&h), SCTP_SHUTDOWN_COMPLETE);
    assert_memory_equal(h.out + 12, ((uint8_t[]){14, 1, 0, 4}), 4);
    for (int i = 0; i < 4; i++) {
        by_hand_send(&h, 79, silent[i], 4);
        assert_int_equal(by_hand_take(&h), -1);
    }
    by_hand_close(&h);
}

TEST(an_idle_path_is_probed_until_it_is_lost)
{
    struct by_hand h;
    struct sctp_conf conf;
    uint32_t probes = 0;
    by_hand_defaults(&conf);
    conf.heartbeat = 1000 * US;
    conf.retries = 3;
    by_hand_establish(&h, &conf);
    h.now = sctp_deadline(h.a);
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_HEARTBEAT);
    uint8_t ack[64];
    memcpy(ack, h.out + 12, h.out_len - 12);
    ack[0] = SCTP_HEARTBEAT_ACK;
    h.now += 10 * US;
    by_hand_send(&h, h.tag, ack, h.out_len - 12);
    assert_true(sctp_statistics(h.a)->srtt == 10 * US);
    ack[12] ^= 1; /* one that we did not send */
    for (; sctp_state(h.a) == SCTP_ESTABLISHED && probes < 20; probes++) {
        h.now = sctp_deadline(h.a);
        sctp_expire(h.a, h.now);
        by_hand_take(&h);
        by_hand_send(&h, h.tag, ack, 24);
    }
    assert_int_equal(probes, 1 + conf.retries + 1);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_LOST);
    by_hand_close(&h);
}

/* ---- the end ---- */

TEST(shutdown_waits_for_what_is_unacknowledged)
{
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_queue(&h, 0, true, SCTP_RELIABLE, 100);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    assert_int_equal(sctp_shutdown(h.a, 0), IW_OK);
    assert_int_equal(by_hand_queue(&h, 0, true, SCTP_RELIABLE, 100), IW_ESTATE);
    assert_int_equal(by_hand_take(&h), -1);
    by_hand_data(&h, 7, RIG_PEER_TSN, 0, 0, 8, 0);
    by_hand_sack(&h, h.tsn, 100000, NULL);
    assert_int_equal(by_hand_take(&h), SCTP_SHUTDOWN);
    assert_int_equal(at32(h.out + 16), RIG_PEER_TSN);
    h.now = sctp_deadline(h.a) + 100000 * US; /* lost: again */
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_SACK); /* it was waiting too */
    by_hand_send(&h, h.tag, (const uint8_t[]){8, 0, 0, 4}, 4);
    assert_int_equal(by_hand_take(&h), SCTP_SHUTDOWN_COMPLETE);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_DOWN);
    assert_true(sctp_deadline(h.a) == IW_NEVER);
    by_hand_send(&h, h.tag, (const uint8_t[]){8, 0, 0, 4}, 4); /* the answer was lost */
    assert_int_equal(by_hand_take(&h), SCTP_SHUTDOWN_COMPLETE);
    assert_int_equal(h.out[13], TAG_REFLECTED);
    by_hand_close(&h);
}

TEST(the_peer_shuts_down)
{
    uint8_t shutdown[8] = {7, 0, 0, 8};
    struct by_hand h;
    by_hand_establish(&h, NULL);
    by_hand_queue(&h, 0, true, SCTP_RELIABLE, 100);
    assert_int_equal(by_hand_take(&h), SCTP_DATA);
    iw_put32(shutdown + 4, h.tsn - 1);
    by_hand_send(&h, h.tag, shutdown, 8);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_SHUTDOWN);
    assert_int_equal(by_hand_take(&h), -1);
    iw_put32(shutdown + 4, h.tsn); /* acknowledges as a SACK does */
    by_hand_send(&h, h.tag, shutdown, 8);
    assert_int_equal(by_hand_take(&h), SCTP_SHUTDOWN_ACK);
    h.now = sctp_deadline(h.a);
    sctp_expire(h.a, h.now);
    assert_int_equal(by_hand_take(&h), SCTP_SHUTDOWN_ACK);
    by_hand_send(&h, h.tag, (const uint8_t[]){14, 0, 0, 4}, 4);
    assert_int_equal(by_hand_event(&h, NULL), SCTP_EV_DOWN);
    by_hand_close(&h);
}

TEST(both_shut_down_at_once)
{
    struct sctp_link_conf conf;
    struct two_ends t;
    struct sctp_event event;
    two_ends_conf(&conf, 10 * US);
    two_ends_open(&t, &conf, 1, 100);
    for (int side = 0; side < 2; side++) {
        while (sctp_event(sctp_link_end(t.link, side), &event))
            ;
        assert_int_equal(sctp_shutdown(sctp_link_end(t.link, side), sctp_link_now(t.link)), IW_OK);
    }
    sctp_link_kick(t.link, 0);
    sctp_link_kick(t.link, 1);
    while (sctp_link_step(t.link))
        ;
    for (int side = 0; side < 2; side++) {
        assert_int_equal(sctp_state(sctp_link_end(t.link, side)), SCTP_CLOSED);
        assert_true(sctp_event(sctp_link_end(t.link, side), &event));
        assert_int_equal(event.kind, SCTP_EV_DOWN);
    }
    two_ends_close(&t);
}

/* Memory: issue 5 allows 6 kB for one end and 32 octets for each outstanding chunk, the octets of messages
 * beside. */
TEST(an_association_is_small)
{
    struct sctp_conf conf;
    by_hand_defaults(&conf);
    conf.hold = 0;
    conf.chunks = 1024;
    size_t all = sctp_size(&conf);
    assert_true(all - conf.store <= 6000 + (size_t)conf.chunks * 32);
    assert_int_equal(sctp_chunk_octets(), 32);
}

TEST(a_configuration_that_makes_no_sense_is_refused)
{
    struct sctp_conf good, c;
    by_hand_defaults(&good);
    assert_null(sctp_conf_error(&good));
#define REFUSED(field, value)                 \
    do {                                      \
        c = good;                             \
        c.field = (value);                    \
        assert_non_null(sctp_conf_error(&c)); \
        assert_int_equal(sctp_size(&c), 0);   \
    } while (0)
    REFUSED(local_port, 0);
    REFUSED(mtu, 572);
    REFUSED(mtu, 1479);
    REFUSED(streams, 0);
    REFUSED(chunks, 100);
    REFUSED(chunks, 32);
    REFUSED(store, 2000);
    REFUSED(rwnd, 1000);
    REFUSED(head_max, 6);
    REFUSED(rto_min, 0);
    REFUSED(rto_initial, 1);
    REFUSED(sack_every, 0);
}
