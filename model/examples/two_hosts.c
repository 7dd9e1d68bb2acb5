/* SPDX-License-Identifier: GPL-2.0-or-later */
/* two_hosts.c -- one RDMA Write between two hosts; its segments arrive last one first and still land in place.
 *   cc two_hosts.c $(pkg-config --cflags --libs iwarp) && ./a.out */
#include <engine/iw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEN = 4000 };

static struct iw_ep *host(struct iw_stags *stags, struct iw_cq *cq, uint32_t stream)
{
    /* clang-format off */
    struct iw_conf conf = {
        .stags = stags, .send_cq = cq, .recv_cq = cq, .trust = 1, .pd = 1, .stream = stream,
        .mulpdu = 1454, .llp = IW_LLP_ALL, .sq_max = 8, .rq_max = 8, .ord = 4, .ird = 4,
        .reorder_max = 16};
    /* clang-format on */
    struct iw_ep *ep = iw_ep_init(malloc(iw_ep_size(&conf)), &conf); /* the engine allocates nothing itself */
    iw_enable(ep, 0, 0);
    return ep;
}

int main(void)
{
    static uint8_t from[LEN], to[LEN];
    for (int i = 0; i < LEN; i++)
        from[i] = (uint8_t)i;
    struct iw_stags *stags = iw_stags_init(malloc(iw_stags_size(8)), 8, 0);
    struct iw_cq *cq = iw_cq_init(malloc(iw_cq_size(16)), 16, 1);
    iw_stag source, sink;
    iw_register(stags, &(struct iw_region){.base = from, .len = LEN, .pd = 1}, &source);
    iw_register(stags, &(struct iw_region){.base = to, .len = LEN, .rights = IW_REMOTE_WRITE, .pd = 1},
                &sink);
    struct iw_ep *a = host(stags, cq, 1), *b = host(stags, cq, 2);

    iw_post(a, 0,
            &(struct iw_work){
                .id = 7, .op = IW_WRITE, .sges = 1, .sge = {{source, LEN, 0}}, .remote_stag = sink});
    struct iw_seg segment[8];
    int made = 0;
    while (iw_transmit(a, 0, (uint64_t)made, &segment[made]))
        made++;
    for (int i = made; i-- > 0;)
        printf("segment %d arrives: %s\n", i, iw_receive(b, 0, &segment[i]) == IW_OK ? "placed" : "refused");
    iw_accepted(a, 0, (uint64_t)made); /* the lower layer has taken the segments: the Write is complete */
    iw_deliver(b, 0, (uint64_t)made, NULL); /* nothing is missing below this key: deliver in order */

    for (struct iw_done done; iw_poll(cq, &done);)
        printf("request %d is complete, status %d, %u octets\n", (int)done.id, done.status, done.len);
    printf("the octets %s\n", memcmp(from, to, LEN) ? "differ" : "are the same");
    return memcmp(from, to, LEN) != 0;
}
