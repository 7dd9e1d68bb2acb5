/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tenants of a node: what is scarce is asked of the resource manager, on behalf of the ULP that wants it. Shared receives need a
 * peer: command/tenants_test.py. */
#include "node_rig.h"

#include "llp/tcp.h"
#include "node/node_inner.h"

enum { A = 1, B = 2, TENANTS = 2 };

struct host {
    struct node *node;
    void *block[8];
    unsigned blocks;
};

static void *more(void *user, size_t octets)
{
    struct host *h = user;
    assert_true(h->blocks < sizeof h->block / sizeof *h->block);
    return h->block[h->blocks++] = malloc(octets);
}

static struct node_conf conf_of(struct host *h, const struct rnic_conf *rnic,
                                const struct node_tenant tenant[])
{
    return (struct node_conf){.rnic = rnic,
                              .streams = 4,
                              .connections = 4,
                              .regions_max = 8,
                              .cq_entries = 8,
                              .tenants = TENANTS,
                              .tenant = tenant,
                              .line_rate = GBPS,
                              .mtu = 1500,
                              .memory = {more, h}};
}

/* Of `what` a may have `limit`, b what it likes. */
static void open_host(struct host *h, enum iw_resource what, uint32_t limit)
{
    struct rnic_conf rnic = preset("ideal");
    struct node_tenant tenant[TENANTS] = {{.group = 1, .pd = 1}, {.group = 2, .pd = 2}};
    for (int r = 0; r < IW_PRM_RESOURCES; r++)
        tenant[0].limit[r] = tenant[1].limit[r] = UINT32_MAX;
    tenant[0].limit[what] = limit;
    *h = (struct host){.blocks = 0};
    struct node_conf conf = conf_of(h, &rnic, tenant);
    h->node = node_init(malloc(node_size(&conf)), &conf);
}

static void close_host(struct host *h)
{
    for (unsigned i = 0; i < h->blocks; i++)
        free(h->block[i]);
    free(h->node);
}

static int connect_for(struct host *h, uint32_t tenant, uint32_t *stream)
{
    static const uint64_t user[1];
    struct tcp_conf tcp;
    tcp_defaults(&tcp);
    const struct node_connection_conf c = {.llp = &llp_tcp,
                                           .conf = {.mtu = 1500,
                                                    .window = 256 * KIB,
                                                    .reorder = 4,
                                                    .streams = 1,
                                                    .initiator = true,
                                                    .local_port = 1,
                                                    .remote_port = 1,
                                                    .source = 1,
                                                    .destination = 2,
                                                    .ord = 4,
                                                    .ird = 4,
                                                    .start_timeout = 1000 * US,
                                                    .min_rto = US,
                                                    .max_rto = 1000 * US,
                                                    .delayed_ack = 1,
                                                    .crc = true,
                                                    .tcp = &tcp},
                                           .ep = {.pd = 9,
                                                  .stream = 1 + h->node->streams,
                                                  .sq_max = 4,
                                                  .rq_max = 4,
                                                  .ord = 4,
                                                  .ird = 4,
                                                  .reorder_max = 4},
                                           .user = user,
                                           .tenant = tenant};
    uint32_t connection;
    const char *why;
    return node_connect(h->node, &c, &connection, stream, &why);
}

static uint32_t used(const struct host *h, uint32_t tenant, enum iw_resource what)
{
    return iw_prm_used(node_resources(h->node), tenant, what);
}

/* checks: RDMAP-8.1.2-0 RDMAP-8.1.2-2 DDP-8.3-6 DDP-8.3.2-2 */
TEST(streams_are_limited_by_tenant)
{
    struct host h;
    uint32_t stream;
    (void)state;
    open_host(&h, IW_PRM_ENDPOINTS, 1);
    assert_int_equal(connect_for(&h, A, &stream), IW_OK);
    assert_int_equal(connect_for(&h, A, &stream), IW_EQUOTA);
    assert_int_equal(connect_for(&h, B, &stream), IW_OK);
    assert_int_equal(connect_for(&h, B, &stream), IW_OK);
    assert_int_equal(connect_for(&h, 0, &stream), IW_OK);
    assert_int_equal(used(&h, A, IW_PRM_ENDPOINTS), 1);
    close_host(&h);
}

/* checks: RDMAP-8.1.2-7 */
TEST(inbound_reads_are_of_a_stream_and_limited_by_tenant)
{
    struct host h;
    uint32_t stream;
    (void)state;
    open_host(&h, IW_PRM_READ_SLOTS, 7);
    assert_int_equal(connect_for(&h, A, &stream), IW_OK);
    assert_int_equal(connect_for(&h, A, &stream), IW_EQUOTA);
    assert_int_equal(used(&h, A, IW_PRM_ENDPOINTS), 1); /* what was refused has taken nothing */
    assert_int_equal(used(&h, A, IW_PRM_READ_SLOTS), 4);
    close_host(&h);
}

static int register_for(struct host *h, uint32_t tenant, void *base, iw_stag *stag)
{
    const struct iw_region region = {
        .base = base, .len = 64, .rights = IW_LOCAL_WRITE, .pd = tenant, .owner = tenant};
    return node_register(h->node, &region, stag);
}

/* checks: DDP-8.3.2-4 RDMAP-8.1.2-4 */
TEST(a_tenant_registers_its_own_memory_and_no_more_than_it_may)
{
    struct host h;
    uint8_t mine[64], yours[64];
    iw_stag stag;
    (void)state;
    open_host(&h, IW_PRM_REGIONS, 2);
    assert_int_equal(register_for(&h, A, mine, &stag), IW_EQUOTA); /* nobody has granted it */
    assert_int_equal(node_grant(h.node, A, mine, sizeof mine), IW_OK);
    assert_int_equal(node_grant(h.node, B, yours, sizeof yours), IW_OK);
    assert_int_equal(register_for(&h, A, yours, &stag), IW_EQUOTA);
    assert_int_equal(register_for(&h, A, mine, &stag), IW_OK);
    assert_int_equal(register_for(&h, A, NULL, &stag), IW_OK);
    assert_int_equal(register_for(&h, A, mine, &stag), IW_EQUOTA);
    assert_int_equal(register_for(&h, B, yours, &stag), IW_OK);
    assert_int_equal(register_for(&h, 0, yours, &stag), IW_EINVAL); /* nobody's: no domain, no stream */
    close_host(&h);
}

static int post_recv(struct host *h, uint32_t stream)
{
    const struct iw_work recv = {.op = IW_RECV};
    return node_post(h->node, 0, stream, &recv);
}

/* checks: RDMAP-8.1.2-5 */
TEST(a_request_takes_an_entry_until_its_completion_is_taken)
{
    struct host h;
    uint32_t a, b;
    struct iw_done done;
    (void)state;
    open_host(&h, IW_PRM_CQ_ENTRIES, 2);
    assert_int_equal(connect_for(&h, A, &a), IW_OK);
    assert_int_equal(connect_for(&h, B, &b), IW_OK);
    assert_int_equal(post_recv(&h, a), IW_OK);
    assert_int_equal(post_recv(&h, a), IW_OK);
    assert_int_equal(post_recv(&h, a), IW_EQUOTA);
    for (int i = 0; i < 3; i++)
        assert_int_equal(post_recv(&h, b), IW_OK);
    node_close(h.node, 0, a, IW_ABORT);
    assert_false(node_poll_of(h.node, b, &done)); /* b has a queue of its own, and nothing of it is over */
    for (uint32_t left = 2; left > 0; left--) {
        assert_int_equal(used(&h, A, IW_PRM_CQ_ENTRIES), left);
        assert_true(node_poll_of(h.node, a, &done));
        assert_int_equal(done.status, IW_FLUSHED);
    }
    assert_int_equal(used(&h, A, IW_PRM_CQ_ENTRIES), 0);
    assert_int_equal(post_recv(&h, a), IW_ESTATE);
    assert_int_equal(used(&h, A, IW_PRM_CQ_ENTRIES), 0); /* a request that was not taken has no entry */
    assert_int_equal(used(&h, B, IW_PRM_CQ_ENTRIES), 3);
    close_host(&h);
}

/* checks: DDP-8.3.2-3 RDMAP-8.1.2-3 */
TEST(who_shares_a_queue_is_of_one_domain)
{
    struct rnic_conf rnic = preset("ideal");
    struct host h = {.blocks = 0};
    struct node_tenant tenant[TENANTS] = {{.group = 1, .pd = 1}, {.group = 1, .pd = 1}};
    struct node_conf conf = conf_of(&h, &rnic, tenant);
    (void)state;
    assert_null(node_conf_error(&conf));
    tenant[1].pd = 2;
    assert_non_null(node_conf_error(&conf));
    tenant[1].group = 2;
    assert_null(node_conf_error(&conf));
    tenant[1].group = 3;
    assert_non_null(node_conf_error(&conf));
    tenant[1].group = 0;
    assert_non_null(node_conf_error(&conf));
}
