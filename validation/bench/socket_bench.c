/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the engine costs on the kernel's TCP, on the loopback device, CRC on, beside plain TCP that does the same in the same run:
 * bulk Writes beside send() and one copy more at the receiver, Writes of 64 octets beside records of the same size sent in batches
 * of the same size, and beside such whose CRC is made and checked and whose octets are copied to their place, Sends to and fro beside octets to and fro. Both turn after turn; medians, on the clock and by the CPU time of
 * both processes; the ratios are what counts. Then 1, 1,000 and 10,000 connections: memory, and one that talks while the others
 * are idle. Judges nothing. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "llp/crc32c.h"
#include "socket/sockets.h"

enum {
    ROUNDS = 7,
    LARGE = 1 << 20,
    SMALL = 64,
    MEMORY = 8 << 20,
    RECORD = 84,
    DEPTH = 4,
    TURNS = 20000,
    SPARE = 64
};
enum {
    RECEIVE_LEN = 4096,
    RECEIVES = 16,
    QUEUE = 2048,
    DONES = 2 * QUEUE,
    TRUST = 1,
    PD = 1,
    BUFFER = 256 << 10
};
#define BULK   ((uint64_t)1 << 30)
#define SMALLS ((uint64_t)2000000)
#define PINGS  20000u
#define SECOND ((iw_time)1000000000000)

static void *must(void *p)
{
    if (!p) {
        fputs("out of memory, or refused\n", stderr);
        exit(3);
    }
    return p;
}

static double seconds(void)
{
    return (double)sockets_now() * 1e-12;
}

/* Of this process and of the children that have ended. */
static double cpu_seconds(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    const struct timeval t[] = {own.ru_utime, own.ru_stime, children.ru_utime, children.ru_stime};
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)t[i].tv_sec + (double)t[i].tv_usec * 1e-6;
    return sum;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double v[ROUNDS])
{
    qsort(v, ROUNDS, sizeof *v, by_value);
    return v[ROUNDS / 2];
}

/* ---- one end of ours ---- */

struct end {
    struct sockets *s;
    struct iw_stags *stags;
    struct iw_cq *cq;
    uint8_t *memory;
    iw_stag stag;
    uint64_t done, received; /* requests, Sends */
    bool echo, open;
    uint32_t opened;
};

static struct session_conf conf_of(const struct end *e, enum mpa_role role)
{
    return (struct session_conf){.ep = {.stags = e->stags,
                                        .send_cq = e->cq,
                                        .recv_cq = e->cq,
                                        .trust = TRUST,
                                        .pd = PD,
                                        .stream = 1,
                                        .sq_max = QUEUE,
                                        .rq_max = RECEIVES,
                                        .ord = 4,
                                        .ird = 4,
                                        .reorder_max = 2,
                                        .linger = SECOND},
                                 .start = {.role = role,
                                           .enhanced = true,
                                           .rtr = MPA_RTR_WRITE,
                                           .ird = 4,
                                           .ird_max = 4,
                                           .ord = 4,
                                           .timeout = 30 * SECOND}};
}

static void post(struct end *e, struct link *l, enum iw_op op, uint32_t len, uint64_t at)
{
    struct iw_work w = {.op = op,
                        .sges = 1,
                        .sge = {{e->stag, len, at}},
                        .remote_stag = op == IW_WRITE ? e->stag : 0,
                        .remote_to = at};
    iw_post(session_ep(link_session(l)), 0, &w);
}

static bool accepted(void *context, struct link *l, struct session_conf *conf)
{
    struct end *e = context;
    (void)l;
    *conf = conf_of(e, MPA_RESPONDER);
    return true;
}

static void turned(void *context, struct link *l)
{
    struct end *e = context;
    struct session *s = link_session(l);
    struct iw_done d;
    struct iw_event event;
    if (!*link_user(l)) {
        *link_user(l) = e;
        for (uint32_t i = 0; i < RECEIVES; i++)
            post(e, l, IW_RECV, RECEIVE_LEN, 0);
    }
    if (session_state(s) == SESSION_DECIDE)
        session_answer(s, 0, true, NULL, 0);
    e->opened += session_was_open(s) && !e->open;
    e->open |= session_was_open(s);
    while (iw_poll(e->cq, &d)) {
        e->received += d.op == IW_RECV && d.status == IW_OK;
        e->done += d.op != IW_RECV && d.status == IW_OK;
        if (d.op != IW_RECV || d.status != IW_OK)
            continue;
        post(e, l, IW_RECV, RECEIVE_LEN, 0);
        if (e->echo)
            post(e, l, IW_SEND, SMALL, 0);
    }
    while (session_was_open(s) && iw_event(session_ep(s), &event))
        if (event.kind == IW_EV_HALF_CLOSED)
            iw_close(session_ep(s), 0, IW_CLOSE);
}

static void gone(void *context, struct link *l, int error)
{
    (void)context, (void)l, (void)error;
}

static void end_new(struct end *e, uint32_t links)
{
    const struct sockets_host host = {.context = e, .accepted = accepted, .turned = turned, .gone = gone};
    *e = (struct end){
        .stags = iw_stags_init(must(malloc(iw_stags_size(4))), 4, 0),
        .cq = iw_cq_init(must(malloc(iw_cq_size(DONES + RECEIVES * links))), DONES + RECEIVES * links, TRUST),
        .memory = must(aligned_alloc(4096, MEMORY))};
    memset(e->memory, 0x5a, MEMORY);
    struct iw_region r = {.base = e->memory,
                          .len = MEMORY,
                          .rights = IW_LOCAL_WRITE | IW_REMOTE_READ | IW_REMOTE_WRITE,
                          .pd = PD};
    iw_register(e->stags, &r, &e->stag);
    e->s = must(sockets_new(&host, links));
}

/* A child that answers, and where it listens. */
static struct socket_address serve(bool echo, uint32_t links, pid_t *child)
{
    static struct end e;
    struct socket_address at;
    char why[SOCKETS_WHY_MAX];
    end_new(&e, links);
    e.echo = echo;
    address_read("127.0.0.1:0", &at, why);
    if (sockets_listen(e.s, &at))
        exit(3);
    *child = fork();
    if (*child == 0) {
        bool some = false;
        for (int n = 0; n >= 0 && !(some && n == 0); some |= n > 0)
            n = sockets_turn(e.s, sockets_now() + 60 * SECOND);
        _exit(0);
    }
    sockets_free(e.s); /* of the parent: the child listens on */
    return at;
}

static struct link *join(struct end *e, const struct socket_address *at)
{
    struct session_conf conf = conf_of(e, MPA_INITIATOR);
    int error;
    struct link *l = must(sockets_connect(e->s, at, &conf, NULL, &error));
    for (e->open = false; !e->open;)
        if (sockets_turn(e->s, sockets_now() + SECOND) <= 0)
            must(NULL);
    return l;
}

static void leave(struct end *e, pid_t child)
{
    sockets_free(e->s);
    free(e->stags);
    free(e->cq);
    free(e->memory);
    waitpid(child, NULL, 0);
}

/* `count` Writes of `len` octets, at most `depth` outstanding, and a Send that is answered: so all of it is placed. */
static double write_all(uint64_t count, uint32_t len, uint32_t depth)
{
    struct end e;
    pid_t child;
    struct socket_address at = serve(true, 4, &child);
    end_new(&e, 4);
    struct link *l = join(&e, &at);
    double start = seconds();
    for (uint64_t posted = 0; e.done < count;) {
        for (; posted < count && posted - e.done < depth; posted++)
            post(&e, l, IW_WRITE, len, posted * len % (MEMORY - len + 1) / 64 * 64);
        uint64_t before = e.done;
        link_kick(l);
        if (e.done == before)
            sockets_turn(e.s, sockets_now() + SECOND);
    }
    post(&e, l, IW_SEND, SMALL, 0);
    link_kick(l);
    while (!e.received)
        sockets_turn(e.s, sockets_now() + SECOND);
    double t = seconds() - start;
    leave(&e, child);
    return t;
}

static double ping_pong(void)
{
    struct end e;
    pid_t child;
    struct socket_address at = serve(true, 4, &child);
    end_new(&e, 4);
    struct link *l = join(&e, &at);
    double start = seconds();
    for (uint64_t i = 0; i < PINGS; i++) {
        post(&e, l, IW_SEND, SMALL, 0);
        link_kick(l);
        while (e.received <= i)
            sockets_turn(e.s, sockets_now() + SECOND);
    }
    double t = seconds() - start;
    leave(&e, child);
    return t / PINGS / 2;
}

/* ---- plain TCP ---- */

static int plain_serve(pid_t *child, void (*serve_one)(int fd, uint64_t octets), uint64_t octets)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof a;
    int listening = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (bind(listening, (struct sockaddr *)&a, len) || listen(listening, 1) ||
        getsockname(listening, (struct sockaddr *)&a, &len))
        exit(3);
    *child = fork();
    if (*child == 0) {
        int fd = accept(listening, NULL, NULL);
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        serve_one(fd, octets);
        _exit(0);
    }
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&a, len))
        exit(3);
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    close(listening);
    return fd;
}

static void swallow(int fd, uint64_t octets, bool copy)
{
    static uint8_t in[BUFFER], out[MEMORY];
    for (uint64_t n = 0; n < octets;) {
        ssize_t r = recv(fd, in, sizeof in, 0);
        if (r <= 0)
            _exit(3);
        if (copy)
            memcpy(out + n % (MEMORY - BUFFER), in, (size_t)r);
        n += (uint64_t)r;
    }
    if (send(fd, in, 1, 0) != 1)
        _exit(3);
}

static void swallow_copy(int fd, uint64_t octets)
{
    swallow(fd, octets, true);
}

static void swallow_only(int fd, uint64_t octets)
{
    swallow(fd, octets, false);
}

static void send_all(int fd, const uint8_t *octets, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = send(fd, octets + at, len - at, 0);
        if (n <= 0)
            exit(3);
        at += (size_t)n;
    }
}

static double plain_bulk(void)
{
    pid_t child;
    uint8_t *memory = must(malloc(MEMORY)), answer;
    memset(memory, 0x5a, MEMORY);
    int fd = plain_serve(&child, swallow_copy, BULK);
    double start = seconds();
    for (uint64_t n = 0; n < BULK; n += LARGE)
        send_all(fd, memory + n % MEMORY, LARGE);
    if (recv(fd, &answer, 1, 0) != 1)
        exit(3);
    double t = seconds() - start;
    close(fd);
    waitpid(child, NULL, 0);
    free(memory);
    return t;
}

/* A record: where its octets belong, the octets, and a CRC when it is sealed. */
enum { SEAL = 4 };
static uint32_t sum_of(const uint8_t *record)
{
    return crc32c(0, record, RECORD - SEAL);
}

static void put_record(uint8_t *out, const uint8_t *memory, uint64_t n, bool sealed)
{
    uint64_t at = n * SMALL % (MEMORY - SMALL);
    memcpy(out, &at, sizeof at);
    memcpy(out + RECORD - SEAL - SMALL, memory + at, SMALL);
    if (!sealed)
        return;
    uint32_t sum = sum_of(out);
    memcpy(out + RECORD - SEAL, &sum, sizeof sum);
}

/* What a receiver of records cannot do without: find each, check it, and copy it to where it belongs. */
static void swallow_records(int fd, uint64_t octets)
{
    static uint8_t in[BUFFER + RECORD], memory[MEMORY];
    size_t left = 0;
    for (uint64_t n = 0; n < octets;) {
        ssize_t r = recv(fd, in + left, BUFFER, 0);
        if (r <= 0)
            _exit(3);
        n += (uint64_t)r;
        size_t len = left + (size_t)r, at = 0;
        for (; at + RECORD <= len; at += RECORD) {
            uint32_t sum;
            uint64_t to;
            memcpy(&sum, in + at + RECORD - SEAL, sizeof sum);
            memcpy(&to, in + at, sizeof to);
            if (sum != sum_of(in + at) || to > MEMORY - SMALL)
                _exit(3);
            memcpy(memory + to, in + at + RECORD - SEAL - SMALL, SMALL);
        }
        left = len - at;
        memmove(in, in + at, left);
    }
    if (send(fd, in, 1, 0) != 1)
        _exit(3);
}

/* Records put together from memory, as many to a call as a batch of ours takes. */
static double send_records(bool sealed)
{
    static uint8_t batch[SESSION_COPIED];
    pid_t child;
    uint8_t *memory = must(malloc(MEMORY)), answer;
    memset(memory, 0x5a, MEMORY);
    int fd = plain_serve(&child, sealed ? swallow_records : swallow_only, SMALLS * RECORD);
    double start = seconds();
    for (uint64_t n = 0; n < SMALLS;) {
        size_t len = 0;
        for (; n < SMALLS && len + RECORD <= 128 << 10; n++, len += RECORD)
            put_record(batch + len, memory, n, sealed);
        send_all(fd, batch, len);
    }
    if (recv(fd, &answer, 1, 0) != 1)
        exit(3);
    double t = seconds() - start;
    close(fd);
    waitpid(child, NULL, 0);
    free(memory);
    return t;
}

static double plain_small(void)
{
    return send_records(false);
}

static double sealed_small(void)
{
    return send_records(true);
}

static void echo(int fd, uint64_t octets)
{
    uint8_t in[RECORD];
    (void)octets;
    while (recv(fd, in, sizeof in, MSG_WAITALL) == RECORD)
        send_all(fd, in, sizeof in);
}

static double plain_ping_pong(void)
{
    pid_t child;
    uint8_t record[RECORD] = {0};
    int fd = plain_serve(&child, echo, 0);
    double start = seconds();
    for (uint32_t i = 0; i < PINGS; i++) {
        send_all(fd, record, sizeof record);
        if (recv(fd, record, sizeof record, MSG_WAITALL) != RECORD)
            exit(3);
    }
    double t = seconds() - start;
    close(fd);
    waitpid(child, NULL, 0);
    return t / PINGS / 2;
}

/* ---- many connections ---- */

static uint64_t resident(pid_t pid)
{
    char name[64];
    unsigned long long size, pages = 0;
    snprintf(name, sizeof name, "/proc/%d/statm", (int)pid);
    FILE *f = fopen(name, "r");
    if (f && fscanf(f, "%llu %llu", &size, &pages) != 2)
        pages = 0;
    if (f)
        fclose(f);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* As many descriptors as the limits allow. */
static bool may_have(uint32_t descriptors)
{
    struct rlimit l;
    getrlimit(RLIMIT_NOFILE, &l);
    l.rlim_cur = l.rlim_max;
    setrlimit(RLIMIT_NOFILE, &l);
    return l.rlim_max >= descriptors + SPARE;
}

/* Sends to and fro on one connection while the others are idle. */
static double one_among_others(struct end *e, struct link *l)
{
    double start = seconds();
    for (uint64_t before = e->received, i = 0; i < TURNS; i++) {
        post(e, l, IW_SEND, SMALL, 0);
        link_kick(l);
        while (e->received <= before + i)
            sockets_turn(e->s, sockets_now() + SECOND);
    }
    return (seconds() - start) / TURNS / 2 * 1e6;
}

static void send_on_each(struct end *e, struct link **l, uint32_t links)
{
    uint64_t before = e->received;
    for (uint32_t i = 0; i < links; i++) {
        post(e, l[i], IW_SEND, SMALL, 0);
        link_kick(l[i]);
    }
    while (e->received < before + links)
        sockets_turn(e->s, sockets_now() + SECOND);
}

static void many(uint32_t links)
{
    struct end e;
    pid_t child;
    if (!may_have(links)) {
        printf("%u connections: not measured, descriptors are limited\n", links);
        return;
    }
    struct socket_address at = serve(true, links, &child);
    end_new(&e, links);
    uint64_t before = resident(child);
    struct link **l = must(calloc(links, sizeof(struct link *)));
    double start = seconds();
    for (uint32_t i = 0; i < links; i++)
        l[i] = join(&e, &at);
    double opened = seconds() - start;
    uint64_t idle = resident(child) - before;
    start = seconds();
    send_on_each(&e, l, links);
    double answered = seconds() - start;
    uint64_t used = resident(child) - before;
    printf(
        "%u connections: opened in %.3f s, a Send of %d octets on each, answered, in %.3f s; to and fro on "
        "one of them, half: %.2f us\n",
        links, opened, SMALL, answered, one_among_others(&e, l[links / 2]));
    printf("memory of a connection at the responder: %.1f kB opened, %.1f kB after the Send (%zu kB of "
           "addresses)\n",
           (double)idle / links / 1e3, (double)used / links / 1e3, link_octets(l[0]) / 1000);
    free(l);
    leave(&e, child);
}

/* ---- both in turn ---- */

static const char *wanted; /* only what has this in its name; NULL: all */

static void compare(const char *what, double (*ours)(void), double (*plain)(void), double units,
                    const char *unit)
{
    double a[ROUNDS], b[ROUNDS], ratio[ROUNDS], cpu[ROUNDS];
    if (wanted && !strstr(what, wanted))
        return;
    for (int i = 0; i < ROUNDS; i++) {
        double before = cpu_seconds();
        b[i] = plain();
        double between = cpu_seconds();
        a[i] = ours();
        ratio[i] = b[i] / a[i];
        cpu[i] = (between - before) / (cpu_seconds() - between);
    }
    double mine = median(a), theirs = median(b), share = median(ratio);
    mine = units > 0 ? units / mine : mine * 1e6;
    theirs = units > 0 ? units / theirs : theirs * 1e6;
    printf("%-28s %8.2f %s, plain TCP %8.2f %s: %.2f of it on the clock (%.2f .. %.2f), %.2f by CPU time "
           "(%.2f .. %.2f)\n",
           what, mine, unit, theirs, unit, share, ratio[0], ratio[ROUNDS - 1], median(cpu), cpu[0],
           cpu[ROUNDS - 1]);
}

static double our_bulk(void)
{
    return write_all(BULK / LARGE, LARGE, DEPTH);
}

static double our_small(void)
{
    return write_all(SMALLS, SMALL, QUEUE);
}

int main(int argc, char **argv)
{
    wanted = argc > 1 ? argv[1] : NULL;
    setvbuf(stdout, NULL, _IOLBF, 0);
    compare("Writes of 1 MiB, CRC on", our_bulk, plain_bulk, (double)BULK * 8 / 1e9, "Gb/s");
    compare("Writes of 64 octets, CRC on", our_small, plain_small, (double)SMALLS / 1e6, "M/s");
    compare("the same, beside sealed ones", our_small, sealed_small, (double)SMALLS / 1e6, "M/s");
    compare("sealed records", sealed_small, plain_small, (double)SMALLS / 1e6, "M/s");
    compare("Send to and fro, half", ping_pong, plain_ping_pong, 0, "us");
    for (uint32_t links = 1; !wanted && links <= 10000; links *= links == 1 ? 1000 : 10)
        many(links);
    return 0;
}
