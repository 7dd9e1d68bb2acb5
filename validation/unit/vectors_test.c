/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every vector about DDP and RDMAP (validation/vectors: ddp, rdmap, read, atomic, terminate), through a fresh endpoint: with the
 * segments in the order sent, and where their order decides nothing in many others. */
#include "rig.h"

#include <stdlib.h>

#include "vector.h"

enum { MAX = 8, ALL_ORDERS_UP_TO = 4 };

/* ---- names in the files ---- */

struct name {
    const char *name;
    unsigned value;
};

static unsigned named(struct json value, const struct name *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (json_equals(value, names[i].name))
            return names[i].value;
    fail_msg("a vector says %s", json_string(value));
    return 0;
}
#define NAMED(value, names) named(value, names, sizeof(names) / sizeof((names)[0]))

static const struct name profiles[] = {
    {"ddp_only", IW_DDP_ONLY},
    {"rdmac", IW_RDMAC},
    {"rfc7306", IW_RFC7306},
};
static const struct name rights[] = {
    {"local_write", IW_LOCAL_WRITE},
    {"remote_read", IW_REMOTE_READ},
    {"remote_write", IW_REMOTE_WRITE},
};
static const struct name ops[] = {
    {"send", IW_SEND},
    {"send_inv", IW_SEND_INV},
    {"send_se", IW_SEND_SE},
    {"send_se_inv", IW_SEND_SE_INV},
    {"write", IW_WRITE},
    {"read", IW_READ},
    {"immediate", IW_IMMEDIATE},
    {"immediate_se", IW_IMMEDIATE_SE},
    {"fetch_add", IW_FETCH_ADD},
    {"cmp_swap", IW_CMP_SWAP},
    {"ddp_tagged", IW_DDP_TAGGED},
    {"ddp_untagged", IW_DDP_UNTAGGED},
};

/* Names in an array, together; an absent array is none. */
static unsigned flags(struct json object, const char *member, const struct name *names, size_t n)
{
    struct json array = json_find(object, member);
    unsigned all = 0;
    for (uint32_t i = 0; !json_absent(array) && i < json_count(array); i++)
        all |= named(json_at(array, i), names, n);
    return all;
}
#define FLAGS(object, member, names) flags(object, member, names, sizeof(names) / sizeof((names)[0]))

static uint32_t count_of(struct json object, const char *member)
{
    struct json array = json_find(object, member);
    return json_absent(array) ? 0 : json_count(array);
}

static iw_stag stag_of(struct json object)
{
    return (iw_stag)json_number_or(object, "stag", 0);
}

static struct ulpdu ulpdu_of(struct json octets)
{
    struct ulpdu u = {0};
    u.len = json_octets(octets, u.octets, RIG_ULPDU);
    return u;
}

/* ---- before anything arrives ---- */

static struct iw_conf conf_of(struct json vector)
{
    struct iw_conf conf = rig_conf();
    struct json stream = json_find(vector, "stream");
    conf.profile = FLAGS(vector, "profile", profiles);
    if (conf.profile & IW_DDP_ONLY) {
        conf.queues = 2;
        conf.queue[0] = (struct iw_queue_conf){.qn = 0, .max = 16};
        conf.queue[1] = (struct iw_queue_conf){.qn = 5, .max = 16};
    }
    if (json_absent(stream))
        return conf;
    json_only(stream, "mulpdu ord ird first_msn");
    conf.mulpdu = (uint32_t)json_number_or(stream, "mulpdu", conf.mulpdu);
    conf.ord = (uint16_t)json_number_or(stream, "ord", conf.ord);
    conf.ird = (uint16_t)json_number_or(stream, "ird", conf.ird);
    conf.first_msn = (uint32_t)json_number_or(stream, "first_msn", 0);
    return conf;
}

static void add_memory(struct rig *r, struct json m)
{
    json_only(m, "stag to len rights pd streams content valid");
    struct iw_region region = {.to = json_number(json_get(m, "to")),
                               .len = json_number(json_get(m, "len")),
                               .rights = FLAGS(m, "rights", rights),
                               .pd = (uint32_t)json_number(json_get(m, "pd"))};
    for (uint32_t i = 0; i < count_of(m, "streams"); i++)
        region.stream[i] = (uint32_t)json_number(json_at(json_get(m, "streams"), i));
    iw_stag stag = rig_region(r, region, false);
    assert_int_equal(stag, stag_of(m));
    struct json content = json_find(m, "content"), valid = json_find(m, "valid");
    if (!json_absent(content)) {
        assert_true(json_equals(content, "count"));
        rig_count(r, stag);
    }
    if (!json_absent(valid) && !json_bool(valid))
        assert_int_equal(iw_invalidate(r->stags, stag), IW_OK);
}

static struct iw_sge sge_of(struct json local)
{
    json_only(local, "stag to len qn");
    return (struct iw_sge){stag_of(local), (uint32_t)json_number(json_get(local, "len")),
                           json_number(json_get(local, "to"))};
}

static void add_receive(struct rig *r, struct json receive, uint64_t id)
{
    struct iw_work work = {.id = id,
                           .op = IW_RECV,
                           .sges = 1,
                           .sge = {sge_of(receive)},
                           .qn = (uint32_t)json_number(json_get(receive, "qn"))};
    assert_int_equal(rig_post(r, work), IW_OK);
}

static struct iw_atomic atomic_of(struct json atomic)
{
    json_only(atomic, "data mask compare compare_mask");
    return (struct iw_atomic){
        .data = json_number(json_get(atomic, "data")),
        .mask = json_number(json_get(atomic, "mask")),
        .compare = json_number_or(atomic, "compare", 0x55), /* FetchAdd has none, whatever stands there */
        .compare_mask = json_number_or(atomic, "compare_mask", 0x55)};
}

static void add_request(struct rig *r, struct json request, uint64_t id)
{
    json_only(request, "op local stag to qn rsvdulp atomic");
    struct json local = json_find(request, "local"), atomic = json_find(request, "atomic");
    struct iw_work work = {.id = id,
                           .op = (enum iw_op)NAMED(json_get(request, "op"), ops),
                           .sges = (uint8_t)count_of(request, "local"),
                           .remote_stag = stag_of(request),
                           .remote_to = json_number_or(request, "to", 0),
                           .qn = (uint32_t)json_number_or(request, "qn", 0),
                           .rsvdulp = json_number_or(request, "rsvdulp", 0)};
    for (uint8_t i = 0; i < work.sges; i++)
        work.sge[i] = sge_of(json_at(local, i));
    if (!json_absent(atomic))
        work.atomic = atomic_of(atomic);
    assert_int_equal(rig_post(r, work), IW_OK);
}

static void stage(struct rig *r, struct json vector)
{
    rig_open(r, conf_of(vector));
    for (uint32_t i = 0; i < count_of(vector, "memory"); i++)
        add_memory(r, json_at(json_get(vector, "memory"), i));
    for (uint32_t i = 0; i < count_of(vector, "receives"); i++)
        add_receive(r, json_at(json_get(vector, "receives"), i), i);
    for (uint32_t i = 0; i < count_of(vector, "requests"); i++)
        add_request(r, json_at(json_get(vector, "requests"), i), i);
}

/* ---- what happens ---- */

static int term_of(struct json terminate)
{
    return IW_TERM((int)json_number(json_get(terminate, "layer")),
                   (int)json_number(json_get(terminate, "etype")),
                   (int)json_number(json_get(terminate, "code")));
}

static void host_error(struct rig *r, struct json error)
{
    if (json_absent(error))
        return;
    json_only(error, "layer etype code");
    int term = term_of(error);
    if (IW_TERM_LAYER(term) == 2)
        iw_llp_failed(r->ep, r->now, term);
    else
        assert_int_equal(iw_terminate(r->ep, r->now, term), IW_OK);
}

static uint32_t read_arrivals(const struct rig *r, struct json vector, struct ulpdu *u)
{
    uint32_t n = count_of(vector, "arrive");
    assert_true(n <= MAX);
    for (uint32_t i = 0; i < n; i++) {
        struct json one = json_at(json_get(vector, "arrive"), i);
        json_only(one, "key ulpdu");
        u[i] = ulpdu_of(json_get(one, "ulpdu"));
    }
    rig_keys(r, u, n);
    for (uint32_t i = 0; i < n; i++) /* the keys of the file are those of an MPA stream without markers */
        assert_int_equal(u[i].key, json_number(json_get(json_at(json_get(vector, "arrive"), i), "key")));
    return n;
}

/* ---- what is expected ---- */

/* All memory is as it was, but for what `place` says. */
static void expect_placed(struct rig *r, struct json vector)
{
    for (uint32_t i = 0; i < r->regions; i++) {
        struct rig_region *g = &r->region[i];
        struct json m = json_at(json_get(vector, "memory"), i);
        uint8_t *want = calloc(g->len + 1, 1);
        for (uint32_t k = 0; k < g->len && !json_absent(json_find(m, "content")); k++)
            want[k] = (uint8_t)k;
        for (uint32_t k = 0; k < count_of(vector, "place"); k++) {
            struct json p = json_at(json_get(vector, "place"), k);
            json_only(p, "stag to octets");
            if (stag_of(p) != g->stag)
                continue;
            uint64_t at = json_number(json_get(p, "to")) - g->to;
            assert_true(at < g->len);
            json_octets(json_get(p, "octets"), want + at, g->len - (uint32_t)at);
        }
        assert_memory_equal(g->octets, want, g->len);
        free(want);
    }
}

static void expect_send(struct rig *r, struct json want)
{
    json_only(want, "op msn length solicited invalidated immediate");
    struct iw_done done = rig_done(r->recv_cq);
    struct json immediate = json_find(want, "immediate");
    assert_true(json_equals(json_get(want, "op"), "send"));
    assert_int_equal(done.status, IW_OK);
    assert_int_equal(done.op, IW_RECV);
    assert_int_equal(done.msn, json_number(json_get(want, "msn")));
    assert_int_equal(done.len, json_number(json_get(want, "length")));
    assert_int_equal(done.solicited, json_bool(json_get(want, "solicited")));
    assert_int_equal(done.invalidated, json_number_or(want, "invalidated", 0));
    assert_int_equal(done.immediate, !json_absent(immediate));
    if (done.immediate)
        assert_true(done.rsvdulp == json_number(immediate));
}

static void expect_ddp(struct rig *r, const struct iw_message *got, struct json want)
{
    json_only(want, "tagged rsvdulp stag qn msn length");
    bool tagged = json_bool(json_get(want, "tagged"));
    assert_int_equal(got->head.tagged, tagged);
    assert_true(got->head.rsvdulp == json_number(json_get(want, "rsvdulp")));
    if (tagged) {
        assert_int_equal(got->head.stag, stag_of(want));
        return;
    }
    struct iw_done done = rig_done(r->recv_cq);
    assert_int_equal(done.status, IW_OK);
    assert_int_equal(done.qn, json_number(json_get(want, "qn")));
    assert_int_equal(done.msn, json_number(json_get(want, "msn")));
    assert_int_equal(done.len, json_number(json_get(want, "length")));
    assert_int_equal(got->length, done.len);
    assert_true(done.rsvdulp == got->head.rsvdulp);
}

static void expect_delivered(struct rig *r, struct json vector)
{
    uint32_t n = count_of(vector, "deliver");
    bool alone = r->conf.profile & IW_DDP_ONLY;
    if (alone)
        assert_int_equal(r->messages, n);
    for (uint32_t i = 0; i < n; i++) {
        struct json want = json_at(json_get(vector, "deliver"), i);
        if (alone)
            expect_ddp(r, &r->message[i], want);
        else
            expect_send(r, want);
    }
}

/* Successes are those of `complete`; after an error every other request has come back, once, as failed. */
static void expect_completed(struct rig *r, struct json vector, bool ended)
{
    uint32_t n = count_of(vector, "complete"), sends = count_of(vector, "requests"),
             receives = count_of(vector, "receives");
    bool answers_reads = !json_absent(json_find(vector, "complete"));
    uint32_t delivered = 0;
    for (uint32_t i = 0; answers_reads && i < n; i++) {
        struct json want = json_at(json_get(vector, "complete"), i);
        json_only(want, "op length original");
        struct iw_done done = rig_done(r->send_cq);
        assert_int_equal(done.status, IW_OK);
        assert_int_equal(done.op, NAMED(json_get(want, "op"), ops));
        assert_int_equal(done.len, json_number(json_get(want, "length")));
        assert_true(done.rsvdulp == json_number_or(want, "original", 0));
    }
    if (!ended) {
        expect_not_done(r->recv_cq);
        return;
    }
    for (uint32_t i = 0; i < count_of(vector, "deliver"); i++)
        delivered += json_absent(json_find(json_at(json_get(vector, "deliver"), i), "tagged")) ||
                     !json_bool(json_get(json_at(json_get(vector, "deliver"), i), "tagged"));
    for (uint32_t i = n; i < sends; i++)
        assert_true(rig_done(r->send_cq).status != IW_OK);
    for (uint32_t i = delivered; i < receives; i++) {
        struct iw_done done = rig_done(r->recv_cq);
        assert_true(done.status != IW_OK && done.status != IW_ESTATE);
    }
    expect_not_done(r->send_cq);
    expect_not_done(r->recv_cq);
}

static void expect_transmitted(struct json vector, const struct ulpdu *got, uint32_t n)
{
    uint32_t segments = count_of(vector, "transmit");
    struct json terminate = json_find(vector, "terminate");
    assert_int_equal(n, segments + !json_absent(terminate));
    for (uint32_t i = 0; i < n; i++) {
        struct ulpdu want =
            ulpdu_of(i < segments ? json_at(json_get(vector, "transmit"), i) : json_get(terminate, "ulpdu"));
        assert_int_equal(got[i].len, want.len);
        assert_memory_equal(got[i].octets, want.octets, want.len);
    }
}

static void expect_terminate_told(struct rig *r, struct json terminate)
{
    if (json_absent(terminate))
        return;
    json_only(terminate, "layer etype code m d r ulpdu");
    struct iw_event fatal = expect_event(r, IW_EV_FATAL), sent = expect_event(r, IW_EV_TERMINATE_SENT);
    const struct rdmap_terminate *t = &sent.terminate;
    assert_int_equal(fatal.terminate.term, term_of(terminate));
    assert_int_equal(t->term, term_of(terminate));
    assert_int_equal(t->m, json_bool(json_get(terminate, "m")));
    assert_int_equal(t->d, json_bool(json_get(terminate, "d")));
    assert_int_equal(t->r, json_bool(json_get(terminate, "r")));
}

static void expect_terminated(struct rig *r, struct json want)
{
    if (json_absent(want))
        return;
    json_only(want, "valid layer etype code m d r segment_length header read_request");
    struct iw_event event = expect_event(r, IW_EV_TERMINATE_RECEIVED);
    const struct rdmap_terminate *t = &event.terminate;
    uint8_t octets[IW_READ_REQ_SIZE];
    assert_int_equal(event.valid, json_bool(json_get(want, "valid")));
    if (!event.valid)
        return;
    assert_int_equal(t->term, term_of(want));
    assert_int_equal(t->m, json_bool(json_get(want, "m")));
    assert_int_equal(t->d, json_bool(json_get(want, "d")));
    assert_int_equal(t->r, json_bool(json_get(want, "r")));
    if (t->m)
        assert_int_equal(t->segment_len, json_number(json_get(want, "segment_length")));
    if (t->d) {
        assert_int_equal(t->head_len, json_octets(json_get(want, "header"), octets, sizeof(octets)));
        assert_memory_equal(t->head, octets, t->head_len);
    }
    if (t->r) {
        assert_int_equal(json_octets(json_get(want, "read_request"), octets, sizeof(octets)),
                         IW_READ_REQ_SIZE);
        assert_memory_equal(t->read_req, octets, IW_READ_REQ_SIZE);
    }
}

/* ---- one vector ---- */

static void run(struct json vector, const uint32_t *order)
{
    struct rig r;
    struct ulpdu u[MAX], sent[2 * MAX];
    stage(&r, vector);
    host_error(&r, json_find(vector, "local_error"));
    uint32_t n = read_arrivals(&r, vector, u), leaves = rig_pull_all(&r, sent, MAX);
    rig_ack(&r);
    struct json terminate = json_find(vector, "terminate"), terminated = json_find(vector, "terminated");
    int want = n && !json_absent(terminate) ? term_of(terminate) : IW_OK;
    assert_int_equal(rig_present(&r, u, n, order, n), want);
    leaves += rig_pull_all(&r, sent + leaves, MAX);
    expect_placed(&r, vector);
    expect_delivered(&r, vector);
    expect_completed(&r, vector, !json_absent(terminate) || !json_absent(terminated));
    expect_transmitted(vector, sent, leaves);
    expect_terminate_told(&r, terminate);
    expect_terminated(&r, terminated);
    expect_no_event(&r);
    rig_close(&r);
}

/* In the order sent; then, if it decides nothing, backwards and in every order of a few segments. */
static void check(struct json vector)
{
    json_only(
        vector,
        "id figure requirements says profile stream memory receives requests arrive order place deliver "
        "complete transmit local_error terminate terminated");
    uint32_t n = count_of(vector, "arrive"), order[MAX], backwards[MAX];
    assert_true(n <= MAX);
    for (uint32_t i = 0; i < n; i++) {
        order[i] = i;
        backwards[i] = n - 1 - i;
    }
    run(vector, order);
    struct json any = json_find(vector, "order");
    if (n < 2 || !json_equals(any, "any"))
        return;
    run(vector, backwards);
    while (n <= ALL_ORDERS_UP_TO && rig_permute(order, n))
        run(vector, order);
}

int main(void)
{
    static const struct vector_kind kinds[] = {{"vectors", check}};
    static const char *const files[] = {"ddp.json", "rdmap.json", "read.json", "atomic.json",
                                        "terminate.json"};
    int failed = 0;
    for (int i = 0; i < 5; i++)
        failed += vector_run(files[i], kinds, 1);
    return failed;
}
