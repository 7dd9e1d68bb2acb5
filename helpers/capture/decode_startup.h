/* SPDX-License-Identifier: GPL-2.0-or-later */
/* decode_startup.h -- the MPA start-up of a captured connection: which octets are its frames, who is who, what is wrong.
 *
 * Judged by the model's own start-up machines: a responder hears the Request, and the initiator that would have sent
 * this Request hears the Reply.
 */
#ifndef HELPERS_CAPTURE_DECODE_STARTUP_H
#define HELPERS_CAPTURE_DECODE_STARTUP_H

#include "helpers/capture/flow.h"
#include "helpers/capture/reassembly.h"
#include "llp/mpa.h"

enum decode_startup_is {
    STARTUP_NONE,  /* no octets yet */
    STARTUP_MORE,  /* right so far */
    STARTUP_WHOLE, /* a frame, right or wrong in its fields */
    STARTUP_BAD,   /* meant as a frame: its key is nearly right, or its length is impossible */
    STARTUP_OTHER, /* not MPA */
    STARTUP_JOINED /* the frame came before the capture began */
};

struct decode_startup_side {
    enum decode_startup_is is;
    struct mpa_frame frame;
    uint32_t size; /* octets of the frame */
    uint32_t have; /* octets at `octets`, of the frame or behind it */
    uint8_t octets[MPA_FRAME_MAX];
};

struct decode_startup {
    struct decode_startup_side side[2]; /* by flow side */
    int initiator;                      /* side */
};

/* Read the first octets of both sides; `held` starts at stream offset 0. */
void decode_startup_read(struct decode_startup *s, const struct flow *flow, const struct reassembly held[2],
                         const bool joined[2]);

static inline bool decode_startup_has_frame(const struct decode_startup_side *side)
{
    return side->is == STARTUP_WHOLE || side->is == STARTUP_BAD;
}

struct decode_startup_fault {
    int side; /* that did wrong */
    enum mpa_why why;
    struct reassembly_span when;
};
enum { STARTUP_FAULTS = 2 };

/* What is wrong; how many faults. */
int decode_startup_check(const struct decode_startup *s, const struct flow *flow,
                         const struct reassembly held[2], struct decode_startup_fault fault[STARTUP_FAULTS]);

#endif
