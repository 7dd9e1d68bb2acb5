/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/world/socket/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS ((iw_time)1000000000)

enum { REQUESTS = 64, RECEIVES = 64, DEPTH = 16, LINGER_MS = 2000 };

/* ---- configuration ---- */

static struct session_conf session_conf_of(const struct live *l, struct live_end *e)
{
    const struct live_conf *c = &l->conf;
    uint16_t ird = c->ird ? c->ird : DEPTH, ord = c->ord ? c->ord : DEPTH;
    return (struct session_conf){.ep = {.stags = l->memory.stags,
                                        .send_cq = l->memory.cq,
                                        .recv_cq = l->memory.cq,
                                        .user = (uintptr_t)e,
                                        .trust = LIVE_TRUST,
                                        .pd = LIVE_PD,
                                        .profile = IW_RFC7306 | (c->no_crc ? (unsigned)IW_NO_DIGEST : 0),
                                        .complete_on = IW_ON_ACCEPT,
                                        .sq_max = REQUESTS,
                                        .rq_max = RECEIVES,
                                        .ord = ord,
                                        .ird = ird,
                                        .reorder_max = 4,
                                        .linger = LINGER_MS * MS},
                                 .start = {.role = e->initiator ? MPA_INITIATOR : MPA_RESPONDER,
                                           .markers = c->markers,
                                           .no_crc = c->no_crc,
                                           .enhanced = !c->rev1,
                                           .rtr = MPA_RTR_WRITE | MPA_RTR_READ,
                                           .ird = ird,
                                           .ord = ord,
                                           .ird_max = ird,
                                           .lenient = true,
                                           .timeout = c->start_up},
                                 .emss = c->emss};
}

static void hear_message(void *context, iw_time now, const struct iw_message *m)
{
    struct live_end *e = context;
    (void)now;
    player_heard(&e->player, m);
}

static struct session_conf conf_of(struct live *l, struct live_end *e)
{
    struct session_conf conf = session_conf_of(l, e);
    conf.ep.stream = ++l->streams ? l->streams : ++l->streams;
    conf.message = hear_message;
    conf.context = e;
    return conf;
}

/* ---- start-up ---- */

static void learn(struct live_end *e, struct live_told *told, bool *known, bool *plays)
{
    const struct mpa_frame *f = &session_start(link_session(e->link))->peer;
    bool some = f->private_len > 0;
    *known = some && player_private_get(f->private_data, f->private_len, told, NULL, plays);
    *plays = *known && *plays;
}

/* The Request is here: the script of the other end, if it has one that can be played. */
static void decide(struct live_end *e, iw_time now)
{
    struct session *s = link_session(e->link);
    const struct mpa_frame *f = &session_start(s)->peer;
    uint8_t octets[PLAYER_PRIVATE_MAX];
    struct live_told told;
    struct script script;
    bool plays = false, known = f->private_len &&
                                player_private_get(f->private_data, f->private_len, &told, e->script, &plays);
    plays = plays && *e->script;
    const char *wrong = plays ? script_read(e->script, &script) : NULL;
    e->player.limit = e->live->conf.memory;
    bool good = !wrong && player_init(&e->player, &e->live->memory, plays ? &script : NULL, 1, e->why) &&
                player_begin(&e->player, known ? &told : NULL, plays, e->why);
    if (wrong)
        snprintf(e->why, sizeof e->why, "the script in its Request: %s", wrong);
    if (good)
        player_listen(&e->player, session_ep(s), now);
    e->player.rtr = f->peer_to_peer;
    uint16_t len = player_private_put(&e->live->memory, plays ? "" : NULL, octets);
    session_answer(s, now, good, octets, e->live->conf.bare ? 0 : len);
}

static void opened(struct live_end *e)
{
    struct live_told told;
    bool known, plays;
    e->state = LIVE_OPEN;
    e->was_open = true;
    e->agreed = session_start(link_session(e->link))->agreed;
    if (e->initiator) {
        learn(e, &told, &known, &plays);
        e->told = known || e->given;
        player_begin(&e->player, e->given ? e->given : known ? &told : NULL, plays, e->why);
    }
    if (e->live->note.opened)
        e->live->note.opened(e->live->note.context, e);
}

/* ---- turns ---- */

static void poll_queue(struct live *l)
{
    struct iw_done d;
    while (iw_poll(l->memory.cq, &d)) {
        struct live_end *e = (struct live_end *)(uintptr_t)d.user;
        player_done(&e->player, sockets_now(), &d);
    }
}

/* Begin to close. */
static void end_close(struct live_end *e)
{
    struct session *s = e->link ? link_session(e->link) : NULL;
    if (!s || e->closing)
        return;
    e->closing = true;
    iw_close(session_ep(s), sockets_now(), IW_CLOSE);
}

static void note_event(struct live_end *e, const struct iw_event *event)
{
    switch (event->kind) {
    case IW_EV_TERMINATE_SENT: e->sent = event->terminate; break;
    case IW_EV_TERMINATE_RECEIVED: e->heard = event->terminate; break;
    case IW_EV_FATAL:
        e->fatal = true;
        e->fatal_term = event->terminate.term;
        break;
    case IW_EV_HALF_CLOSED: end_close(e); break;
    case IW_EV_CLOSED:
    case IW_EV_NO_BUFFER:
    case IW_EV_KINDS: break;
    }
}

static void play_script(struct live_end *e, iw_time now)
{
    struct session *s = link_session(e->link);
    struct live_player *p = &e->player;
    if (*e->why) {
        end_close(e);
        return;
    }
    player_go_on(p, now, false);
    bool asks = !p->failed && !e->closing && p->script.count;
    bool quiet = asks && !session_waiting(s) && !link_unacked(e->link);
    if (quiet)
        player_go_on(p, now, true);
    if (asks && !quiet)
        link_again(e->link); /* there is no event for an acknowledgement */
    if (e->initiator && player_over(p, quiet))
        end_close(e);
}

static void turned(void *context, struct link *link)
{
    struct live *l = context;
    struct live_end *e = *link_user(link);
    struct session *s = link_session(link);
    struct iw_event event;
    iw_time now = sockets_now();
    poll_queue(l);
    if (e->initiator && !e->player.ep)
        player_listen(&e->player, session_ep(s), now);
    if (session_state(s) == SESSION_DECIDE)
        decide(e, now);
    if (session_was_open(s) && e->state == LIVE_OPENING)
        opened(e);
    while (session_was_open(s) && iw_event(session_ep(s), &event))
        note_event(e, &event);
    if (session_state(s) == SESSION_OPEN && session_start(s)->state == MPA_FULL)
        play_script(e, now);
    e->why_start = session_start(s)->why;
    e->rejected = session_start(s)->state == MPA_REJECTED;
}

/* ---- connections ---- */

static struct live_end *end_new(struct live *l, bool initiator)
{
    struct live_end *e = calloc(1, sizeof *e);
    if (e) {
        e->live = l;
        e->initiator = initiator;
    }
    return e;
}

void live_end_free(struct live_end *e)
{
    player_free(&e->player);
    free(e);
}

static bool accepted(void *context, struct link *link, struct session_conf *conf)
{
    struct live *l = context;
    struct live_end *e = end_new(l, false);
    if (!e)
        return false;
    e->link = link;
    *link_user(link) = e;
    *conf = conf_of(l, e);
    return true;
}

static void gone(void *context, struct link *link, int error)
{
    struct live *l = context;
    struct live_end *e = *link_user(link);
    poll_queue(l);
    if (!e)
        return;
    e->state = LIVE_GONE;
    e->error = error;
    if (l->note.gone)
        l->note.gone(l->note.context, e);
    e->link = NULL;
    memory_restore(&l->memory);
    if (!e->initiator)
        live_end_free(e);
}

static void octets(void *context, struct link *link, bool sent, const struct iw_frag *piece, uint32_t pieces,
                   size_t n)
{
    struct live *l = context;
    if (l->note.octets)
        l->note.octets(l->note.context, *link_user(link), sent, piece, pieces, n);
}

struct live_end *live_connect(struct live *l, const struct socket_address *to, const char *text,
                              const struct script *script, const struct live_told *given, char *why)
{
    struct live_end *e = end_new(l, true);
    int error = 0;
    if (!e || !player_init(&e->player, &l->memory, script, 0, why)) {
        free(e);
        return NULL;
    }
    struct session_conf conf = conf_of(l, e);
    bool known = strlen(text) <= PLAYER_TEXT_MAX && !l->conf.bare;
    conf.start.private_data = e->private_data;
    conf.start.private_len = l->conf.bare ? 0 : player_private_put(&l->memory, text, e->private_data);
    conf.start.peer_to_peer = conf.start.enhanced && known && script->step[0].side;
    e->given = given;
    e->link = sockets_connect(l->sockets, to, &conf, e, &error);
    if (e->link)
        return e;
    snprintf(why, PLAYER_WHY_MAX, "no connection can be made: %s", strerror(error));
    live_end_free(e);
    return NULL;
}

/* ---- life ---- */

bool live_open(struct live *l, const struct live_conf *conf, const struct live_note *note, char *why)
{
    const struct sockets_host host = {.context = l,
                                      .accepted = accepted,
                                      .turned = turned,
                                      .gone = gone,
                                      .octets = note->octets ? octets : NULL};
    *l = (struct live){.conf = *conf, .note = *note};
    if (memory_make(&l->memory, conf->memory, conf->ends, conf->seed)) {
        l->sockets = sockets_new(&host, conf->ends);
        if (l->sockets)
            return true;
        memory_free(&l->memory);
    }
    snprintf(why, PLAYER_WHY_MAX, "there is no memory for %u octets and %u connections", conf->memory,
             conf->ends);
    return false;
}

void live_stop(struct live *l)
{
    if (l->sockets)
        sockets_free(l->sockets);
    l->sockets = NULL;
}

void live_close(struct live *l)
{
    live_stop(l);
    memory_free(&l->memory);
}

int live_turn(struct live *l, iw_time until)
{
    return sockets_turn(l->sockets, until);
}
