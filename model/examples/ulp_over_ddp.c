/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ulp_over_ddp.c -- a protocol of one's own over DDP (RFC 5041), without RDMAP: a block server.
 *
 *   client -> server   untagged, queue 0: "block N, into STag S"
 *   server -> client   tagged, to STag S: the block, placed in whatever order its segments come
 *   server -> client   untagged, queue 1: "done"; delivered only when the whole block is in place
 *
 * The segments that cross the network stand in an array, and arrive last one first.
 *   cc ulp_over_ddp.c $(pkg-config --cflags --libs iwarp) && ./a.out */
#include <engine/iw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 4096, BLOCKS = 4, ASK = 0, DONE = 1 };

struct request {
    uint32_t block;
    iw_stag into;
};

struct host {
    struct iw_stags *stags;
    struct iw_cq *cq;
    struct iw_ep *ep;
    uint64_t sent, arrived; /* keys: segments of each direction, counted */
};

static struct host host_init(uint32_t stream)
{
    struct host h = {.stags = iw_stags_init(malloc(iw_stags_size(8)), 8, stream),
                     .cq = iw_cq_init(malloc(iw_cq_size(16)), 16, 1)};
    /* clang-format off */
    struct iw_conf conf = {
        .stags = h.stags, .send_cq = h.cq, .recv_cq = h.cq, .trust = 1, .pd = 1, .stream = stream,
        .mulpdu = 1454, .llp = IW_LLP_ALL, .profile = IW_DDP_ONLY, .sq_max = 8, .reorder_max = 16,
        .queues = 1, .queue = {{.qn = stream == 1 ? DONE : ASK, .max = 4}}};
    /* clang-format on */
    h.ep = iw_ep_init(malloc(iw_ep_size(&conf)), &conf);
    iw_enable(h.ep, 0, 0);
    return h;
}

static iw_stag share(struct host *h, void *memory, size_t len, unsigned rights)
{
    iw_stag stag = 0;
    iw_register(h->stags, &(struct iw_region){.base = memory, .len = len, .rights = rights, .pd = 1}, &stag);
    return stag;
}

/* All that `from` has to say crosses the network backwards. */
static void carry(struct host *from, struct host *to)
{
    struct iw_seg segment[16];
    int made = 0;
    while (made < 16 && iw_transmit(from->ep, 0, from->sent, &segment[made]))
        made++, from->sent++;
    for (int i = made; i-- > 0;)
        iw_receive(to->ep, 0, &segment[i]);
    iw_accepted(from->ep, 0, from->sent);
    to->arrived += (uint64_t)made;
    iw_deliver(to->ep, 0, to->arrived, NULL);
    printf(made == 1 ? "%d segment arrived\n" : "%d segments arrived, last one first\n", made);
}

/* A request that was delivered: the answer is the block and, behind it, the word that it is there. */
static void serve(struct host *server, const struct request *asked, iw_stag disk)
{
    iw_post(server->ep, 0,
            &(struct iw_work){.op = IW_DDP_TAGGED,
                              .sges = 1,
                              .sge = {{disk, BLOCK, (uint64_t)asked->block * BLOCK}},
                              .remote_stag = asked->into});
    iw_post(server->ep, 0, &(struct iw_work){.op = IW_DDP_UNTAGGED, .qn = DONE, .rsvdulp = asked->block});
}

int main(void)
{
    static uint8_t disk[BLOCKS * BLOCK], memory[BLOCK];
    for (size_t i = 0; i < sizeof disk; i++)
        disk[i] = (uint8_t)(i / BLOCK + i % 251);
    struct host client = host_init(1), server = host_init(2);
    struct request ask = {.block = 2, .into = share(&client, memory, sizeof memory, IW_REMOTE_WRITE)},
                   asked = {0};
    const iw_stag asking = share(&client, &ask, sizeof ask, 0);
    const iw_stag inbox = share(&server, &asked, sizeof asked, IW_LOCAL_WRITE);
    const iw_stag blocks = share(&server, disk, sizeof disk, 0);
    iw_post(server.ep, 0,
            &(struct iw_work){.op = IW_RECV, .qn = ASK, .sges = 1, .sge = {{inbox, sizeof asked, 0}}});
    iw_post(client.ep, 0, &(struct iw_work){.op = IW_RECV, .qn = DONE});

    iw_post(client.ep, 0,
            &(struct iw_work){.op = IW_DDP_UNTAGGED, .qn = ASK, .sges = 1, .sge = {{asking, sizeof ask, 0}}});
    carry(&client, &server);
    for (struct iw_done done; iw_poll(server.cq, &done);)
        if (done.op == IW_RECV && done.status == IW_OK)
            serve(&server, &asked, blocks);
    carry(&server, &client);
    for (struct iw_done done; iw_poll(client.cq, &done);)
        if (done.op == IW_RECV)
            printf("block %d is there\n", (int)done.rsvdulp);
    const int wrong = memcmp(memory, &disk[2 * BLOCK], BLOCK);
    printf("the octets %s\n", wrong ? "differ" : "are the same");
    return wrong != 0;
}
