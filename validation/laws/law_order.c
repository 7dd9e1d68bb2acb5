/* SPDX-License-Identifier: GPL-2.0-or-later */
/* law_order.c -- RFC 5040 appendix B: what has an order, and what has none.
 *
 * That messages are delivered in order, that a Response waits for everything sent before its Request and that
 * a fence holds is asserted in watch.c and wire_laws.c at every step. Here: where the appendix promises no
 * order of placement there is none, both orders happen. */
#include "scene.h"

enum kind { KIND_SEND, KIND_WRITE, KIND_RESPONSE, KINDS };
enum { TRIES = 100, SPAN = 100 };

static struct scene scene;

/* Which kind has overtaken which: placed while an octet of the other, sent before it, was not. */
struct overtaking {
    bool seen[KINDS][KINDS]; /* [the later][the earlier] */
    struct {
        uint64_t key;
        enum kind kind;
        bool any;
    } furthest[2];
};

static struct overtaking overtaking;

/* The kind of a segment with payload that goes to the ULP's memory; KINDS: another. */
static enum kind kind_of(const struct iw_seg *seg)
{
    struct ddp_head head;
    struct rdmap_ctl ctl;
    ddp_head_get(seg->head, seg->head_len, &head);
    rdmap_ctl_get(head.rsvdulp, head.tagged, &ctl);
    if (!seg->payload_len)
        return KINDS;
    if (head.tagged)
        return ctl.opcode == RDMAP_WRITE ? KIND_WRITE : KIND_RESPONSE;
    return head.qn == 0 && ctl.opcode <= RDMAP_SEND_SE_INV ? KIND_SEND : KINDS;
}

static void hear(void *user, const struct heard *h)
{
    ulp_hear(user, h);
    enum kind kind = h->what == HEARD_PLACED ? kind_of(h->seg) : KINDS;
    if (kind == KINDS)
        return;
    if (overtaking.furthest[h->side].any && h->seg->key < overtaking.furthest[h->side].key) {
        overtaking.seen[overtaking.furthest[h->side].kind][kind] = true;
        return;
    }
    overtaking.furthest[h->side].key = h->seg->key;
    overtaking.furthest[h->side].kind = kind;
    overtaking.furthest[h->side].any = true;
}

static void carry_out(uint64_t seed, bool in_order)
{
    scene_draw(&scene, seed, ON_THE_BENCH, false);
    scene.bench.span = scene.conf.reorder_max = SPAN;
    scene.bench.in_order[0] = scene.bench.in_order[1] = in_order;
    scene_open(&scene);
    scene.world->hear = hear;
    for (int i = 0; i < 2; i++)
        overtaking.furthest[i].any = false;
    ulp_run(&scene.ulp, scene.chance);
    ulp_end_well(&scene.ulp);
}

/* checks: RDMAP-B-1 RDMAP-B-2 RDMAP-B-4 RDMAP-B-5 RDMAP-B-9 RDMAP-5.5-3 DDP-5.3-4 */
static void placement_has_no_order(uint64_t seed)
{
    static const char *const names[KINDS] = {"Send", "Write", "Response"};
    overtaking = (struct overtaking){0};
    for (uint64_t i = 0; i < TRIES; i++)
        carry_out(seed * 1000 + i, false);
    for (int later = 0; later < KINDS; later++)
        for (int earlier = 0; earlier < KINDS; earlier++)
            law(overtaking.seen[later][earlier], "no %s was placed before an earlier %s", names[later],
                names[earlier]);
}

static void but_in_order_it_has(uint64_t seed)
{
    overtaking = (struct overtaking){0};
    carry_out(seed, true);
    for (int later = 0; later < KINDS; later++)
        for (int earlier = 0; earlier < KINDS; earlier++)
            law(!overtaking.seen[later][earlier], "kind %d overtook kind %d below an LLP in order", later,
                earlier);
}

int main(int argc, char **argv)
{
    static const struct law laws[] = {
        {"placement_has_no_order", placement_has_no_order, 120, TRIES},
        {"but_in_order_it_has", but_in_order_it_has, 1000, 1},
    };
    return law_main(argc, argv, laws, sizeof laws / sizeof laws[0]);
}
