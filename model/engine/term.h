/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* term.h -- every error an iWARP stream can end with, as the Terminate message carries it.
 *
 * RFC 5040 figure 9, RFC 5041 section 7.2, RFC 5044 section 8, RFC 6581 section 9, RFC 7306 section 8.
 * An error is its wire value from the first check to the last octet: Layer(4) EType(4) Code(8).
 */
#ifndef IW_ENGINE_TERM_H
#define IW_ENGINE_TERM_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* clang-format off */
/* A result above zero: a fault of the peer or of the LLP. Its low 16 bits go on the wire. */
#define IW_TERM(layer, etype, code) (1 << 16 | (layer) << 12 | (etype) << 8 | (code))
#define IW_TERM_LAYER(term) ((term) >> 12 & 15)
#define IW_TERM_ETYPE(term) ((term) >> 8 & 15)
#define IW_TERM_CODE(term) ((term) & 255)

/*        name                     layer etype code  section               meaning */
#define IW_TERM_TABLE(X)                                                                                                \
    X(IW_T_RDMA_CATASTROPHIC,       0, 0, 0x00, "RFC 5040 4.8",   "local catastrophic error")                           \
    X(IW_T_RDMA_STAG,               0, 1, 0x00, "RFC 5040 4.8",   "remote protection error: invalid STag")              \
    X(IW_T_RDMA_BOUNDS,             0, 1, 0x01, "RFC 5040 4.8",   "remote protection error: base or bounds violation")  \
    X(IW_T_RDMA_RIGHTS,             0, 1, 0x02, "RFC 5040 4.8",   "remote protection error: access rights violation")   \
    X(IW_T_RDMA_ASSOCIATION,        0, 1, 0x03, "RFC 5040 4.8",   "remote protection error: STag not associated with stream") \
    X(IW_T_RDMA_WRAP,               0, 1, 0x04, "RFC 5040 4.8",   "remote protection error: TO wrap")                   \
    X(IW_T_RDMA_INVALIDATE_STREAM,  0, 1, 0x09, "RFC 5040 4.8",   "remote protection error: STag cannot be invalidated") \
    X(IW_T_RDMA_PROTECTION,         0, 1, 0xff, "RFC 5040 4.8",   "remote protection error: unspecified")               \
    X(IW_T_RDMA_VERSION,            0, 2, 0x05, "RFC 5040 4.8",   "remote operation error: invalid RDMAP version")      \
    X(IW_T_RDMA_OPCODE,             0, 2, 0x06, "RFC 5040 4.8",   "remote operation error: unexpected opcode")          \
    X(IW_T_RDMA_STREAM,             0, 2, 0x07, "RFC 5040 4.8",   "remote operation error: catastrophic, localized to the stream") \
    X(IW_T_RDMA_GLOBAL,             0, 2, 0x08, "RFC 5040 4.8",   "remote operation error: catastrophic, global")       \
    X(IW_T_RDMA_INVALIDATE,         0, 2, 0x09, "RFC 5040 4.8",   "remote operation error: STag cannot be invalidated") \
    X(IW_T_RDMA_OPERATION,          0, 2, 0xff, "RFC 5040 4.8",   "remote operation error: unspecified")                \
    X(IW_T_DDP_CATASTROPHIC,        1, 0, 0x00, "RFC 5041 7.2",   "DDP local catastrophic error")                       \
    X(IW_T_DDP_STAG,                1, 1, 0x00, "RFC 5041 7.2",   "tagged buffer: invalid STag")                        \
    X(IW_T_DDP_BOUNDS,              1, 1, 0x01, "RFC 5041 7.2",   "tagged buffer: base or bounds violation")            \
    X(IW_T_DDP_ASSOCIATION,         1, 1, 0x02, "RFC 5041 7.2",   "tagged buffer: STag not associated with stream")     \
    X(IW_T_DDP_WRAP,                1, 1, 0x03, "RFC 5041 7.2",   "tagged buffer: TO wrap")                             \
    X(IW_T_DDP_VERSION_TAGGED,      1, 1, 0x04, "RFC 5041 7.2",   "tagged buffer: invalid DDP version")                 \
    X(IW_T_DDP_QN,                  1, 2, 0x01, "RFC 5041 7.2",   "untagged buffer: invalid QN")                        \
    X(IW_T_DDP_NO_BUFFER,           1, 2, 0x02, "RFC 5041 7.2",   "untagged buffer: invalid MSN, no buffer available")  \
    X(IW_T_DDP_MSN_RANGE,           1, 2, 0x03, "RFC 5041 7.2",   "untagged buffer: invalid MSN, range is not valid")   \
    X(IW_T_DDP_MO,                  1, 2, 0x04, "RFC 5041 7.2",   "untagged buffer: invalid MO")                        \
    X(IW_T_DDP_TOO_LONG,            1, 2, 0x05, "RFC 5041 7.2",   "untagged buffer: message too long for the buffer")   \
    X(IW_T_DDP_VERSION_UNTAGGED,    1, 2, 0x06, "RFC 5041 7.2",   "untagged buffer: invalid DDP version")               \
    X(IW_T_LLP_LOST,                2, 0, 0x01, "RFC 5044 8",     "LLP: connection closed, reset or lost")              \
    X(IW_T_LLP_CRC,                 2, 0, 0x02, "RFC 5044 8",     "LLP: received CRC does not match")                   \
    X(IW_T_LLP_MARKER,              2, 0, 0x03, "RFC 5044 8",     "LLP: marker and ULPDU length disagree")              \
    X(IW_T_LLP_STARTUP,             2, 0, 0x04, "RFC 5044 8",     "LLP: invalid MPA Request or Reply frame")            \
    X(IW_T_LLP_CATASTROPHIC,        2, 0, 0x05, "RFC 6581 8",     "LLP: local catastrophic error")                      \
    X(IW_T_LLP_IRD,                 2, 0, 0x06, "RFC 6581 8",     "LLP: insufficient IRD resources")                    \
    X(IW_T_LLP_RTR,                 2, 0, 0x07, "RFC 6581 8",     "LLP: no matching RTR option")

#define IW_TERM_VALUE(name, layer, etype, code, section, meaning) name = IW_TERM(layer, etype, code),
enum iw_term { IW_TERM_TABLE(IW_TERM_VALUE) };
#undef IW_TERM_VALUE
/* clang-format on */

struct iw_term_entry {
    int term;            /* IW_TERM(...) */
    const char *name;    /* "IW_T_DDP_STAG" */
    const char *section; /* where the document defines it */
    const char *meaning; /* in words */
};
extern const struct iw_term_entry iw_terms[];
extern const uint32_t iw_terms_count;

/* The entry of a value, or NULL when no document defines it. Static; nobody frees it. */
const struct iw_term_entry *iw_term_entry(int term);

#ifdef __cplusplus
}
#endif
#endif
