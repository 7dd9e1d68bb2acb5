/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the channel does on the last link before each host, packet by packet, beside the channel itself run alone. */
#include "fabric_rig.h"

enum { PACKETS = 2000, SIZE = 1000, ACK = 52 };

/* Two hosts; data one way, acknowledgements the other, PACKETS of each. TCP, without user octets: its head alone. */
static struct net *traffic(const struct fabric_conf *conf, bool impaired)
{
    struct net *r = net_make(conf);
    net_connect(r, 0, 0, 1);
    for (unsigned i = 0; i < PACKETS; i++)
        for (uint8_t d = 0; d < 2; d++) {
            struct offer *o = net_offer(r, 0, 0, d, d ? ACK : SIZE);
            o->head = 32;
            o->octets[12] = 8 << 4; /* TCP: 8 words */
        }
    if (impaired)
        fabric_impair(r->f);
    assert_int_equal(net_run(r), FABRIC_IDLE);
    assert_conserved(r->f);
    return r;
}

/* The fates of the packets to `host`, drawn by the channel alone. */
static void fates_of(const struct fabric_conf *conf, uint32_t host, struct channel_fate fate[PACKETS])
{
    struct channel c;
    channel_init(&c, &conf->channel, conf->seed, conf->repeat, host, 0);
    for (unsigned i = 0; i < PACKETS; i++)
        fate[i] = channel_take(&c, fabric_serialization(host ? SIZE : ACK, conf->rate));
}

static const struct seen *packet_at(const struct net *r, uint32_t host, uint32_t number)
{
    for (size_t i = 0; i < r->seens; i++)
        if (r->seen[i].host == host && r->seen[i].number == number)
            return &r->seen[i];
    return NULL;
}

static struct fabric_conf link_conf(void)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
    conf.seed = 5;
    conf.repeat = 2;
    return conf;
}

TEST(each_direction_loses_what_its_own_channel_draws)
{
    static const struct {
        bool data, acks;
    } cases[] = {{true, true}, {true, false}, {false, true}, {false, false}};
    for (size_t i = 0; i < 4; i++) {
        struct fabric_conf conf = link_conf();
        conf.channel.loss = 0.05;
        conf.data = cases[i].data;
        conf.acks = cases[i].acks;
        struct net *r = traffic(&conf, true);
        uint64_t lost = 0;
        for (uint32_t host = 0; host < 2; host++) {
            struct channel_fate fate[PACKETS];
            fates_of(&conf, host, fate);
            bool meets = host ? conf.data : conf.acks;
            for (uint32_t n = 0; n < PACKETS; n++) {
                assert_int_equal(packet_at(r, host, n) == NULL, meets && fate[n].lost);
                lost += meets && fate[n].lost;
            }
        }
        assert_true(lost >= 60u * (cases[i].data + cases[i].acks)); /* 100 of 2000 each, on average */
        assert_int_equal(fabric_counts(r->f).lost, lost);
        assert_int_equal(net_count(r, FABRIC_LOST), lost);
        uint64_t by_link = fabric_link_stats(r->f, 0).lost + fabric_link_stats(r->f, 1).lost;
        assert_int_equal(by_link, lost);
        net_free(r);
    }
}

TEST(nothing_goes_wrong_before_it_is_switched_on)
{
    struct fabric_conf conf = link_conf();
    conf.channel.loss = 1;
    struct net *r = traffic(&conf, false);
    assert_int_equal(r->seens, 2 * PACKETS);
    net_free(r);
    /* what starts on the last link at that time or later meets it: packets 10 on */
    r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    for (unsigned i = 0; i < 20; i++)
        net_offer(r, 0, 0, 0, SIZE);
    fabric_kick(r->f, 0);
    fabric_run(r->f, 10 * 80000);
    fabric_impair(r->f);
    fabric_run(r->f, IW_NEVER);
    assert_int_equal(r->seens, 10);
    net_free(r);
}

TEST(a_delayed_packet_arrives_that_much_later_and_others_pass_it)
{
    struct fabric_conf conf = link_conf();
    conf.channel.reorder.probability = 0.1;
    conf.channel.reorder.delay = 5 * US;
    conf.channel.reorder.displacement = 3;
    conf.channel.jitter = 200 * NS;
    struct net *r = traffic(&conf, true);
    uint64_t delayed = 0, passed = 0;
    for (uint32_t host = 0; host < 2; host++) {
        struct channel_fate fate[PACKETS];
        fates_of(&conf, host, fate);
        for (uint32_t n = 0; n < PACKETS; n++) {
            iw_time nominal = US + (n + 1) * fabric_serialization(host ? SIZE : ACK, conf.rate);
            assert_int_equal(packet_at(r, host, n)->at, nominal + fate[n].delay);
            delayed += fate[n].delay > 0;
        }
    }
    for (size_t i = 1; i < r->seens; i++) {
        assert_true(r->seen[i].at >= r->seen[i - 1].at);
        passed += r->seen[i].host == r->seen[i - 1].host && r->seen[i].number < r->seen[i - 1].number;
    }
    assert_true(passed > 100);
    assert_int_equal(fabric_counts(r->f).delayed, delayed);
    net_free(r);
}

TEST(a_copy_follows_after_its_serialization)
{
    struct fabric_conf conf = link_conf();
    conf.channel.duplicate = 0.1;
    conf.channel.reorder.probability = 0.1; /* of both */
    conf.channel.reorder.delay = 3 * US;
    conf.channel.loss = 0.1; /* of the first, not of its copy */
    struct net *r = traffic(&conf, true);
    uint64_t copies = 0, delayed = 0;
    for (uint32_t host = 0; host < 2; host++) {
        struct channel_fate fate[PACKETS];
        fates_of(&conf, host, fate);
        iw_time ser = fabric_serialization(host ? SIZE : ACK, conf.rate);
        for (uint32_t n = 0; n < PACKETS; n++) {
            iw_time expected[2], nominal = US + (n + 1) * ser + fate[n].delay;
            unsigned count = 0, seen = 0;
            if (!fate[n].lost)
                expected[count++] = nominal;
            if (fate[n].duplicated)
                expected[count++] = nominal + ser;
            for (size_t i = 0; i < r->seens; i++)
                if (r->seen[i].host == host && r->seen[i].number == n) {
                    assert_true(seen < count);
                    assert_int_equal(r->seen[i].at, expected[seen++]);
                }
            assert_int_equal(seen, count);
            copies += fate[n].duplicated;
            delayed += fate[n].delay && !fate[n].lost;
        }
    }
    assert_int_equal(fabric_counts(r->f).duplicated, copies);
    assert_int_equal(net_count(r, FABRIC_DUPLICATED), copies);
    assert_int_equal(fabric_counts(r->f).delayed, delayed);
    assert_int_equal(net_count(r, FABRIC_DELAYED), delayed);
    net_free(r);
}

TEST(without_octets_a_corrupted_packet_carries_a_mark)
{
    struct fabric_conf conf = link_conf();
    conf.channel.corrupt = 0.1;
    struct net *r = traffic(&conf, true);
    struct channel_fate fate[PACKETS];
    fates_of(&conf, 1, fate);
    uint64_t altered = 0;
    for (uint32_t n = 0; n < PACKETS; n++) {
        assert_int_equal(packet_at(r, 1, n)->altered, fate[n].corrupted);
        assert_false(packet_at(r, 0, n)->altered); /* an acknowledgement has no user data: 20 + 32 octets */
        altered += fate[n].corrupted;
    }
    assert_true(altered > 100);
    assert_int_equal(fabric_counts(r->f).altered, altered);
    net_free(r);
}

static uint32_t sum16(const uint8_t *p, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += i % 2 ? p[i] : (uint32_t)p[i] << 8;
    while (sum >> 16)
        sum = (sum & 0xffff) + (sum >> 16);
    return sum % 0xffff;
}

/* Real octets: 1 or 2 bits of the user data differ, none of the header; where two do, TCP's sum is the same. */
TEST(with_octets_a_bit_flips_that_the_checksum_does_not_see)
{
    static const struct {
        uint8_t protocol;
        uint16_t head, data;
    } cases[] = {{IP_PROTOCOL_TCP, 120, 32},
                 {IP_PROTOCOL_TCP, 33, 32},
                 {IP_PROTOCOL_SCTP, 121, 12},
                 {IP_PROTOCOL_EXPERIMENT, 200, 24}};
    for (size_t i = 0; i < 4; i++)
        for (uint64_t seed = 1; seed < 50; seed++) {
            struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
            conf.channel.corrupt = 1;
            conf.packet_head = 24;
            conf.seed = seed;
            struct net *r = net_make(&conf);
            net_connect(r, 0, 0, 1);
            struct offer *o = net_offer(r, 0, 0, 0, IP_HEAD + cases[i].head), sent;
            o->protocol = cases[i].protocol;
            o->head = cases[i].head;
            for (unsigned n = 0; n < o->head; n++)
                o->octets[n] = (uint8_t)channel_draw(seed, n);
            o->octets[12] = o->protocol == IP_PROTOCOL_TCP ? 8 << 4 : 0; /* words; or a DATA chunk */
            sent = *o;
            fabric_impair(r->f);
            net_run(r);
            unsigned bits = 0;
            for (unsigned n = 0; n < sent.head; n++) {
                uint8_t x = r->seen[0].octets[n] ^ sent.octets[n];
                assert_true(!x || n >= cases[i].data);
                for (; x; x &= (uint8_t)(x - 1))
                    bits++;
            }
            assert_true(r->seen[0].altered); /* whether octets say so or not */
            assert_in_range(bits, 1, 2);
            assert_true(bits == 2 || cases[i].head == 33); /* one octet alone has no partner */
            if (bits == 2)
                assert_int_equal(sum16(r->seen[0].octets, sent.head), sum16(sent.octets, sent.head));
            net_free(r);
        }
}

/* The direction of the scenario is told by user data: a SACK with a DATA chunk behind it has some, alone it has none. */
TEST(sctp_has_user_data_where_it_has_a_data_chunk)
{
    for (int with_data = 0; with_data < 2; with_data++) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_LINK);
        conf.channel.loss = 1;
        conf.acks = false;
        struct net *r = net_make(&conf);
        net_connect(r, 0, 0, 1);
        struct offer *o = net_offer(r, 0, 0, 0, IP_HEAD + 12 + 16 + 20);
        o->protocol = IP_PROTOCOL_SCTP;
        o->head = 12 + 16 + 20;
        o->octets[12] = 3; /* SACK */
        o->octets[15] = 16;
        o->octets[28] = with_data ? 0 : 192; /* FORWARD-TSN */
        o->octets[31] = 20;
        fabric_impair(r->f);
        net_run(r);
        assert_int_equal(r->seens, !with_data);
        net_free(r);
    }
}

/* Switches in between lose nothing; hosts have channels of their own. */
TEST(only_the_last_link_is_impaired)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_FAT_TREE);
    conf.channel.loss = 0.2;
    struct net *r = net_make(&conf);
    uint64_t lost = 0;
    for (uint32_t c = 0; c < 8; c++) {
        net_connect(r, c, c, 15 - c);
        for (unsigned i = 0; i < 200; i++)
            net_offer(r, 0, c, 0, SIZE);
    }
    fabric_impair(r->f);
    net_run(r);
    for (uint32_t l = 0; l < fabric_links(r->f); l++) {
        struct fabric_link_stats s = fabric_link_stats(r->f, l);
        lost += s.lost;
        assert_true(!s.lost || fabric_link(r->f, l).to < 16);
    }
    for (uint32_t host = 8; host < 16; host++) {
        struct channel ch;
        uint64_t expected = 0;
        channel_init(&ch, &conf.channel, conf.seed, conf.repeat, host, 0);
        for (unsigned i = 0; i < 200; i++)
            expected += channel_take(&ch, 80000).lost;
        assert_int_equal(fabric_link_stats(r->f, fabric_link(r->f, host).reverse).lost, expected);
    }
    assert_int_equal(fabric_counts(r->f).lost, lost);
    assert_conserved(r->f);
    net_free(r);
}
