/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is refused and why, a host's mistakes, and memory that ends. */
#include "fabric_rig.h"
#include "validation/support/test.h"

static void *no_memory(void *user, size_t octets)
{
    (void)user;
    (void)octets;
    return NULL;
}

static const struct fabric_line lines[] = {{0, 2, GBPS, 0}, {1, 2, GBPS, 0}};
static const struct fabric_line twice[] = {{0, 2, GBPS, 0}, {0, 2, GBPS, 0}};
static const struct fabric_line loop[] = {{0, 2, GBPS, 0}, {1, 2, GBPS, 0}, {2, 2, GBPS, 0}};
static const struct fabric_line beyond[] = {{0, 2, GBPS, 0}, {1, 3, GBPS, 0}};
static const struct fabric_line still[] = {{0, 2, 0, 0}, {1, 2, GBPS, 0}};
static const struct fabric_line shortcut[] = {{0, 1, GBPS, 0}, {0, 2, GBPS, 0}};
static const struct fabric_line island[] = {{0, 2, GBPS, 0}, {1, 3, GBPS, 0}};

static struct fabric_conf conf_with_more(enum fabric_kind kind)
{
    struct fabric_conf conf = fabric_conf_of(kind);
    conf.more = no_memory;
    conf.file.hosts = 2;
    conf.file.switches = 1;
    conf.file.lines = 2;
    conf.file.line = lines;
    return conf;
}

static void assert_refused(const struct fabric_conf *conf, const char *word)
{
    const char *error = fabric_conf_error(conf), *keys = "";
    bool named = fabric_network_error(conf, &keys) && strstr(keys, word);
    char memory[64];
    if (!error || !(named || strstr(error, word)))
        fail_msg("expected '%s', got: %s: %s", word, keys, error ? error : "nothing");
    assert_int_equal(fabric_size(conf), 0);
    assert_null(fabric_init(memory, conf));
}

#define REFUSED(KIND, WORD, ...)                     \
    do {                                             \
        struct fabric_conf c = conf_with_more(KIND); \
        assert_null(fabric_conf_error(&c));          \
        __VA_ARGS__;                                 \
        assert_refused(&c, WORD);                    \
    } while (0)

TEST(a_configuration_that_cannot_be_built_is_refused_with_the_reason)
{
    REFUSED(FABRIC_LINK, "rate", c.rate = 0);
    REFUSED(FABRIC_LINK, "rate", c.rate = UINT64_MAX);
    REFUSED(FABRIC_LINK, "delay", c.delay = UINT64_MAX);
    REFUSED(FABRIC_LINK, "MTU", c.mtu = 20);
    REFUSED(FABRIC_LINK, "MTU", c.mtu = 65536);
    REFUSED(FABRIC_LINK, "framing", c.framing = 65536);
    REFUSED(FABRIC_LINK, "packet_head", c.packet_head = 65536);
    REFUSED(FABRIC_LINK, "more", c.more = NULL);
    REFUSED(FABRIC_LINK, "timer", c.timers = 1);
    REFUSED(FABRIC_LINK, "timers", c.timers = UINT32_MAX);
    REFUSED(FABRIC_LINK, "connections", c.connections = UINT32_MAX);
    REFUSED(FABRIC_LINK, "probability", c.channel.loss = 2);
    REFUSED(FABRIC_LINK, "no such topology", c.kind = (enum fabric_kind)17);
    REFUSED(FABRIC_STAR, "star", c.hosts = 1);
    REFUSED(FABRIC_STAR, "star", c.hosts = UINT32_MAX);
    REFUSED(FABRIC_FAT_TREE, "topology.k", c.fat_tree.k = 5);
    REFUSED(FABRIC_FAT_TREE, "topology.k", c.fat_tree.k = 0);
    REFUSED(FABRIC_FAT_TREE, "topology.k", c.fat_tree.k = 66);
    REFUSED(FABRIC_FAT_TREE, "oversubscription", c.fat_tree.oversubscription = 0.5);
    REFUSED(FABRIC_FAT_TREE, "oversubscription", c.fat_tree.oversubscription = 0.0 / 0.0);
    REFUSED(FABRIC_DRAGONFLY, "multiple", c.dragonfly.groups = 6);
    REFUSED(FABRIC_DRAGONFLY, "multiple", c.dragonfly.globals = 3);
    REFUSED(FABRIC_DRAGONFLY, "routers", c.dragonfly.routers = 0);
    REFUSED(FABRIC_DRAGONFLY, "2^20", c.dragonfly.hosts = UINT32_MAX);
    REFUSED(FABRIC_FILE, "described", c.file.hosts = 1);
    REFUSED(FABRIC_FILE, "described", c.file.line = NULL);
    REFUSED(FABRIC_FILE, "described", c.file.switches = 5000);
    REFUSED(FABRIC_FILE, "exactly one link", c.file.lines = 1);
    REFUSED(FABRIC_FILE, "exactly one link", c.file.ports = 2);
    REFUSED(FABRIC_FILE, "at most eight ports", c.file.ports = 9);
    REFUSED(FABRIC_FILE, "no more than the most", c.file.own_ports = (const uint8_t[]){1, 0, 1, 1},
            c.file.ports = 2);
    REFUSED(FABRIC_FILE, "two existing nodes", c.file.line = beyond);
    REFUSED(FABRIC_FILE, "two existing nodes", c.file.line = loop, c.file.lines = 3);
    REFUSED(FABRIC_FILE, "rate", c.file.line = still);
    REFUSED(FABRIC_FILE, "two hosts", c.file.line = shortcut);
    REFUSED(FABRIC_STAR, "buffer", c.buffer = UINT64_C(1) << 32);
    REFUSED(FABRIC_STAR, "alpha", c.shared = true);
    REFUSED(FABRIC_STAR, "alpha", c.shared = true, c.alpha = 65);
    REFUSED(FABRIC_STAR, "two ways", c.red.kmax = 1000, c.ecn_threshold = 1);
    REFUSED(FABRIC_STAR, "kmin", c.red.kmax = 1000, c.red.kmin = 1001);
    REFUSED(FABRIC_STAR, "pmax", c.red.kmax = 1000, c.red.pmax = 1.1);
    REFUSED(FABRIC_STAR, "xon", c.pfc.on = true, c.pfc.xoff = 1000, c.pfc.xon = 1000);
    REFUSED(FABRIC_STAR, "headroom", c.pfc.on = true, c.pfc.xoff = 1000, c.pfc.headroom = 1000);
    REFUSED(FABRIC_STAR, "buffer", c.pfc.on = true, c.pfc.xoff = 1000, c.pfc.headroom = 1 << 20);
    REFUSED(FABRIC_STAR, "no queue overflows", c.pfc.on = true, c.pfc.xoff = 1000, c.pfc.headroom = 100000,
            c.trim = true, c.trimmed = 44);
    REFUSED(FABRIC_STAR, "trimmed packet", c.packet_head = 24, c.trim = true, c.trimmed = 43);
    REFUSED(FABRIC_STAR, "trimmed packet", c.trim = true, c.trimmed = c.mtu + 1);
    REFUSED(FABRIC_STAR, "buffer_sharing", c.pfc.on = true, c.pfc.xoff = 1000, c.pfc.headroom = 100000,
            c.shared = true, c.alpha = 1);
}

/* Two lines of one host, or an island: seen when it is built. */
static uint32_t ports_with(uint32_t globals)
{
    struct fabric_conf conf = conf_with_more(FABRIC_DRAGONFLY);
    conf.dragonfly.globals = globals;
    assert_null(fabric_conf_error(&conf));
    return fabric_topology_of(&conf)->extent(&conf).ports;
}

/* Five groups of two routers: four others share each two. */
TEST(global_lines_that_nobody_counted_are_the_fewest_that_are_even)
{
    assert_int_equal(ports_with(0), ports_with(2));
    assert_int_not_equal(ports_with(0), ports_with(4));
}

TEST(a_described_network_that_is_not_one_is_not_built)
{
    struct fabric_conf conf = conf_with_more(FABRIC_FILE);
    void *memory = malloc(fabric_size(&conf));
    assert_non_null(fabric_init(memory, &conf));
    conf.file.line = twice;
    assert_null(fabric_init(memory, &conf));
    free(memory);
    conf.file.line = island;
    conf.file.switches = 2;
    memory = malloc(fabric_size(&conf));
    assert_null(fabric_init(memory, &conf));
    free(memory);
}

TEST(connections_are_registered_once_between_two_hosts)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    struct net *r = net_make(&conf);
    assert_int_equal(fabric_connect(r->f, 16, 0, 1), -1);
    assert_int_equal(fabric_connect(r->f, 0, 0, 8), -1);
    assert_int_equal(fabric_connect(r->f, 0, 8, 0), -1);
    assert_int_equal(fabric_connect(r->f, 0, 3, 3), -1);
    assert_int_equal(fabric_connect(r->f, 0, 3, 0), 0);
    assert_int_equal(fabric_connect(r->f, 0, 3, 0), -1);
    net_free(r);
}

static void spoil(struct offer *o, unsigned how)
{
    switch (how) {
    case 0: o->size = 9001; break;
    case 1: o->size = 19; break;
    case 2: o->head = 81; break;
    case 3: o->connection = 16; break;
    case 4: o->connection = 1; break; /* nobody's */
    case 5: o->connection = 2; break; /* others' */
    case 6: o->direction = 1; break;  /* the other end's */
    default: o->direction = 2; break;
    }
}

TEST(a_packet_that_nobody_can_carry_ends_the_run)
{
    for (unsigned how = 0; how < 8; how++) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
        struct net *r = net_make(&conf);
        net_connect(r, 0, 0, 1);
        net_connect(r, 2, 2, 3);
        net_offer(r, 0, 0, 0, 100);
        spoil(net_offer(r, US, 0, 0, 100), how);
        assert_null(fabric_mistake(r->f));
        assert_int_equal(net_run(r), FABRIC_MISTAKE);
        assert_non_null(fabric_mistake(r->f));
        assert_int_equal(fabric_now(r->f), US);
        assert_int_equal(fabric_run(r->f, IW_NEVER), FABRIC_MISTAKE);
        assert_int_equal(fabric_counts(r->f).sent, 1);
        net_free(r);
    }
}

TEST(the_largest_packet_goes_through)
{
    struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
    struct net *r = net_make(&conf);
    net_connect(r, 0, 0, 1);
    net_offer(r, 0, 0, 0, 9000);
    net_offer(r, 0, 0, 0, 20);
    net_offer(r, 0, 0, 0, 100)->head = 80;
    assert_int_equal(net_run(r), FABRIC_IDLE);
    assert_int_equal(r->seens, 3);
    net_free(r);
}

/* Chunk after chunk is refused, until the traffic needs no more: each run ends orderly, and stays ended. */
TEST(memory_that_ends_ends_the_run)
{
    enum fabric_end end = FABRIC_MEMORY;
    for (size_t refuse = 1; end == FABRIC_MEMORY; refuse++) {
        struct fabric_conf conf = fabric_conf_of(FABRIC_STAR);
        conf.channel.duplicate = 0.5;
        conf.channel.jitter = 100 * US;
        conf.buffer = 1 << 24;
        struct net *r = net_make(&conf);
        r->refuse = refuse;
        for (uint32_t c = 0; c < 7; c++) {
            net_connect(r, c, c, 7);
            for (unsigned i = 0; i < 400; i++) {
                struct offer *o = net_offer(r, 0, c, 0, 1000);
                o->head = (uint16_t)(i % 256);
            }
        }
        fabric_impair(r->f);
        end = net_run(r);
        assert_int_equal(end, end == FABRIC_MEMORY ? fabric_run(r->f, IW_NEVER) : FABRIC_IDLE);
        assert_true(refuse < 100);
        assert_int_equal(r->seens >= 7 * 400, end == FABRIC_IDLE);
        net_free(r);
    }
}
