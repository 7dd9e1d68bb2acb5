/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A host that speaks DDPP core: what it refuses, one message at a time, and from client to memory. */
#include <stdlib.h>
#include <string.h>

#include "node/ddpp_host.h"
#include "validation/support/test.h"

enum { MTU = 1480, ROOM = 100000, PD = 1, PACKETS = 400 };

struct pair {
    struct ddpp_host *host[2]; /* client, placer */
    uint8_t source[ROOM], memory[ROOM];
    iw_stag stag;
    uint32_t told;
    uint64_t placed;
};

static struct ddpp_host_conf conf_of(bool client)
{
    struct ddpp_host_conf c = {.client = client, .regions_max = 1};
    sctp_defaults(&c.sctp);
    c.sctp.local_port = client ? 1 : 2;
    c.sctp.remote_port = client ? 2 : 1;
    c.sctp.mtu = MTU;
    c.sctp.streams = 1;
    c.sctp.chunks = 64;
    c.sctp.store = 64 * MTU;
    c.sctp.hold = 64;
    c.sctp.rwnd = 64 * MTU;
    c.sctp.secret[0] = client;
    c.ddpp = (struct ddpp_conf){
        .pd = PD, .stream = 1, .reliable = true, .ordered = true, .remember = 64, .keep = 4};
    return c;
}

static void placed(void *user, iw_time now, const struct ddpp_place *place)
{
    struct pair *p = user;
    (void)now;
    p->placed += place->len;
}

static void told(void *user, iw_time now, const struct ddpp_event *event)
{
    struct pair *p = user;
    (void)now, (void)event;
    p->told++;
}

static struct ddpp_host *host(const struct ddpp_host_conf *conf, struct pair *p)
{
    const struct ddpp_host_user user = {.user = p, .placed = placed, .told = told};
    return ddpp_host_init(malloc(ddpp_host_size(conf)), conf, &user);
}

/* Packets go to and fro until nobody has any. */
static void carry(struct pair *p)
{
    struct ip_packet packet;
    bool some = true;
    for (int n = 0; some && n < PACKETS; n++) {
        some = false;
        for (int side = 0; side < 2; side++)
            while (ddpp_host_transmit(p->host[side], 0, &packet)) {
                assert_true(packet.size <= MTU + 20);
                ddpp_host_arrive(p->host[!side], 0, &packet);
                some = true;
            }
    }
}

static struct pair *open_pair(void)
{
    struct pair *p = calloc(1, sizeof *p);
    struct iw_region region = {.base = p->memory, .len = ROOM, .rights = IW_REMOTE_WRITE, .pd = PD};
    for (size_t i = 0; i < ROOM; i++)
        p->source[i] = (uint8_t)(i * 7 >> 3);
    for (int side = 0; side < 2; side++) {
        struct ddpp_host_conf conf = conf_of(side == 0);
        p->host[side] = host(&conf, p);
        assert_non_null(p->host[side]);
    }
    assert_int_equal(iw_register(ddpp_host_stags(p->host[1]), &region, &p->stag), IW_OK);
    ddpp_host_open(p->host[0], 0);
    carry(p);
    assert_true(ddpp_host_is_up(p->host[0]) && ddpp_host_is_up(p->host[1]));
    return p;
}

static void close_pair(struct pair *p)
{
    free(p->host[0]);
    free(p->host[1]);
    free(p);
}

TEST(what_makes_no_sense_is_refused)
{
    struct ddpp_host_conf c = conf_of(true);
    assert_null(ddpp_host_conf_error(&c));
    c.sctp.local_port = 0;
    assert_string_equal(ddpp_host_conf_error(&c), sctp_conf_error(&c.sctp));
    assert_int_equal(ddpp_host_size(&c), 0);
    assert_null(ddpp_host_init(NULL, &c, NULL));
    c = conf_of(true);
    c.ddpp.reliable = c.sctp.partial = false;
    assert_non_null(strstr(ddpp_host_conf_error(&c), "partial"));
    c.sctp.partial = true;
    assert_null(ddpp_host_conf_error(&c));
    c.ddpp.remember = 3;
    assert_non_null(ddpp_host_conf_error(&c));
    c = conf_of(false);
    c.regions_max = 0;
    assert_non_null(strstr(ddpp_host_conf_error(&c), "regions_max"));
}

/* A message that SCTP has no room for yet waits, and no other passes it. */
TEST(one_message_at_a_time)
{
    struct pair *p = open_pair();
    const struct ddpp_send all = {.stag = p->stag, .len = ROOM, .notify = true, .id = 5};
    const struct ddpp_send wrong = {.stag = p->stag, .len = ROOM, .atomic = true};
    assert_int_equal(ddpp_host_send(p->host[0], &wrong, p->source), IW_EINVAL);
    assert_true(ddpp_host_is_idle(p->host[0]));
    assert_int_equal(ddpp_host_send(p->host[0], &all, p->source), IW_OK);
    assert_false(ddpp_host_is_idle(p->host[0]));
    assert_int_equal(ddpp_host_send(p->host[0], &all, p->source), IW_EFULL);
    assert_int_equal(ddpp_host_send_undecorated(p->host[0], 0, p->source, 10), IW_EFULL);
    carry(p);
    assert_true(ddpp_host_is_idle(p->host[0]));
    assert_memory_equal(p->memory, p->source, ROOM);
    assert_int_equal(p->placed, ROOM);
    assert_int_equal(p->told, 1);
    assert_int_equal(ddpp_host_send_undecorated(p->host[0], 0, p->source, 10), IW_OK);
    carry(p);
    assert_int_equal(p->told, 2);
    close_pair(p);
}
