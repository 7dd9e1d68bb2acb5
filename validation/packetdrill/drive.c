/* SPDX-License-Identifier: GPL-2.0-or-later */
/* drive.c -- one end of a TCP connection of ours for play.py: a command a line on stdin, its answer on stdout, ended by a line
 * with a dot. Times are picoseconds.
 *
 *   open KEY=VALUE...                  a new connection, closed; what is not said is tcp_defaults()
 *   connect T   listen   close T   abort T
 *   append T LEN                       one record of zeros
 *   credit T EDGE SAY                  the right edge, a stream offset
 *   in T ECN HEX LEN                   a segment arrives: its header, and as many zeros: verdict offset len in_order
 *   stray ECN HEX LEN                  the same, to nobody: perhaps an answer
 *   out T                              what leaves now: a line "> ECN HEX LEN" each
 *   expire T                           time passes
 *   state                              KEY=VALUE... of everything that can be asked
 *   events                             life events that came
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "llp/tcp_inner.h"

enum { OCTETS = 70000 };

static struct tcp *t;
static struct tcp_conf conf;
static uint8_t octets[OCTETS];

static void bad(const char *what)
{
    fprintf(stderr, "drive: %s\n", what);
    exit(2);
}

/* ---- the configuration ---- */

static const struct {
    const char *name;
    size_t at, size;
} keys[] = {
#define KEY(name)                                                                    \
    {                                                                                \
#name, offsetof(struct tcp_conf, name), sizeof(((struct tcp_conf *)0)->name) \
    }
    KEY(local_address),
    KEY(remote_address),
    KEY(local_port),
    KEY(remote_port),
    KEY(mtu),
    KEY(iss),
    KEY(window_shift),
    KEY(without),
    KEY(ecn),
    KEY(timestamps),
    KEY(idle_restart),
    KEY(delayed_ack),
    KEY(retries),
    KEY(syn_retries),
    KEY(slow_start_limit),
    KEY(dupack_threshold),
    KEY(initial_window),
    KEY(records),
    KEY(store),
    KEY(ranges),
    KEY(delayed_ack_timeout),
    KEY(max_ack_delay),
    KEY(initial_rto),
    KEY(min_rto),
    KEY(max_rto),
    KEY(granularity),
    KEY(msl),
#undef KEY
};

static void set(const char *name, uint64_t value)
{
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        uint8_t *at = (uint8_t *)&conf + keys[i].at;
        if (strcmp(keys[i].name, name))
            continue;
        if (keys[i].size == 1)
            *at = (uint8_t)value;
        else if (keys[i].size == 2)
            *(uint16_t *)(void *)at = (uint16_t)value;
        else if (keys[i].size == 4)
            *(uint32_t *)(void *)at = (uint32_t)value;
        else
            *(uint64_t *)(void *)at = value;
        return;
    }
    bad(name);
}

/* The place of a word in a list. */
static int place_of(const char *word, const char *const *words)
{
    int i = 0;
    while (words[i] && strcmp(words[i], word))
        i++;
    if (!words[i])
        bad(word);
    return i;
}

static void set_text(const char *name, const char *value)
{
    if (!strcmp(name, "congestion"))
        conf.congestion = tcp_congestions[place_of(value, tcp_congestion_words)];
    else if (!strcmp(name, "detection"))
        conf.detection = tcp_detections[place_of(value, tcp_detection_words)];
    else
        set(name, strtoull(value, NULL, 10));
}

static void do_open(char *rest)
{
    tcp_defaults(&conf);
    for (char *word = strtok(rest, " \n"); word; word = strtok(NULL, " \n")) {
        char *value = strchr(word, '=');
        if (!value)
            bad(word);
        *value++ = 0;
        set_text(word, value);
    }
    if (tcp_conf_error(&conf))
        bad(tcp_conf_error(&conf));
    free(t);
    t = tcp_init(malloc(tcp_size(&conf)), &conf);
}

/* ---- packets ---- */

/* "ECN HEX LEN" */
static bool packet_get(const char *rest, struct ip_packet *in)
{
    char hex[2 * TCP_HEAD_MAX + 1];
    unsigned ecn, len, octet, head = 0;
    if (sscanf(rest, "%u %120s %u", &ecn, hex, &len) != 3 || len > OCTETS - TCP_HEAD_MAX)
        return false;
    while (sscanf(hex + 2 * head, "%2x", &octet) == 1)
        octets[head++] = (uint8_t)octet;
    memset(octets + head, 0, len);
    *in = (struct ip_packet){.size = IP_HEAD + head + len,
                             .head = (uint16_t)(head + len),
                             .protocol = IP_PROTOCOL_TCP,
                             .ecn = (uint8_t)ecn,
                             .octets = octets};
    return true;
}

static void packet_put(const struct ip_packet *out)
{
    unsigned head = (unsigned)(out->octets[12] >> 4) * 4;
    printf("> %u ", out->ecn);
    for (unsigned i = 0; i < head; i++)
        printf("%02x", out->octets[i]);
    printf(" %u\n", (unsigned)out->size - IP_HEAD - head);
}

static void do_in(iw_time now, const char *rest)
{
    static const char *const verdicts[] = {"taken", "control", "duplicate", "refused", "bad"};
    struct ip_packet in;
    struct tcp_segment segment = {0};
    if (!packet_get(rest, &in))
        bad("in T ECN HEX LEN");
    enum tcp_verdict verdict = tcp_accept(t, now, &in, &segment);
    printf("%s %" PRIu64 " %" PRIu32 " %d\n", verdicts[verdict], segment.offset, segment.len,
           segment.in_order);
}

static void do_stray(const char *rest)
{
    static uint8_t answer[TCP_HEAD_MAX];
    struct ip_packet in, out = {.octets = answer};
    if (!packet_get(rest, &in))
        bad("stray ECN HEX LEN");
    if (tcp_answer_stray(&in, &out))
        packet_put(&out);
}

static void do_out(iw_time now)
{
    struct ip_packet out = {.octets = octets};
    while (tcp_transmit(t, now, &out))
        packet_put(&out);
}

/* ---- looking on ---- */

static void say(const char *name, uint64_t value)
{
    printf(" %s=%" PRIu64, name, value);
}

/* Records in flight that are repetitions, and those of them that were found lost. */
static void repetitions(uint32_t *repeated, uint32_t *lost)
{
    *repeated = *lost = 0;
    for (uint32_t i = t->tx.flying.head, n = t->tx.flying.count; n--; i = record_at(t, i)->next) {
        const struct tcp_record *r = record_at(t, i);
        *repeated += r->sends > 1;
        *lost += r->sends > 1 && r->why != TCP_WHY_TLP;
    }
}

static void do_state(void)
{
    const struct tcp_stats *s = tcp_statistics(t);
    uint32_t repeated, lost;
    repetitions(&repeated, &lost);
    printf("state=%d", tcp_state(t));
    say("phase", t->repair.phase);
    say("deadline", tcp_deadline(t));
    say("mss", tcp_mss(t));
    say("appended", tcp_appended(t));
    say("sent", tcp_sent(t));
    say("nxt", t->tx.nxt);
    say("acked", tcp_acked(t));
    say("unsent", tcp_unsent(t));
    say("received", tcp_received(t));
    say("told", tcp_told(t));
    say("room", tcp_room(t, tcp_mss(t)));
    say("cwnd", s->cwnd);
    say("ssthresh", s->ssthresh);
    say("flight", s->flight);
    say("right_edge", s->right_edge);
    say("unacked", t->tx.next - t->tx.first);
    say("sacked", s->sacked);
    say("dups", t->detection == &tcp_rack ? 0 : t->dupack.dups);
    say("lost", s->lost + lost);
    say("retrans", repeated);
    say("retransmits", s->retransmits);
    say("tries", t->tries);
    say("backoff", t->backoff);
    say("probe_backoff", t->probe_backoff);
    say("srtt", s->srtt);
    say("rttvar", s->rttvar);
    say("rto", s->rto);
    say("min_rtt", s->min_rtt);
    say("sack", t->sack);
    say("stamps", t->stamps);
    say("scaled", t->tx.shift != UINT8_MAX);
    say("ecn", t->ecn_on);
    say("snd_wscale", t->tx.shift == UINT8_MAX ? 0 : t->tx.shift);
    say("rcv_wscale", t->rx.shift);
    say("segments_tx", s->segments_tx);
    say("segments_rx", s->segments_rx);
    say("packets_tx", s->packets_tx);
    say("packets_rx", s->packets_rx);
    say("octets_rx", s->octets_rx);
    say("spurious", s->spurious);
    say("reordering_seen", t->detection == &tcp_rack && t->rack.reordering);
    printf("\n");
}

static void do_events(void)
{
    static const char *const names[] = {
        [TCP_EV_UP] = "up",           [TCP_EV_FIN] = "fin",     [TCP_EV_DOWN] = "down",
        [TCP_EV_REFUSED] = "refused", [TCP_EV_RESET] = "reset", [TCP_EV_LOST] = "lost"};
    struct tcp_event event;
    while (tcp_event(t, &event))
        if (event.kind <= TCP_EV_LOST)
            printf("%s\n", names[event.kind]);
}

/* ---- commands ---- */

static int user(const char *name, iw_time now, const char *rest)
{
    if (!strcmp(name, "connect"))
        return tcp_connect(t, now);
    if (!strcmp(name, "listen"))
        return tcp_listen(t);
    if (!strcmp(name, "close"))
        return tcp_close(t, now);
    if (!strcmp(name, "append")) {
        struct iw_frag frag = {.len = (uint32_t)strtoul(rest, NULL, 10)};
        return tcp_append(t, now, &frag, 1);
    }
    if (strcmp(name, "abort"))
        bad(name);
    tcp_abort(t, now);
    return IW_OK;
}

static void do_command(char *line)
{
    char name[16];
    iw_time now = 0;
    int used = 0;
    if (sscanf(line, "%15s %n", name, &used) != 1)
        bad("an empty line");
    char *rest = line + used;
    if (!strcmp(name, "open")) {
        do_open(rest);
        return;
    }
    if (!t)
        bad("no connection is open");
    if (!strcmp(name, "stray")) {
        do_stray(rest);
        return;
    }
    now = strtoull(rest, &rest, 10);
    if (!strcmp(name, "in"))
        do_in(now, rest);
    else if (!strcmp(name, "out"))
        do_out(now);
    else if (!strcmp(name, "expire"))
        tcp_expire(t, now);
    else if (!strcmp(name, "state"))
        do_state();
    else if (!strcmp(name, "events"))
        do_events();
    else if (!strcmp(name, "credit")) {
        uint64_t edge = strtoull(rest, &rest, 10);
        tcp_credit(t, now, edge, strtoull(rest, NULL, 10) != 0);
    } else {
        printf("%d\n", user(name, now, rest));
    }
}

int main(void)
{
    static char line[4096];
    while (fgets(line, sizeof line, stdin)) {
        do_command(line);
        puts(".");
        fflush(stdout);
    }
    free(t);
    return 0;
}
