/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* llp_mpa.h -- MPA as the byte streams of llp.h use it: one FPDU in one packet, handed up by its offset in the stream.
 *
 * With payload none a packet carries a *note* in place of the FPDU: | ULPDU_Length 2 | bad 1 | head ... |, where the
 * head is what struct mpa_mark says it is. The FPDU's key is the packet's offset.
 */
#ifndef IW_LLP_LLP_MPA_H
#define IW_LLP_LLP_MPA_H

#include "llp/ideal.h"
#include "llp/llp_inner.h"
#include "llp/mpa.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { LLP_NOTE_HEAD = 3, LLP_NOTE_MAX = LLP_NOTE_HEAD + MPA_HEAD_MAX };

/* One end, the first member of an object: what it sends, what it receives. Offset 0 is the first octet of full operation. */
struct llp_mpa {
    struct llp_object o;
    struct mpa_tx tx;
    struct mpa_rx *rx;       /* NULL: nothing has arrived */
    struct ideal_in *late;   /* what arrived while something before it was missing; NULL: nothing did */
    struct llp_track *track; /* NULL: a list, or nothing has come out of order */
    struct mpa_rx_conf rx_conf;
    uint32_t runs; /* that the receiver has room for: at most those of rx_conf */
    bool fin, failed;
    struct mpa_mark mark; /* payload none: of what arrived last */
};

/* What both sides agreed on. */
struct llp_mpa_terms {
    bool markers_tx, markers_rx, crc;
};
/* Wrong for segments of at most `emss` octets, in words; NULL: nothing. */
const char *llp_mpa_conf_error(const struct llp_conf *conf, uint32_t emss);
/* Full operation begins, of an object that is there. */
void llp_mpa_init(struct llp_mpa *m, uint32_t emss, const struct llp_mpa_terms *terms);
/* Of a byte stream whose packets have `before` octets of headers. */
void llp_mpa_sizes(const struct llp_form *form, uint32_t before, struct llp_sizes *sizes);

/* ---- out ---- */

/* Octets of the FPDU at `key`. */
uint32_t llp_mpa_fpdu_len(const struct llp_mpa *m, uint64_t key, uint32_t ulpdu);
/* Write the next FPDU, or its note, at `out`; the octets written. 0, and nothing changed: the segment is not the next,
 * larger than `emss`, or cannot be wrong in this way. */
uint32_t llp_mpa_frame(struct llp_mpa *m, const struct iw_seg *seg, enum llp_wrong how, uint8_t *out);

/* The next FPDU without copying its payload; its octets. 0: it needs llp_mpa_frame(). */
uint32_t llp_mpa_gather(struct llp_mpa *m, const struct iw_seg *seg, enum llp_wrong how,
                        struct mpa_gather *out);

/* ---- in ---- */

/* What a packet brings: `octets` of the FPDU or its note. */
struct llp_mpa_in {
    uint64_t offset;
    uint32_t len;    /* of the stream */
    uint32_t before; /* payload none: octets of the FPDU before `offset` */
    const uint8_t *octets;
    uint32_t carried; /* at `octets` */
    bool altered;     /* payload none */
    bool ahead;       /* something before it is missing */
    uint64_t room;    /* octets that can be held out of order */
};
/* LLP_TAKEN, LLP_REFUSED with `why`, LLP_BAD; only what is taken may be acknowledged. */
enum llp_verdict llp_mpa_take(struct llp_mpa *m, const struct llp_mpa_in *in, enum llp_refusal *why);
/* The stream ends at `offset`. False: no memory, it was not heard. */
bool llp_mpa_fin(struct llp_mpa *m, uint64_t offset);
/* Packets whose CRC was bad. */
uint64_t llp_mpa_crc_errors(const struct llp_mpa *m);

/* ---- rows of a table ---- */

uint32_t llp_mpa_mulpdu(const void *l, uint16_t stream);
bool llp_mpa_markers(const void *l);
uint64_t llp_mpa_key(const void *l, uint16_t stream);
uint64_t llp_mpa_key_after(const void *l, uint16_t stream, uint64_t key, uint32_t ulpdu, uint32_t *octets);
int llp_mpa_next(void *l, uint16_t stream, struct llp_segment *out);
int llp_mpa_keep(void *l, uint16_t stream);
void llp_mpa_again(void *l, uint16_t stream);
uint64_t llp_mpa_edge(void *l, uint16_t stream);
enum llp_end llp_mpa_ended(void *l, uint16_t stream);
struct llp_track *llp_mpa_track(void *l, uint16_t stream);

#ifdef __cplusplus
}
#endif
#endif
