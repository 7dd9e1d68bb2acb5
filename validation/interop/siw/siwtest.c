/* SPDX-License-Identifier: GPL-2.0-or-later */
/* siwtest: small rdmacm/verbs driver used to provoke particular iWARP wire traffic from the Linux siw driver.
 * Both sides publish their memory regions in the connection private data and may then run a list of operations.
 *   siwtest -s -a ADDR -p PORT [opts]      server: accept one connection
 *   siwtest -c -a ADDR -p PORT [opts]      client
 * opts: -x "op op ..."  operations to run after the connection is up (either side)
 *       -n NRECV -r RSIZE   receives posted before connecting (default 16 x 65536)
 *       -m SIZE  size of the remotely accessible region and of the local source (default 1 MiB)
 *       -I ird -O ord  (default 4/4)    -P bytes  extra private data (pattern) after the 40 byte info block
 *       -N  no info block: private data is exactly -P bytes     -R  (server) reject with -P bytes of private data
 *       -e  echo every received message back        -w MS  linger after ops (default 300)
 *       -l  this side: passive, wait for the disconnect even if it has run ops (default for a server)
 * ops:  send:LEN[:flags]  sendinv:LEN:KEY[:flags]  write:LEN:OFF:KEY[:flags]  read:LEN:OFF:KEY[:flags]
 *       sgsend:L1,L2,..  sgwrite:OFF:KEY:L1,L2,..   badlkey:LEN (send with a bad local key)  badsink:LEN:OFF:KEY
 *       waitrecv:N  sleep:MS  disc  qperr  qpsqe  qpsqd  wait
 *   KEY = rw ro wo pd badidx badkey zero   flags = letters: s solicited, i inline, n no-wait, u unsignalled, f fence
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <infiniband/verbs.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <rdma/siw-abi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* rdma-core's libsiw (v44) never copies wr.invalidate_rkey into the SQE, so IBV_WR_SEND_WITH_INV goes out with STag 0.
 * The kernel driver is fine.  When INVFIX is set we interpose mmap() (to find the SQ ring) and write() (the doorbell)
 * and put the rkey into the queued SQE before the kernel sees it. */
static struct {
    char *p;
    size_t n;
} maps[64];
static int nmaps;
static uint64_t inv_id;
static uint32_t inv_key;
static int inv_hits;
void *mmap(void *a, size_t n, int pr, int fl, int fd, off_t o)
{
    void *r = (void *)syscall(SYS_mmap, a, n, pr, fl, fd, o);
    if (fd >= 0 && (fl & MAP_SHARED) && r != MAP_FAILED && nmaps < 64) {
        maps[nmaps].p = r;
        maps[nmaps++].n = n;
    }
    return r;
}
ssize_t write(int fd, const void *b, size_t n)
{
    if (inv_id)
        for (int i = 0; i < nmaps; i++)
            for (size_t o = 0; o + sizeof(struct siw_sqe) <= maps[i].n; o += sizeof(struct siw_sqe)) {
                struct siw_sqe *q = (void *)(maps[i].p + o);
                if (q->id == inv_id && q->opcode == SIW_OP_SEND_REMOTE_INV && (q->flags & SIW_WQE_VALID)) {
                    q->rkey = inv_key;
                    inv_hits++;
                }
            }
    return syscall(SYS_write, fd, b, n);
}

struct info {
    uint32_t magic, len;
    uint64_t addr;
    uint32_t rw, ro, wo, pd;
    uint64_t rsv;
} __attribute__((packed));
static struct info loc, rem;
static int have_rem;
static int server, nrecv = 16, echo, noinfo, do_reject, passive = -1, linger = 300, ird = 4, ord = 4, xpd;
static size_t rsize = 65536, msize = 1 << 20;
static char *ops;
static const char *addr = "127.0.0.1", *port = "7471";
static struct rdma_event_channel *ec;
static struct rdma_cm_id *id, *lid;
static struct ibv_pd *pd, *pd2;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static uint8_t *src, *rbuf, *mem;
static struct ibv_mr *msrc, *mr_rbuf, *mrw, *mro, *mwo, *mpd;
static int recvd, disc;
static size_t srcoff;
static uint64_t wrid = 1;
static int nfail;
static const char *who;

static uint32_t crc32z(const uint8_t *p, size_t n)
{
    uint32_t c = ~0u;
    while (n--) {
        c ^= *p++;
        for (int k = 0; k < 8; k++)
            c = (c >> 1) ^ (0xEDB88320u & -(c & 1));
    }
    return ~c;
}
static void fill(uint8_t *p, size_t n, uint32_t s)
{
    for (size_t i = 0; i < n; i++) {
        s ^= s << 13;
        s ^= s >> 17;
        s ^= s << 5;
        p[i] = s >> 11;
    }
}
static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + t.tv_nsec / 1e9;
}
static void die(const char *m)
{
    printf("%s FATAL %s: %s\n", who, m, strerror(errno));
    exit(2);
}
static void hex(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n && i < 16; i++)
        printf("%02x", p[i]);
}

static void post_recv(int i)
{
    struct ibv_sge s = {(uintptr_t)(rbuf + (size_t)i * rsize), rsize, mr_rbuf->lkey};
    struct ibv_recv_wr w = {.wr_id = 0x10000000u + i, .sg_list = &s, .num_sge = rsize ? 1 : 0}, *b;
    if (ibv_post_recv(qp, &w, &b))
        die("post_recv");
}
struct pend {
    uint64_t id;
    char what[96];
    uint8_t *buf;
    size_t len;
    int rd;
} pend[256];
static int npend;
static void do_send_raw(uint8_t *p, size_t len)
{
    struct ibv_sge s = {(uintptr_t)p, len, mr_rbuf->lkey};
    struct ibv_send_wr w = {.wr_id = wrid++,
                            .sg_list = &s,
                            .num_sge = len ? 1 : 0,
                            .opcode = IBV_WR_SEND,
                            .send_flags = IBV_SEND_SIGNALED},
                       *b;
    pend[npend++] = (struct pend){.id = w.wr_id, .what = "echo", .buf = p, .len = len};
    if (ibv_post_send(qp, &w, &b))
        printf("%s echo post failed\n", who);
}
static int poll_cq(void)
{
    struct ibv_wc wc;
    int n = 0;
    while (ibv_poll_cq(cq, 1, &wc) > 0) {
        n++;
        if (wc.wr_id >= 0x10000000u) {
            int i = wc.wr_id - 0x10000000u;
            uint8_t *p = rbuf + (size_t)i * rsize;
            printf("%s RECV slot=%d status=%d(%s)", who, i, wc.status, ibv_wc_status_str(wc.status));
            if (!wc.status) {
                printf(" opcode=%d flags=0x%x len=%u crc32=%08x head=", wc.opcode, wc.wc_flags, wc.byte_len,
                       crc32z(p, wc.byte_len));
                hex(p, wc.byte_len);
                if (wc.wc_flags & IBV_WC_WITH_INV)
                    printf(" invalidated=0x%08x", wc.invalidated_rkey);
                recvd++;
            }
            printf("\n");
            if (!wc.status && echo)
                do_send_raw(p, wc.byte_len);
        } else
            for (int k = 0; k < npend; k++)
                if (pend[k].id == wc.wr_id) {
                    printf("%s DONE %s status=%d(%s)", who, pend[k].what, wc.status,
                           ibv_wc_status_str(wc.status));
                    if (!wc.status && pend[k].rd)
                        printf(" data crc32=%08x", crc32z(pend[k].buf, pend[k].len));
                    printf("\n");
                    if (wc.status)
                        nfail++;
                    pend[k] = pend[--npend];
                    break;
                }
    }
    return n;
}
static void cm_poll(void)
{
    struct pollfd f = {ec->fd, POLLIN, 0};
    while (poll(&f, 1, 0) > 0) {
        struct rdma_cm_event *e;
        if (rdma_get_cm_event(ec, &e))
            return;
        printf("%s CM %s status=%d\n", who, rdma_event_str(e->event), e->status);
        if (e->event == RDMA_CM_EVENT_DISCONNECTED || e->event == RDMA_CM_EVENT_DEVICE_REMOVAL)
            disc = 1;
        rdma_ack_cm_event(e);
    }
}
static int pump(double sec, int (*until)(void))
{
    double t = now() + sec;
    do {
        poll_cq();
        cm_poll();
        if (until && until())
            return 1;
        if (until == NULL && disc)
            return 0;
        usleep(500);
    } while (now() < t);
    return 0;
}
static int u_idle(void)
{
    return npend == 0 || disc;
}
static int want;
static int u_recv(void)
{
    return recvd >= want || disc;
}
static int u_disc(void)
{
    return disc;
}

static uint32_t key(const char *k)
{
    if (!strcmp(k, "rw"))
        return rem.rw;
    if (!strcmp(k, "ro"))
        return rem.ro;
    if (!strcmp(k, "wo"))
        return rem.wo;
    if (!strcmp(k, "pd"))
        return rem.pd;
    if (!strcmp(k, "badidx"))
        return 0x5a5a5a00;
    if (!strcmp(k, "badkey"))
        return rem.rw ^ 0x37;
    if (!strcmp(k, "zero"))
        return 0;
    return strtoul(k, 0, 0);
}
static void run_op(char *tok)
{
    char *a[8] = {0};
    int n = 0;
    char save[128];
    snprintf(save, sizeof save, "%s", tok);
    for (char *p = strtok(tok, ":"); p && n < 8; p = strtok(NULL, ":"))
        a[n++] = p;
    const char *o = a[0];
    if (!strcmp(o, "sleep")) {
        pump(atoi(a[1]) / 1000.0, NULL);
        return;
    }
    if (!strcmp(o, "wait")) {
        pump(20, u_idle);
        return;
    }
    if (!strcmp(o, "waitrecv")) {
        want = atoi(a[1]);
        if (!pump(20, u_recv))
            printf("%s waitrecv TIMEOUT\n", who);
        return;
    }
    if (!strcmp(o, "disc")) {
        rdma_disconnect(id);
        pump(2, u_disc);
        return;
    }
    if (!strcmp(o, "qperr") || !strcmp(o, "qpsqe") || !strcmp(o, "qpsqd")) {
        struct ibv_qp_attr q = {.qp_state = o[2] == 'e'   ? IBV_QPS_ERR
                                            : o[4] == 'e' ? IBV_QPS_SQE
                                                          : IBV_QPS_SQD};
        printf("%s %s rc=%d\n", who, o, ibv_modify_qp(qp, &q, IBV_QP_STATE));
        pump(1, NULL);
        return;
    }
    struct ibv_sge s[8];
    memset(s, 0, sizeof s);
    struct ibv_send_wr w = {.wr_id = wrid++, .sg_list = s, .num_sge = 1, .send_flags = IBV_SEND_SIGNALED},
                       *bad;
    size_t len = 0;
    const char *fl = "";
    uint32_t lkey = msrc->lkey;
    int isread = 0;
    uint64_t roff = 0;
    const char *lst = NULL;
    if (!strcmp(o, "send") || !strcmp(o, "badlkey")) {
        w.opcode = IBV_WR_SEND;
        len = strtoul(a[1], 0, 0);
        fl = a[2] ? a[2] : "";
        if (o[0] == 'b')
            lkey = 0x12345600;
    } else if (!strcmp(o, "sendinv")) {
        w.opcode = IBV_WR_SEND_WITH_INV;
        len = strtoul(a[1], 0, 0);
        w.invalidate_rkey = key(a[2]);
        fl = a[3] ? a[3] : "";
    } else if (!strcmp(o, "write") || !strcmp(o, "read") || !strcmp(o, "badsink")) {
        isread = o[0] != 'w';
        w.opcode = isread ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
        len = strtoul(a[1], 0, 0);
        roff = strtoull(a[2], 0, 0);
        w.wr.rdma.rkey = key(a[3]);
        w.wr.rdma.remote_addr = rem.addr + roff;
        fl = a[4] ? a[4] : "";
        if (o[0] == 'b')
            lkey = 0x12345600;
    } else if (!strcmp(o, "sgsend")) {
        w.opcode = IBV_WR_SEND;
        lst = a[1];
    } else if (!strcmp(o, "sgwrite")) {
        w.opcode = IBV_WR_RDMA_WRITE;
        roff = strtoull(a[1], 0, 0);
        w.wr.rdma.rkey = key(a[2]);
        w.wr.rdma.remote_addr = rem.addr + roff;
        lst = a[3];
    } else {
        printf("%s unknown op %s\n", who, o);
        nfail++;
        return;
    }
    if (strchr(fl, 's'))
        w.send_flags |= IBV_SEND_SOLICITED;
    if (strchr(fl, 'i'))
        w.send_flags |= IBV_SEND_INLINE;
    if (strchr(fl, 'f'))
        w.send_flags |= IBV_SEND_FENCE;
    if (strchr(fl, 'u'))
        w.send_flags &= ~IBV_SEND_SIGNALED;
    if (lst) {
        char *q = strdup(lst), *sv;
        int k = 0;
        for (char *p = strtok_r(q, ",", &sv); p && k < 6; p = strtok_r(NULL, ",", &sv)) {
            s[k].addr = (uintptr_t)(src + srcoff + len);
            s[k].length = atoi(p);
            s[k].lkey = lkey;
            len += s[k].length;
            k++;
        }
        w.num_sge = k;
        free(q);
    }
    if (srcoff + len > msize)
        srcoff = 0;
    uint8_t *p = isread ? src + srcoff : src + srcoff;
    if (!lst) {
        s[0].addr = (uintptr_t)p;
        s[0].length = len;
        s[0].lkey = lkey;
        if (len == 0)
            w.num_sge = isread ? 1 : 0;
    }
    printf("%s POST %s len=%zu src=%zu", who, save, len, srcoff);
    if (!isread) {
        printf(" crc32=%08x head=", crc32z(p, len));
        hex(p, len);
    }
    if (w.opcode == IBV_WR_RDMA_WRITE || isread)
        printf(" stag=0x%08x to=0x%016llx", w.wr.rdma.rkey, (unsigned long long)w.wr.rdma.remote_addr);
    if (w.opcode == IBV_WR_SEND_WITH_INV)
        printf(" inval_stag=0x%08x", w.invalidate_rkey);
    if (isread) {
        printf(" sink_stag=0x%08x sink_to=0x%016llx", lkey, (unsigned long long)(uintptr_t)p);
        memset(p, 0, len);
    }
    printf("\n");
    srcoff = (srcoff + len + 7) & ~7ul;
    if (srcoff >= msize)
        srcoff = 0;
    struct pend pe = {.id = w.wr_id, .buf = p, .len = len, .rd = isread};
    snprintf(pe.what, sizeof pe.what, "%.90s", save);
    if (w.opcode == IBV_WR_SEND_WITH_INV && !getenv("NOINVFIX")) {
        inv_id = w.wr_id = 0x0abc0000u + w.wr_id;
        pend[npend > 255 ? 255 : npend].id = inv_id;
        pe.id = inv_id;
        inv_key = w.invalidate_rkey;
        inv_hits = 0;
    }
    int rc = ibv_post_send(qp, &w, &bad);
    if (inv_id) {
        if (!inv_hits)
            printf("%s WARNING invalidate key not patched\n", who);
        inv_id = 0;
    }
    if (rc) {
        printf("%s POST-FAILED %s rc=%d\n", who, save, rc);
        nfail++;
        return;
    }
    if (!strchr(fl, 'u'))
        pend[npend++] = pe;
    if (!strchr(fl, 'n') && !strchr(fl, 'u'))
        if (!pump(20, u_idle))
            printf("%s TIMEOUT waiting for %s\n", who, save);
    poll_cq();
}
static void setup_id(struct rdma_cm_id *i)
{
    if (!(pd = ibv_alloc_pd(i->verbs)) || !(pd2 = ibv_alloc_pd(i->verbs)))
        die("pd");
    if (!(cq = ibv_create_cq(i->verbs, 512, NULL, NULL, 0)))
        die("cq");
    struct ibv_qp_init_attr qa = {.send_cq = cq,
                                  .recv_cq = cq,
                                  .qp_type = IBV_QPT_RC,
                                  .cap = {.max_send_wr = 128,
                                          .max_recv_wr = nrecv + 1,
                                          .max_send_sge = 6,
                                          .max_recv_sge = 1,
                                          .max_inline_data = 64}};
    if (rdma_create_qp(i, pd, &qa))
        die("create_qp");
    qp = i->qp;
    src = aligned_alloc(4096, msize);
    mem = aligned_alloc(4096, msize);
    size_t rt = (size_t)nrecv * rsize;
    rbuf = aligned_alloc(4096, (rt + 8191) & ~4095ul);
    fill(src, msize, server ? 0x5e12e12 : 0xc11e27);
    fill(mem, msize, server ? 0x5e3e3e3 : 0xc3e3e3);
    memset(rbuf, 0, rt);
    msrc = ibv_reg_mr(pd, src, msize, IBV_ACCESS_LOCAL_WRITE);
    mr_rbuf = ibv_reg_mr(pd, rbuf, rt ? rt : 4096, IBV_ACCESS_LOCAL_WRITE);
    mrw =
        ibv_reg_mr(pd, mem, msize, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    mro = ibv_reg_mr(pd, mem, msize, IBV_ACCESS_REMOTE_READ);
    mwo = ibv_reg_mr(pd, mem, msize, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    mpd = ibv_reg_mr(pd2, mem, msize,
                     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
    if (!msrc || !mr_rbuf || !mrw || !mro || !mwo || !mpd)
        die("reg_mr");
    loc = (struct info){htonl(0x53495754), htonl(msize),     htobe64((uintptr_t)mem), htonl(mrw->rkey),
                        htonl(mro->rkey),  htonl(mwo->rkey), htonl(mpd->rkey),        0};
    printf("%s MEM addr=%p len=%zu rw=0x%08x ro=0x%08x wo=0x%08x pd=0x%08x crc32=%08x qp=%u\n", who, mem,
           msize, mrw->rkey, mro->rkey, mwo->rkey, mpd->rkey, crc32z(mem, msize), qp->qp_num);
    for (int k = 0; k < nrecv; k++)
        post_recv(k);
}
static size_t mkpd(uint8_t *b)
{
    size_t n = 0;
    if (!noinfo) {
        memcpy(b, &loc, sizeof loc);
        n = sizeof loc;
    }
    for (int i = 0; i < xpd; i++)
        b[n++] = 0xA0 + (i * 7) % 91;
    return n;
}
static void getpd(const void *p, int n)
{
    printf("%s PRIVDATA %d bytes: ", who, n);
    for (int i = 0; i < n; i++)
        printf("%02x", ((const uint8_t *)p)[i]);
    printf("\n");
    const struct info *f = p;
    if (n >= (int)sizeof rem && ntohl(f->magic) == 0x53495754) {
        have_rem = 1;
        rem.len = ntohl(f->len);
        rem.addr = be64toh(f->addr);
        rem.rw = ntohl(f->rw);
        rem.ro = ntohl(f->ro);
        rem.wo = ntohl(f->wo);
        rem.pd = ntohl(f->pd);
    }
}
static struct rdma_cm_event *next(double sec)
{
    struct pollfd f = {ec->fd, POLLIN, 0};
    if (poll(&f, 1, sec * 1000) <= 0) {
        printf("%s CM timeout\n", who);
        exit(3);
    }
    struct rdma_cm_event *e;
    if (rdma_get_cm_event(ec, &e))
        die("cm event");
    printf("%s CM %s status=%d\n", who, rdma_event_str(e->event), e->status);
    return e;
}

int main(int ac, char **av)
{
    int c;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while ((c = getopt(ac, av, "sca:p:x:n:r:m:I:O:P:NReW:w:l")) != -1)
        switch (c) {
        case 's': server = 1; break;
        case 'c': server = 0; break;
        case 'a': addr = optarg; break;
        case 'p': port = optarg; break;
        case 'x': ops = optarg; break;
        case 'n': nrecv = atoi(optarg); break;
        case 'r': rsize = atoi(optarg); break;
        case 'm': msize = strtoul(optarg, 0, 0); break;
        case 'I': ird = atoi(optarg); break;
        case 'O': ord = atoi(optarg); break;
        case 'P': xpd = atoi(optarg); break;
        case 'N': noinfo = 1; break;
        case 'R': do_reject = 1; break;
        case 'e': echo = 1; break;
        case 'w': linger = atoi(optarg); break;
        case 'l': passive = 1; break;
        default: return 1;
        }
    who = server ? "S" : "C";
    if (passive < 0)
        passive = server;
    struct addrinfo *ai, hint = {.ai_socktype = SOCK_STREAM};
    if (getaddrinfo(addr, port, &hint, &ai))
        die("addr");
    if (!(ec = rdma_create_event_channel()))
        die("channel");
    uint8_t pdbuf[512];
    size_t pl;
    struct rdma_cm_event *e;
    if (server) {
        if (rdma_create_id(ec, &lid, NULL, RDMA_PS_TCP) || rdma_bind_addr(lid, ai->ai_addr) ||
            rdma_listen(lid, 4))
            die("listen");
        e = next(30);
        if (e->event != RDMA_CM_EVENT_CONNECT_REQUEST)
            return 4;
        id = e->id;
        printf("%s REQ ird=%d ord=%d\n", who, e->param.conn.responder_resources,
               e->param.conn.initiator_depth);
        getpd(e->param.conn.private_data, e->param.conn.private_data_len);
        rdma_ack_cm_event(e);
        rdma_destroy_id(lid); /* one connection: the next is refused, not kept waiting */
        if (do_reject) {
            setup_id(id);
            pl = mkpd(pdbuf);
            printf("%s REJECT %d\n", who, rdma_reject(id, pdbuf, pl));
            sleep(1);
            return 0;
        }
        setup_id(id);
        pl = mkpd(pdbuf);
        struct rdma_conn_param cp = {.private_data = pdbuf,
                                     .private_data_len = pl,
                                     .responder_resources = ird,
                                     .initiator_depth = ord};
        if (rdma_accept(id, &cp)) {
            printf("%s rdma_accept errno=%d\n", who, errno);
            sleep(1);
            return 5;
        }
        e = next(20);
        int ev = e->event;
        rdma_ack_cm_event(e);
        if (ev != RDMA_CM_EVENT_ESTABLISHED)
            return 6;
    } else {
        if (rdma_create_id(ec, &id, NULL, RDMA_PS_TCP) || rdma_resolve_addr(id, NULL, ai->ai_addr, 3000))
            die("resolve");
        e = next(10);
        if (e->event != RDMA_CM_EVENT_ADDR_RESOLVED)
            return 4;
        rdma_ack_cm_event(e);
        if (rdma_resolve_route(id, 3000))
            die("route");
        e = next(10);
        if (e->event != RDMA_CM_EVENT_ROUTE_RESOLVED)
            return 4;
        rdma_ack_cm_event(e);
        setup_id(id);
        pl = mkpd(pdbuf);
        struct rdma_conn_param cp = {.private_data = pdbuf,
                                     .private_data_len = pl,
                                     .responder_resources = ird,
                                     .initiator_depth = ord,
                                     .retry_count = 7};
        if (rdma_connect(id, &cp)) {
            printf("%s rdma_connect errno=%d\n", who, errno);
            return 5;
        }
        e = next(20);
        int ev = e->event;
        printf("%s REPLY ird=%d ord=%d\n", who, e->param.conn.responder_resources,
               e->param.conn.initiator_depth);
        getpd(e->param.conn.private_data, e->param.conn.private_data_len);
        rdma_ack_cm_event(e);
        if (ev != RDMA_CM_EVENT_ESTABLISHED)
            return 6;
    }
    if (ops) {
        char *q = strdup(ops), *sv;
        for (char *t = strtok_r(q, " ", &sv); t; t = strtok_r(NULL, " ", &sv))
            run_op(t);
        pump(20, u_idle);
    }
    if (passive)
        pump(25, u_disc);
    else {
        pump(linger / 1000.0, NULL);
        if (!disc) {
            rdma_disconnect(id);
            pump(3, u_disc);
        }
    }
    pump(0.1, u_idle);
    poll_cq();
    printf("%s END recvd=%d mem crc32=%08x fails=%d\n", who, recvd, crc32z(mem, msize), nfail);
    return 0;
}
