/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* session.h -- one endpoint on one byte stream: MPA's start-up, full operation, the end. Sans-I/O: no socket, no clock.
 *
 *     TCP's octets in  -> session_receive, session_fin, session_lost
 *     octets for TCP   <- session_transmit ... session_sent
 *     FIN, RST         <- session_request
 *     time             -> session_expire, <- session_deadline
 *     ULP              -> iw_post(session_ep()), iw_poll(), iw_event(): as iw.h has it; session_answer for a Request
 *
 * The stream below is in order and has acknowledged what it brings, so a session takes every octet it is given.
 * Bound: its memory is one block of a size known before; what one call costs grows with its octets alone; whatever the
 * peer does or leaves undone, a start-up ends by conf.start.timeout and an ended stream by conf.ep.linger.
 */
#ifndef IW_SOCKET_SESSION_H
#define IW_SOCKET_SESSION_H

#include "engine/iw.h"
#include "llp/mpa.h"

struct session_conf {
    struct iw_conf ep; /* mulpdu and llp are set by the session; not IW_RECOVER: a byte stream cannot wait */
    struct mpa_start_conf start;
    uint32_t emss; /* TCP's effective MSS, octets */
    /* Every ULPDU as it came, before the engine sees it; NULL: nobody looks on. */
    void (*tap)(void *context, iw_time now, const uint8_t *ulpdu, uint32_t len);
    /* Every message that was delivered; or NULL. */
    void (*message)(void *context, iw_time now, const struct iw_message *message);
    void *context;
};

enum session_state {
    SESSION_STARTING, /* start-up frames under way */
    SESSION_DECIDE,   /* responder: session_answer(), please; session_start()->peer is the Request */
    SESSION_OPEN,     /* full operation */
    SESSION_CLOSING,  /* start-up failed or was rejected; TCP is being closed */
    SESSION_OVER      /* nothing more will happen */
};

/* What is to be sent, gathered: pieces that lie in the session, in this batch, or in the ULP's memory. One batch can serve
 * all sessions of a thread. */
enum { SESSION_PIECES = 512, SESSION_BATCH = 256 << 10, SESSION_COPIED = 136 << 10 };
struct session_batch {
    uint32_t pieces, octets;
    struct iw_frag piece[SESSION_PIECES];
    uint32_t copied;
    uint8_t copy[SESSION_COPIED];
};

/* A session lives in one block of session_size() octets, aligned as malloc does; most of it is not touched before it is
 * needed. Size 0, or init NULL: refused; session_conf_error() says why in words. */
struct session;
size_t session_size(const struct session_conf *conf);
struct session *session_init(void *memory, iw_time now, const struct session_conf *conf);
const char *session_conf_error(const struct session_conf *conf);

/* Octets that arrived, all of which are taken. Nothing of the session may be called between session_transmit() and
 * session_sent(). */
void session_receive(struct session *s, iw_time now, const uint8_t *octets, size_t len);
void session_fin(struct session *s, iw_time now);  /* the peer's FIN */
void session_lost(struct session *s, iw_time now); /* reset, refused, timed out */

/* What TCP shall send now; false: nothing. session_sent() must follow at once and says how many octets TCP took; the
 * session keeps a copy of the others, so the ULP's memory is free from there on (IW_ON_ACCEPT). */
bool session_transmit(struct session *s, iw_time now, struct session_batch *batch);
void session_sent(struct session *s, iw_time now, const struct session_batch *batch, size_t taken);
/* Octets that wait for TCP to take more. */
size_t session_waiting(const struct session *s);
/* The peer's TCP has acknowledged all octets but `unacked` of those that TCP took (IW_ON_ACK). */
void session_note_acked(struct session *s, iw_time now, uint64_t unacked);

/* What TCP shall do, each once, when session_transmit() has nothing more: after FIN the peer's octets still count. */
enum session_want { SESSION_NOTHING, SESSION_SEND_FIN, SESSION_RESET };
enum session_want session_request(struct session *s, iw_time now);

/* The ULP's answer in SESSION_DECIDE, with private data: as mpa_accept(), mpa_reject(). */
int session_answer(struct session *s, iw_time now, bool accept, const uint8_t *private_data, uint16_t len);

iw_time session_deadline(const struct session *s);
void session_expire(struct session *s, iw_time now);

/* For a judge: a ULPDU of any octets next in the stream, between the engine's own; IW_EFULL: TCP is behind. */
enum { SESSION_GOOD_CRC, SESSION_BAD_CRC };
int session_inject(struct session *s, const uint8_t *ulpdu, uint32_t len, int crc);

enum session_state session_state(const struct session *s);
struct iw_ep *session_ep(struct session *s);
const struct mpa_start *session_start(const struct session *s);
bool session_was_open(const struct session *s);

#endif
