/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The factory: what follows from llp.* for the parts of a host (node/factory.h), each value by hand. */
#include "rig.h"

#include "node/factory.h"

/* What a scenario has that says nothing. */
static const struct llp_keys plain = {.kind = LLP_MPA,
                                      .crc = true,
                                      .congestion = CONGESTION_cubic,
                                      .initial_window = 10,
                                      .min_rto = 1000000000,
                                      .initial_rto = 10000000000,
                                      .msl = 1000000000,
                                      .delayed_ack = 2,
                                      .delayed_ack_timeout = 50000000,
                                      .detection = DETECTION_rack,
                                      .dupack_threshold = 3,
                                      .ord = 16,
                                      .ird = 8,
                                      .streams = 1};

static struct factory made(const struct llp_keys *k, uint64_t window)
{
    struct rnic_conf rnic;
    rnic_preset_load(&rnic, &rnic_presets[0]);
    rnic.window.bytes = window;
    struct factory_conf c = {.llp = k,
                             .rnic = &rnic,
                             .mtu = 1500,
                             .segment = 1000,
                             .rate = 100000000000,
                             .flight = 70,
                             .track = 140,
                             .timeout = 5,
                             .late = 6,
                             .start_timeout = 7,
                             .pd = 1,
                             .sq_max = 9,
                             .rq_max = 11};
    struct factory f;
    factory_init(&f, &c);
    return f;
}

TEST(each_kind_has_its_table)
{
    const struct llp *const tables[] = {&llp_tcp, &llp_sctp, &llp_ideal, &llp_packet};
    const enum llp_kind kinds[] = {LLP_MPA, LLP_SCTP, LLP_IDEAL, LLP_PACKET};
    for (int i = 0; i < 4; i++) {
        struct llp_keys k = plain;
        k.kind = kinds[i];
        struct factory f = made(&k, 65536);
        assert_ptr_equal(f.llp, tables[i]);
        assert_int_equal(f.ep.ord, 8);                              /* what the other end answers */
        assert_int_equal(f.conf.ord, kinds[i] == LLP_MPA ? 16 : 8); /* MPA agrees on it */
        assert_int_equal(f.conf.ird, 8);
        assert_true(f.ep.linger == (kinds[i] == LLP_SCTP ? 2048000000000u : 16000000000u));
        assert_int_equal(f.ep.reorder_max,
                         kinds[i] == LLP_PACKET ? 64 + 140 : 64 + 131); /* 2 x 65536 / 1000 */
        assert_int_equal(f.conf.reorder, f.ep.reorder_max);
        assert_true(f.conf.timeout == 5 && f.conf.late == 6 && f.conf.start_timeout == 7);
    }
    struct llp_keys ideal = plain;
    ideal.kind = LLP_IDEAL;
    struct factory_conf slow = {.llp = &ideal,
                                .rnic = &(struct rnic_conf){.window.bytes = 65536},
                                .mtu = 1500,
                                .segment = 1000,
                                .timeout = 3000000000};
    struct factory f;
    factory_init(&f, &slow);
    assert_true(f.ep.linger == 16 * slow.timeout); /* a Terminate that is lost leaves again in time */
    struct factory wide = made(&plain, 1 << 30);
    assert_int_equal(wide.ep.reorder_max, 16384);
}

TEST(tcp_has_what_was_said_of_it)
{
    static const struct {
        enum llp_congestion said;
        enum llp_ecn ecn;
        const struct tcp_congestion *congestion;
        bool marks;
    } rows[] = {{CONGESTION_cubic, ECN_AUTO, &tcp_cubic, false},
                {CONGESTION_dctcp, ECN_AUTO, &tcp_dctcp, true},
                {CONGESTION_dctcp, ECN_OFF, &tcp_dctcp, false},
                {CONGESTION_newreno, ECN_ON, &tcp_newreno, true},
                {CONGESTION_fixed, ECN_AUTO, &tcp_fixed, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llp_keys k = plain;
        k.congestion = rows[i].said;
        k.ecn = rows[i].ecn;
        k.congestion_window = 64000;
        struct factory f = made(&k, 1 << 20);
        assert_ptr_equal(f.tcp.congestion, rows[i].congestion);
        assert_int_equal(f.tcp.ecn, rows[i].marks);
        assert_int_equal(f.tcp.fixed_window, 64000);
        assert_int_equal(f.tcp.window_shift, 5); /* 2^20 octets: 32 units of 2^15 in 16 bits */
        assert_int_equal(f.tcp.mtu, 1500);
    }
    struct llp_keys k = plain;
    k.detection = DETECTION_dupack;
    k.dupack_threshold = 7;
    k.min_rto = 20000000000;
    struct factory f = made(&k, 65536);
    assert_ptr_equal(f.tcp.detection, &tcp_dupack);
    assert_int_equal(f.tcp.dupack_threshold, 7);
    assert_true(f.tcp.initial_rto == 20000000000); /* never below the shortest */
    k.detection = DETECTION_rack;
    k.dupack_threshold = 0; /* adaptive: TCP's own */
    f = made(&k, 65536);
    assert_ptr_equal(f.tcp.detection, &tcp_rack);
    assert_int_equal(f.tcp.dupack_threshold, 3);
}

/* What scenarios refuse, and a script may say. */
TEST(a_control_that_is_no_tcps_is_refused)
{
    struct llp_keys k = plain;
    k.congestion = CONGESTION_dcqcn;
    struct factory f = made(&k, 65536);
    struct llp_conf conf = f.conf;
    conf.tcp = &f.tcp;
    assert_null(f.tcp.congestion);
    assert_non_null(f.llp->conf_error(&conf));
}

TEST(checks_go_together)
{
    struct llp_keys k = plain;
    k.markers = true;
    k.crc_error = CRC_ERROR_DROP;
    struct factory f = made(&k, 65536);
    assert_true(f.conf.markers && f.conf.crc && f.conf.crc_drop && f.conf.trust_alignment && !f.conf.go_back);
    k.crc = false; /* nothing to drop for */
    f = made(&k, 65536);
    assert_false(f.conf.crc || f.conf.crc_drop || f.conf.trust_alignment);
    k.kind = LLP_PACKET; /* has its own check, and no markers */
    k.recovery = PACKET_GO_BACK_N;
    k.congestion = CONGESTION_dcqcn;
    f = made(&k, 65536);
    assert_true(f.conf.crc && !f.conf.markers && f.conf.go_back && f.packet.congestion == &packet_dcqcn);
    assert_true(f.packet.recovery == PACKET_GO_BACK_N && f.packet.flight == 70 && f.packet.track == 140);
    k.recovery = PACKET_IRN;
    f = made(&k, 65536);
    assert_true(f.packet.recovery == PACKET_IRN && !f.conf.go_back);
    k.recovery = PACKET_RUD;
    assert_int_equal(made(&k, 65536).packet.recovery, PACKET_RUD);
}

TEST(each_end_draws_for_itself_but_those_of_an_association_together)
{
    struct llp_keys k = plain;
    struct factory_end end = {.number = 3,
                              .initiator = true,
                              .streams = 2,
                              .source = 1,
                              .destination = 2,
                              .local_port = 4,
                              .remote_port = 5,
                              .seed = 6};
    for (k.kind = LLP_MPA; k.kind <= LLP_SCTP; k.kind++) {
        struct factory f = made(&k, 65536);
        end.initiator = true;
        struct node_connection_conf a = factory_connection(&f, &end);
        end.initiator = false;
        struct node_connection_conf b = factory_connection(&f, &end);
        assert_int_equal(a.conf.secret == b.conf.secret, k.kind == LLP_SCTP);
        assert_true(a.conf.initiator && !b.conf.initiator);
        assert_true(a.number == 3 && a.conf.streams == 2 && a.conf.source == 1 && a.conf.destination == 2 &&
                    a.conf.local_port == 4 && a.conf.remote_port == 5);
        assert_ptr_equal(a.conf.tcp, &f.tcp);
        end.number++;
        assert_true(factory_connection(&f, &end).conf.secret != b.conf.secret);
        end.number = 3;
    }
}

/* One of a host's ports, as many as it has: drawn, but where packets are dealt to all. */
TEST(a_port_is_drawn_among_those_of_the_end_s_host)
{
    struct llp_keys k = plain;
    k.kind = LLP_MPA;
    struct factory tcp = made(&k, 65536);
    k.kind = LLP_PACKET;
    k.recovery = PACKET_RUD;
    struct factory rud = made(&k, 65536);
    unsigned used = 0;
    for (uint32_t i = 0; i < 100; i++) {
        struct factory_end end = {.number = i, .seed = 1, .ports = 1};
        assert_int_equal(factory_port(&tcp, &end), 0);
        end.ports = 5;
        used |= 1u << factory_port(&tcp, &end);
        assert_int_equal(factory_port(&rud, &end), NODE_ANY_PORT);
        assert_int_equal(factory_connection(&rud, &end).conf.ports, 5);
    }
    assert_int_equal(used, 31);
}

/* checks: DRAFT00-D2 */
TEST(a_profile_is_the_engine_s_and_the_draft_never_waits)
{
    static const struct {
        enum llp_profile profile;
        enum llp_missing_buffer missing;
        unsigned engine;
    } rows[] = {{PROFILE_RFC, MISSING_BUFFER_END, 0},
                {PROFILE_RFC, MISSING_BUFFER_WAIT, IW_RECOVER},
                {PROFILE_DRAFT00, MISSING_BUFFER_END, IW_DRAFT00},
                {PROFILE_DRAFT00, MISSING_BUFFER_WAIT, IW_DRAFT00},
                {PROFILE_RDMAC, MISSING_BUFFER_WAIT, IW_RDMAC | IW_RECOVER},
                {PROFILE_STRICT, MISSING_BUFFER_WAIT, IW_STRICT | IW_RECOVER}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct llp_keys k = plain;
        k.profile = rows[i].profile;
        k.missing_buffer = rows[i].missing;
        struct factory f = made(&k, 65536);
        assert_int_equal(f.ep.profile, rows[i].engine);
        assert_int_equal(f.conf.rdmac, rows[i].profile == PROFILE_RDMAC);
    }
}
