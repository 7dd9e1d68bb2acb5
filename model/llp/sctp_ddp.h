/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* sctp_ddp.h -- how DDP segments ride an SCTP association, several DDP streams on one (RFC 5043).
 *
 *   one unordered DATA chunk   PPID 16  | DDP-SSN 2 | DDP segment                       RFC 5043 5.2.2
 *                              PPID 17  | DDP-SSN 2 | function 2 | private data 0-512   5.2.3
 *
 * DDP stream n is the pair of SCTP streams n. A session on it goes from Initiate to Terminate and counts its
 * chunks by DDP-SSN, from 0 on. A segment is handed up when its chunk arrives; the order is that of the
 * DDP-SSN, unwrapped to 64 bits: the key of the segment. TSNs say nothing about it (section 10).
 *
 *   active     Initiate ->  ULP: accept                    passive
 *              <- Accept    segments both ways; each side ends with Terminate, answered with one
 *              <- Reject    only by the ULP          <- Terminate   when too many Initiates wait for the ULP
 *
 * Left out: sequences of a ULP's own (section 6.5); segments cut by SCTP (section 9). A message of the same
 * session may not overtake a control message, so Terminate waits until the Initiate or Accept before it is
 * acknowledged (6.6). A stream is free for another session when both have said Terminate and the peer has
 * acknowledged ours (or a Reject). */
#ifndef IW_LLP_SCTP_DDP_H
#define IW_LLP_SCTP_DDP_H

#include "engine/carve.h"
#include "llp/llp_waiting.h"
#include "llp/sctp.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    SCTP_DDP_INDICATION = 1, /* Adaptation Layer Indication (section 5.1) */
    SCTP_DDP_PPID_SEGMENT = 16,
    SCTP_DDP_PPID_CONTROL = 17,
    SCTP_DDP_HEAD = 2, /* DDP-SSN */
    SCTP_DDP_PRIVATE_MAX = 512,
    SCTP_DDP_MULPDU_MIN = 516, /* section 9 */
    SCTP_DDP_HEAD_MAX =
        76 /* sctp_conf.head_max that a payload-free world needs: the largest header, a Terminate in it */
};
enum sctp_ddp_function { SCTP_DDP_INITIATE = 1, SCTP_DDP_ACCEPT, SCTP_DDP_REJECT, SCTP_DDP_TERMINATE };

struct sctp_ddp_conf {
    uint16_t streams; /* sessions at a time; those of the association */
    uint16_t
        reorder;   /* chunks of a session remembered beyond its edge; a power of two, best sctp_conf.chunks */
    uint16_t keep; /* segments kept for their turn, of all streams together */
    uint16_t pending; /* Initiates that may wait for the ULP (section 6.4: finite); at least 1 */
    uint16_t reserve; /* octets of a packet left for a bundled SACK (section 9: should); a multiple of 4 */
    bool shut_down;   /* when every session has ended, end the association (DDP-3-10) */
};
const char *sctp_ddp_conf_error(const struct sctp_ddp_conf *conf);

enum sctp_ddp_state {
    SCTP_DDP_CLOSED,     /* free for a session */
    SCTP_DDP_INITIATING, /* we asked */
    SCTP_DDP_DECIDING,   /* the peer asked, the ULP decides */
    SCTP_DDP_OPEN,
    SCTP_DDP_ENDING, /* our Terminate or Reject is queued or on its way; nothing more is sent */
    SCTP_DDP_STATES
};

/* A DDP stream. Law: chunks below `edge` were handed up and taken (control: acted upon), those in `got` were handed up
 * or are kept; a bit of `got` stands for the edge only while it is kept. */
struct sctp_ddp_session {
    enum sctp_ddp_state state;
    bool want_terminate, said_terminate; /* queued in SCTP */
    bool peer_terminates;                /* its Terminate is here: DDP-SSN `last` */
    bool closes;                         /* the end was a Reject: no Terminate is due */
    bool deaf;                           /* what else the peer sends in it is dropped */
    bool existed, opened;                /* a session on this stream, ever */
    uint64_t key;                        /* of the next chunk sent */
    uint64_t base;                       /* sctp_queued() when the session began */
    uint64_t edge;
    uint64_t front; /* all below had arrived before the chunk that came last */
    uint64_t last;
    uint64_t *got;
    struct llp_waiting waiting;
};

/* All sessions of an association: what an object of llp_sctp begins with. */
struct sctp_ddp {
    struct llp_object o;
    struct sctp_ddp_conf conf;
    struct sctp *a;
    uint32_t mtu;
    struct sctp_ddp_session *session;
    struct llp_cells cells;
    uint32_t sessions, pending;
    uint16_t from; /* stream of the segment that came last */
};
/* Lays out what belongs to `d`, above `a`, which must indicate SCTP_DDP_INDICATION; without memory its octets are counted. */
void sctp_ddp_lay_out(struct sctp_ddp *d, struct carve *c, const struct sctp_ddp_conf *conf,
                      const struct sctp_conf *association, struct sctp *a);

/* MULPDU: the largest segment in one packet, less the reserve; 516 at least (section 9). */
uint32_t sctp_ddp_mulpdu(const struct sctp_ddp *d);
/* The same for SCTP packets of `mtu` octets. */
uint32_t sctp_ddp_mulpdu_of(uint32_t mtu, uint32_t reserve);

/* ---- sessions ---- */

enum sctp_ddp_state sctp_ddp_state(const struct sctp_ddp *d, uint16_t stream);
/* The association was established: may it carry DDP? Without the peer's indication of DDP it may not (section
 * 11.1): it is aborted, and the answer is false. */
bool sctp_ddp_usable(struct sctp_ddp *d, iw_time now);
/* The ULP's side: Initiate; Accept or Reject. IW_ESTATE: not in this state; IW_EINVAL: no such stream, or more than 512
 * octets; IW_EFULL: SCTP has no room now. */
int sctp_ddp_initiate(struct sctp_ddp *d, iw_time now, uint16_t stream, const void *private_data,
                      uint16_t len);
int sctp_ddp_decide(struct sctp_ddp *d, iw_time now, uint16_t stream, enum sctp_ddp_function answer,
                    const void *private_data, uint16_t len);
/* End the session after what was sent. Terminate goes out as soon as it may. */
int sctp_ddp_terminate(struct sctp_ddp *d, iw_time now, uint16_t stream);
/* The peer's last chunk of this session, a Terminate, came and all before it was handed up and taken. */
bool sctp_ddp_peer_ended(const struct sctp_ddp *d, uint16_t stream);
/* Call when acknowledgements came: sends Terminates that waited, frees streams, ends the association when
 * that is due. */
void sctp_ddp_note_acked(struct sctp_ddp *d, iw_time now);

/* ---- what came ---- */

enum sctp_ddp_what {
    SCTP_DDP_NOTHING,   /* read, nothing to tell (or SCTP_DDP_TERMINATE: see sctp_ddp_peer_ended()) */
    SCTP_DDP_REFUSED,   /* no room to remember it: sctp_refuse() now, it will come again */
    SCTP_DDP_INITIATED, /* private_data; the ULP decides */
    SCTP_DDP_ACCEPTED,  /* private_data */
    SCTP_DDP_REJECTED,  /* private_data; the stream is free */
    SCTP_DDP_SEGMENTS,  /* sctp_ddp_next() has some */
    SCTP_DDP_EARLY,     /* a segment that has overtaken the Accept: it is kept */
    SCTP_DDP_ILLEGAL    /* no legal sequence has it: the session is being terminated */
};
struct sctp_ddp_told {
    uint16_t private_len;
    const uint8_t *private_data; /* borrowed from the message */
};
/* A message of the association. */
enum sctp_ddp_what sctp_ddp_receive(struct sctp_ddp *d, iw_time now, const struct sctp_in *in,
                                    struct sctp_ddp_told *told);
/* The key nearest to `near` whose DDP-SSN this is. */
uint64_t sctp_ddp_unwrap(uint64_t near, uint16_t ssn);
/* What came last was taken: it counts for `front`. */
void sctp_ddp_advance(struct sctp_ddp *d);
/* It is kept until its turn, and not handed up before. IW_EFULL: no room. */
int sctp_ddp_wait(struct sctp_ddp *d, uint16_t stream);

/* ---- rows of the table llp_sctp ---- */

/* May a segment be sent on this stream now: open, and SCTP has room? */
bool sctp_ddp_has_room(const void *l, uint16_t stream, uint32_t pulled, uint64_t octets);
uint64_t sctp_ddp_key(const void *l, uint16_t stream);
int sctp_ddp_send(void *l, iw_time now, uint16_t stream, const struct iw_seg *seg, enum llp_wrong how);
uint64_t sctp_ddp_acked(const void *l, uint16_t stream);
/* The one that came, then those kept whose turn it is. */
int sctp_ddp_next(void *l, uint16_t stream, struct llp_segment *out);
/* IW_EFULL: it counts as not received, and sctp_refuse() is due. Kept ones have their room. */
int sctp_ddp_keep(void *l, uint16_t stream);
void sctp_ddp_again(void *l, uint16_t stream);
uint64_t sctp_ddp_edge(void *l, uint16_t stream);

#ifdef __cplusplus
}
#endif
#endif
