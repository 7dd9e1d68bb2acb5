/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fields.c -- figures 2 to 5 of RFC 5041, 4 to 10 of RFC 5040, 4 and 6 of RFC 7306, as one table (fields.h). */
#include "helpers/capture/fields.h"

#include <inttypes.h>
#include <stdio.h>

#include "engine/rdmap.h"

#define DDP                    "RFC 5041 4.1"
#define TAG                    "RFC 5041 4.2"
#define UNTAG                  "RFC 5041 4.3"
#define CTL                    "RFC 5040 4.1"
#define RREQ                   "RFC 5040 4.4"
#define TERM                   "RFC 5040 4.8"
#define AREQ                   "RFC 7306 5.2.1"
#define ARESP                  "RFC 7306 5.2.2"
#define BITS(octet, bit, bits) (octet) * 8 + (bit), (bits)
#define OCTETS(octet, octets)  (octet) * 8, (octets)*8

/* What segments have a field: all, those of one kind, or untagged ones with this opcode. */
enum { ALL = -1, TAGGED = -2, UNTAGGED = -3 };

/* clang-format off */
static const struct field fields[] = {
    {ALL, "T", BITS(0, 0, 1), FIELD_NUMBER, DDP, "1: the octets go to a tagged buffer, named by STag and TO; 0: to an untagged one, in the order of MSN"},
    {ALL, "L", BITS(0, 1, 1), FIELD_NUMBER, DDP, "1: the last segment of its message"},
    {ALL, "Rsvd", BITS(0, 2, 4), FIELD_NUMBER, DDP, "reserved: sent as 0, ignored on receipt"},
    {ALL, "DV", BITS(0, 6, 2), FIELD_NUMBER, DDP, "version of DDP: 1; any other ends the stream"},
    {ALL, "RV", BITS(1, 0, 2), FIELD_NUMBER, CTL, "version of RDMAP: 1; any other ends the stream"},
    {ALL, "Rsv", BITS(1, 2, 2), FIELD_NUMBER, CTL, "reserved: sent as 0, ignored on receipt"},
    {ALL, "Opcode", BITS(1, 4, 4), FIELD_OPCODE, CTL, "the kind of RDMA message that the segment belongs to"},
    {TAGGED, "STag", OCTETS(2, 4), FIELD_HEX, TAG, "the name of the tagged buffer, as its owner advertised it"},
    {TAGGED, "TO", OCTETS(6, 8), FIELD_NUMBER, TAG, "tagged offset: where in that buffer the first octet of this segment goes"},
    {UNTAGGED, "InvSTag", OCTETS(2, 4), FIELD_HEX, CTL, "the STag that a Send with Invalidate invalidates; else 0"},
    {UNTAGGED, "QN", OCTETS(6, 4), FIELD_NUMBER, UNTAG, "queue number: 0 Sends, 1 Read Requests, 2 Terminates"},
    {UNTAGGED, "MSN", OCTETS(10, 4), FIELD_NUMBER, UNTAG, "message sequence number: which buffer of the queue; counts from 1"},
    {UNTAGGED, "MO", OCTETS(14, 4), FIELD_NUMBER, UNTAG, "message offset: where in that buffer the first octet of this segment goes"},
    {RDMAP_READ_REQ, "SinkSTag", OCTETS(18, 4), FIELD_HEX, RREQ, "the requester's buffer, for the response"},
    {RDMAP_READ_REQ, "SinkTO", OCTETS(22, 8), FIELD_NUMBER, RREQ, "offset in that buffer"},
    {RDMAP_READ_REQ, "RDMARDSZ", OCTETS(30, 4), FIELD_NUMBER, RREQ, "how many octets are requested"},
    {RDMAP_READ_REQ, "SrcSTag", OCTETS(34, 4), FIELD_HEX, RREQ, "the responder's buffer, which holds the octets"},
    {RDMAP_READ_REQ, "SrcTO", OCTETS(38, 8), FIELD_NUMBER, RREQ, "offset in that buffer"},
    {RDMAP_TERMINATE, "Layer", BITS(18, 0, 4), FIELD_NUMBER, TERM, "who found the error: 0 RDMAP, 1 DDP, 2 the LLP"},
    {RDMAP_TERMINATE, "EType", BITS(18, 4, 4), FIELD_NUMBER, TERM, "the kind of error"},
    {RDMAP_TERMINATE, "ErrorCode", OCTETS(19, 1), FIELD_HEX, TERM, "the error"},
    {RDMAP_TERMINATE, "M", BITS(20, 0, 1), FIELD_NUMBER, TERM, "1: the length of the segment in error follows"},
    {RDMAP_TERMINATE, "D", BITS(20, 1, 1), FIELD_NUMBER, TERM, "1: its DDP header follows"},
    {RDMAP_TERMINATE, "R", BITS(20, 2, 1), FIELD_NUMBER, TERM, "1: its RDMA header follows (a Read Request's)"},
    {RDMAP_TERMINATE, "SegLen", OCTETS(22, 2), FIELD_NUMBER, TERM, "octets of the segment in error, header and payload"},
    {RDMAP_ATOMIC_REQ, "AOpCode", BITS(21, 4, 4), FIELD_NUMBER, AREQ, "0 FetchAdd, 2 CmpSwap"},
    {RDMAP_ATOMIC_REQ, "ReqID", OCTETS(22, 4), FIELD_NUMBER, AREQ, "the request that the response answers"},
    {RDMAP_ATOMIC_REQ, "RemoteSTag", OCTETS(26, 4), FIELD_HEX, AREQ, "the responder's buffer"},
    {RDMAP_ATOMIC_REQ, "RemoteTO", OCTETS(30, 8), FIELD_NUMBER, AREQ, "offset of the 64-bit number in it"},
    {RDMAP_ATOMIC_REQ, "Data", OCTETS(38, 8), FIELD_NUMBER, AREQ, "the value to add, or to swap in"},
    {RDMAP_ATOMIC_REQ, "Mask", OCTETS(46, 8), FIELD_HEX, AREQ, "mask: where carries stop, or which bits are swapped"},
    {RDMAP_ATOMIC_REQ, "Compare", OCTETS(54, 8), FIELD_NUMBER, AREQ, "CmpSwap: the value that must be there"},
    {RDMAP_ATOMIC_REQ, "CompareMask", OCTETS(62, 8), FIELD_HEX, AREQ, "CmpSwap: the bits to compare"},
    {RDMAP_ATOMIC_RESP, "ReqID", OCTETS(18, 4), FIELD_NUMBER, ARESP, "the request that this response answers"},
    {RDMAP_ATOMIC_RESP, "Original", OCTETS(22, 8), FIELD_NUMBER, ARESP, "the value before the operation"},
};
/* clang-format on */

static bool has_field(const uint8_t *octets, int of)
{
    bool is_tagged = octets[0] & 0x80;
    if (of < 0)
        return of == ALL || is_tagged == (of == TAGGED);
    return !is_tagged && (octets[1] & 15) == of;
}

int fields_of(const uint8_t *octets, size_t len, struct field out[FIELDS_MAX])
{
    int n = 0;
    for (const struct field *f = fields; f < fields + sizeof fields / sizeof *fields; f++)
        if ((size_t)(f->bit + f->bits) <= len * 8 && has_field(octets, f->of))
            out[n++] = *f;
    return n;
}

uint64_t field_value(const struct field *f, const uint8_t *octets)
{
    uint64_t v = 0;
    for (unsigned i = f->bit; i < (unsigned)f->bit + f->bits; i++)
        v = v << 1 | (octets[i / 8] >> (7 - i % 8) & 1);
    return v;
}

const char *field_text(const struct field *f, const uint8_t *octets, char out[FIELD_TEXT_MAX])
{
    uint64_t v = field_value(f, octets);
    if (f->form == FIELD_HEX)
        snprintf(out, FIELD_TEXT_MAX, "0x%0*" PRIx64, f->bits / 4, v);
    else if (f->form == FIELD_OPCODE && v < RDMAP_OPCODES)
        snprintf(out, FIELD_TEXT_MAX, "%" PRIu64 " (%s)", v, rdmap_rules[v].name);
    else
        snprintf(out, FIELD_TEXT_MAX, "%" PRIu64, v);
    return out;
}

static const struct {
    int term;
    const char *tagged, *untagged; /* NULL: no field of such a segment */
    const char *cause;
} blamed[] = {
    {IW_T_DDP_STAG, "STag", NULL, "the receiver has no valid, writable buffer of this name"},
    {IW_T_DDP_BOUNDS, "TO", NULL, "some of its octets would lie outside the buffer"},
    {IW_T_DDP_ASSOCIATION, "STag", NULL, "the buffer belongs to another protection domain or stream"},
    {IW_T_DDP_WRAP, "TO", NULL, "TO plus length exceeds 2^64"},
    {IW_T_DDP_VERSION_TAGGED, "DV", NULL, "the receiver speaks DDP version 1"},
    {IW_T_DDP_QN, NULL, "QN", "the receiver has no such queue"},
    {IW_T_DDP_NO_BUFFER, NULL, "MSN", "no receive buffer was posted for this message"},
    {IW_T_DDP_MSN_RANGE, NULL, "MSN", "it is outside the range of the messages that may still come"},
    {IW_T_DDP_MO, NULL, "MO", "it lies outside the receive buffer"},
    {IW_T_DDP_TOO_LONG, NULL, "MO", "the octets do not fit into the receive buffer"},
    {IW_T_DDP_VERSION_UNTAGGED, NULL, "DV", "the receiver speaks DDP version 1"},
    {IW_T_DDP_CATASTROPHIC, "T", "T", "the segment is shorter than the header that T selects"},
    {IW_T_RDMA_STAG, NULL, "SrcSTag", "no valid buffer of the responder has this name"},
    {IW_T_RDMA_BOUNDS, NULL, "SrcTO", "some of the requested octets lie outside the buffer"},
    {IW_T_RDMA_RIGHTS, "STag", "SrcSTag", "the buffer does not allow this access"},
    {IW_T_RDMA_ASSOCIATION, NULL, "SrcSTag", "the buffer belongs to another protection domain or stream"},
    {IW_T_RDMA_WRAP, NULL, "SrcTO", "SrcTO plus RDMARDSZ exceeds 2^64"},
    {IW_T_RDMA_INVALIDATE_STREAM, NULL, "InvSTag", "this stream may not invalidate it"},
    {IW_T_RDMA_INVALIDATE, NULL, "InvSTag", "there is nothing to invalidate"},
    {IW_T_RDMA_VERSION, "RV", "RV", "the receiver speaks RDMAP version 1"},
    {IW_T_RDMA_OPCODE, "Opcode", "Opcode", "no message of this kind is allowed here"},
    {IW_T_RDMA_OPERATION, NULL, "RDMARDSZ", "the header of the Read Request is incomplete"},
};

const char *field_blamed(int term, bool is_tagged, const char **cause)
{
    for (size_t i = 0; i < sizeof blamed / sizeof *blamed; i++) {
        if (blamed[i].term != term)
            continue;
        *cause = blamed[i].cause;
        return is_tagged ? blamed[i].tagged : blamed[i].untagged;
    }
    return NULL;
}
