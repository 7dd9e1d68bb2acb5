/* SPDX-License-Identifier: GPL-2.0-or-later */
/* answer.c -- conformance.md sections 4.4 and 4.5 as tables: the readings that an answer may follow. */
#include "helpers/judge/bench.h"

#include "engine/term.h"

#define ALSO_MAX 8

/* Everywhere: an end may be unable to say more. RFC 5040 figure 9. */
static bool is_catch_all(int term)
{
    bool local = IW_TERM_LAYER(term) == 0 && IW_TERM_ETYPE(term) == 0;
    return local || term == IW_T_RDMA_STREAM || term == IW_T_RDMA_GLOBAL || term == IW_T_LLP_CATASTROPHIC ||
           term == IW_T_LLP_LOST;
}

bool answer_is_own(int term)
{
    return is_catch_all(term) || term == IW_T_RDMA_PROTECTION || term == IW_T_RDMA_OPERATION;
}

/* What else may answer an error that our engine names so. A STag may be wrong, too, which is found first by some. */
/* clang-format off */
static const struct {
    int called;
    int opcode; /* -1: any */
    int also[ALSO_MAX];
} readings[] = {
    /* no document has a code for a segment that is too short: RDMAP, DDP or MPA may see it (DDP-4.4-1, RDMAP-4.2-1) */
    {IW_T_DDP_CATASTROPHIC, -1,              {IW_T_LLP_MARKER, IW_T_RDMA_OPERATION}},
    {IW_T_RDMA_OPERATION,   -1,              {IW_T_LLP_MARKER, IW_T_RDMA_OPCODE, IW_T_DDP_TOO_LONG, IW_T_DDP_MO, IW_T_RDMA_PROTECTION}},
    {IW_T_DDP_QN,           -1,              {IW_T_RDMA_OPCODE}},
    {IW_T_DDP_MSN_RANGE,    -1,              {IW_T_DDP_NO_BUFFER}},                                             /* F18 */
    {IW_T_DDP_NO_BUFFER,    -1,              {IW_T_DDP_MSN_RANGE, IW_T_RDMA_OPERATION}},                        /* F18, R6 */
    {IW_T_DDP_MO,           -1,              {IW_T_DDP_TOO_LONG, IW_T_RDMA_OPERATION}},                         /* F19 */
    {IW_T_DDP_TOO_LONG,     -1,              {IW_T_DDP_MO, IW_T_RDMA_OPERATION}},                               /* F19 */
    {IW_T_DDP_STAG,         -1,              {IW_T_DDP_BOUNDS, IW_T_DDP_ASSOCIATION, IW_T_RDMA_OPCODE, IW_T_RDMA_OPERATION}},
    {IW_T_DDP_BOUNDS,       -1,              {IW_T_DDP_STAG, IW_T_DDP_ASSOCIATION, IW_T_RDMA_OPCODE, IW_T_RDMA_OPERATION}},
    {IW_T_DDP_WRAP,         -1,              {IW_T_DDP_STAG, IW_T_DDP_ASSOCIATION}},
    {IW_T_RDMA_WRAP,        -1,              {IW_T_RDMA_STAG, IW_T_RDMA_RIGHTS, IW_T_RDMA_ASSOCIATION}},
    /* a Response that nobody asked for: whether to check is left to the requester (R5) */
    {IW_T_RDMA_OPCODE,      RDMAP_READ_RESP, {IW_T_RDMA_OPERATION, IW_T_DDP_STAG, IW_T_DDP_BOUNDS, IW_T_DDP_ASSOCIATION, IW_T_DDP_CATASTROPHIC}},
    {IW_T_RDMA_OPCODE,      RDMAP_READ_REQ,  {IW_T_RDMA_OPERATION, IW_T_DDP_QN, IW_T_DDP_MSN_RANGE, IW_T_DDP_NO_BUFFER, IW_T_DDP_TOO_LONG}},
    {IW_T_RDMA_OPCODE,      RDMAP_ATOMIC_RESP, {IW_T_RDMA_OPERATION, IW_T_DDP_QN, IW_T_DDP_NO_BUFFER, IW_T_DDP_MSN_RANGE}},
    {IW_T_RDMA_OPCODE,      -1,              {IW_T_RDMA_OPERATION, IW_T_DDP_QN}},                               /* QN 3 without RFC 7306 */
    {IW_T_LLP_CRC,          -1,              {IW_T_LLP_MARKER}},
};

/* What memory and receive buffers can make of a segment that is right in itself. */
static const struct {
    int opcode;
    int also[ALSO_MAX];
} local[] = {
    {RDMAP_WRITE,       {IW_T_DDP_STAG, IW_T_DDP_BOUNDS, IW_T_DDP_ASSOCIATION, IW_T_RDMA_RIGHTS, IW_T_RDMA_PROTECTION}},
    {RDMAP_READ_RESP,   {IW_T_DDP_STAG, IW_T_DDP_BOUNDS, IW_T_DDP_ASSOCIATION, IW_T_RDMA_OPERATION}},
    {RDMAP_READ_REQ,    {IW_T_RDMA_STAG, IW_T_RDMA_BOUNDS, IW_T_RDMA_RIGHTS, IW_T_RDMA_ASSOCIATION, IW_T_RDMA_PROTECTION, IW_T_DDP_NO_BUFFER, IW_T_RDMA_OPERATION}},
    {RDMAP_SEND,        {IW_T_DDP_NO_BUFFER, IW_T_DDP_TOO_LONG, IW_T_DDP_MO}},
    {RDMAP_SEND_SE,     {IW_T_DDP_NO_BUFFER, IW_T_DDP_TOO_LONG, IW_T_DDP_MO}},
    {RDMAP_SEND_INV,    {IW_T_DDP_NO_BUFFER, IW_T_DDP_TOO_LONG, IW_T_DDP_MO, IW_T_RDMA_INVALIDATE, IW_T_RDMA_INVALIDATE_STREAM, IW_T_RDMA_STAG, IW_T_RDMA_ASSOCIATION}},
    {RDMAP_SEND_SE_INV, {IW_T_DDP_NO_BUFFER, IW_T_DDP_TOO_LONG, IW_T_DDP_MO, IW_T_RDMA_INVALIDATE, IW_T_RDMA_INVALIDATE_STREAM, IW_T_RDMA_STAG, IW_T_RDMA_ASSOCIATION}},
};
/* clang-format on */

static bool among(int term, const int also[ALSO_MAX])
{
    for (int i = 0; i < ALSO_MAX && also[i]; i++)
        if (also[i] == term)
            return true;
    return false;
}

static bool fits_reading(int term, int called, const struct judge_seen *s)
{
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        bool opcode =
            readings[i].opcode < 0 || (s->segment.readable && readings[i].opcode == s->segment.ctl.opcode);
        if (readings[i].called == called && opcode)
            return among(term, readings[i].also);
    }
    return false;
}

static bool fits_local(int term, const struct judge_seen *s, bool mine)
{
    /* A receive buffer that took the octets before these is there: it can only be too short. */
    bool is_gone = term == IW_T_DDP_NO_BUFFER && mine;
    if (s->segment.ctl.opcode > RDMAP_TERMINATE) /* RFC 7306: whether a peer knows it at all is not seen */
        return !answer_is_visible(term) || term == IW_T_RDMA_OPCODE;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (local[i].opcode == s->segment.ctl.opcode)
            return among(term, local[i].also) && !is_gone;
    return false;
}

bool answer_fits(int term, int called, const struct judge_seen *s, bool mine)
{
    if (is_catch_all(term) || (called && term == called))
        return true;
    return called ? fits_reading(term, called, s) : s->segment.readable && fits_local(term, s, mine);
}

bool answer_is_visible(int term)
{
    static const int visible[] = {IW_T_DDP_WRAP,      IW_T_DDP_VERSION_TAGGED,   IW_T_DDP_QN,
                                  IW_T_DDP_MSN_RANGE, IW_T_DDP_VERSION_UNTAGGED, IW_T_RDMA_WRAP,
                                  IW_T_RDMA_VERSION,  IW_T_RDMA_OPCODE,          IW_T_LLP_CRC,
                                  IW_T_LLP_MARKER};
    for (size_t i = 0; i < sizeof visible / sizeof *visible; i++)
        if (visible[i] == term)
            return true;
    return false;
}

const char *answer_requirement(int term)
{
    static const struct {
        int term;
        const char *requirement;
    } rows[] = {
        {IW_T_RDMA_OPCODE, "RDMAP-7.2-2"},
        {IW_T_RDMA_VERSION, "RDMAP-7.2-3"},
        {IW_T_RDMA_WRAP, "RDMAP-7.2-R4e"},
        {IW_T_RDMA_STAG, "RDMAP-7.2-R4a"},
        {IW_T_RDMA_RIGHTS, "RDMAP-7.2-R4a"},
        {IW_T_RDMA_ASSOCIATION, "RDMAP-7.2-R4b"},
        {IW_T_RDMA_BOUNDS, "RDMAP-7.2-R4c"},
        {IW_T_RDMA_INVALIDATE, "RDMAP-7.2-4"},
        {IW_T_RDMA_INVALIDATE_STREAM, "RDMAP-7.2-5"},
        {IW_T_RDMA_OPERATION, "RDMAP-4.2-1"},
        {IW_T_LLP_CRC, "MPA-4.4-3"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].term == term)
            return rows[i].requirement;
    return IW_TERM_LAYER(term) == 1 ? "DDP-7.2-1" : IW_TERM_LAYER(term) == 2 ? "MPA-8-1" : "RDMAP-4.8-3";
}

bool answer_has_header(int term)
{
    return IW_TERM_LAYER(term) == 1 ? IW_TERM_ETYPE(term) != 0
                                    : IW_TERM_LAYER(term) == 0 && IW_TERM_ETYPE(term) != 0;
}
