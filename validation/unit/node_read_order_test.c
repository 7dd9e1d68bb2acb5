/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_read_order_test.c -- several RDMA Reads are outstanding: in which order memory is read for them, and what they bring. */
#include "engine/rdmap.h"
#include "llp/sctp.h"
#include "llp/tcp.h"
#include "node_rig.h"

enum { PD = 1, READS = 32, SIZE = 1000 };

/* Memory at side 1 is the number of the instant, which grows while the Reads are answered. */
struct scene {
    struct two_nodes *nodes;
    uint8_t sink[READS][SIZE], source[SIZE], instant;
    uint64_t key[READS];   /* of the Response to each Read */
    uint8_t seen[READS];   /* the instant at which memory was read for it */
    unsigned pulled, read; /* Responses made; read from memory */
    unsigned overtaken;    /* read from memory before one that was asked for earlier */
    unsigned done;         /* Reads, in their order */
};

static unsigned number_of(const struct scene *s, uint64_t key)
{
    for (unsigned i = 0; i < s->pulled; i++)
        if (s->key[i] == key)
            return i;
    return READS;
}

static bool is_response(const struct node_event *e)
{
    return rdmap_opcode_of(e->seg.head) == RDMAP_READ_RESP;
}

static void hear(void *user, int side, const struct node_event *e)
{
    struct scene *s = user;
    if (side == 1 && e->kind == NODE_PULLED && is_response(e))
        s->key[s->pulled++] = e->key;
    if (side == 1 && e->kind == NODE_SNAPSHOT && number_of(s, e->key) < READS) {
        unsigned i = number_of(s, e->key);
        s->seen[i] = s->instant;
        s->overtaken += i != s->read++;
    }
}

static struct scene *open_scene(const struct llp *llp, enum rnic_read_order order)
{
    struct scene *s = calloc(1, sizeof *s);
    struct run_conf run = run_of(US);
    const char *why;
    run.llp = llp;
    run.link.mtu = 1460;
    run.real = true;
    run.depth = run.ord = READS;
    run.rnic[0] = run.rnic[1] = preset("ideal");
    run.rnic[1].pcie.read = 500 * NS;
    run.rnic[1].iommu.read_miss = 300;
    run.rnic[1].iommu.walk = 3 * US;
    run.rnic[1].read_order = order;
    struct two_nodes_conf c = run_nodes(&run);
    s->nodes = two_nodes_new(&c, hear, s, &why);
    if (!s->nodes)
        fail_msg("%s", why);
    assert_true(two_nodes_connect(s->nodes, MS));
    return s;
}

static iw_stag share(struct scene *s, int side, void *memory, uint32_t len)
{
    struct iw_region region = {
        .base = memory, .len = len, .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE, .pd = PD};
    iw_stag stag = 0;
    assert_int_equal(iw_register(node_stags(two_nodes_node(s->nodes, side)), &region, &stag), IW_OK);
    return stag;
}

static void post_all(struct scene *s)
{
    iw_stag sink = share(s, 0, s->sink, sizeof s->sink), source = share(s, 1, s->source, SIZE);
    for (uint32_t i = 0; i < READS; i++) {
        struct iw_work w = {.op = IW_READ,
                            .id = i,
                            .sges = 1,
                            .sge = {{sink, SIZE, (uint64_t)i * SIZE}},
                            .remote_stag = source};
        assert_int_equal(two_nodes_post(s->nodes, 0, 0, &w), IW_OK);
    }
}

/* Reads complete in the order posted. */
static void poll(struct scene *s)
{
    struct iw_done done;
    while (node_poll(two_nodes_node(s->nodes, 0), &done)) {
        assert_int_equal(done.status, IW_OK);
        assert_int_equal(done.id, s->done++);
    }
}

/* How many Reads had their memory read before one that was asked for earlier. */
static unsigned overtaken(const struct llp *llp, enum rnic_read_order order)
{
    struct scene *s = open_scene(llp, order);
    post_all(s);
    while (two_nodes_step(s->nodes)) {
        poll(s);
        memset(s->source, ++s->instant, SIZE);
    }
    assert_int_equal(s->done, READS);
    assert_int_equal(s->read, READS);
    for (unsigned i = 0; i < READS; i++) {
        assert_true(i == 0 ||
                    s->key[i] >
                        s->key[i - 1]); /* Responses are made and leave in the order of the Requests */
        for (unsigned k = 0; k < SIZE; k++)
            assert_int_equal(s->sink[i][k], s->seen[i]);
    }
    for (int side = 0; side < 2; side++) {
        assert_null(node_leftover(two_nodes_node(s->nodes, side)));
        assert_int_equal(two_nodes_under_way(s->nodes, side), 0);
    }
    unsigned count = s->overtaken;
    two_nodes_free(s->nodes);
    free(s);
    return count;
}

/* checks: RDMAP-5.5-20a RDMAP-5.5-20b RDMAP-5.5-15 */
TEST(memory_of_outstanding_reads_is_read_in_any_order_and_they_complete_in_theirs)
{
    static const struct llp *const tables[] = {&llp_tcp, &llp_sctp, &llp_packet, &llp_ideal};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        assert_int_equal(overtaken(tables[i], RNIC_READS_ONE_BY_ONE), 0);
        assert_true(overtaken(tables[i], RNIC_READS_IN_ANY_ORDER) > READS / 8);
    }
}
