/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/judge/catalogue.h"

#include <string.h>

/* What the wire shows of each requirement that it shows anything of; IDs between spaces. */
/* clang-format off */
static const struct {
    enum occasion occasion;
    const char *ids;
} exercised[] = {
    {OCCASION_REQUEST,        " MPA-7.1-* "},
    {OCCASION_REPLY,          " MPA-3-6 MPA-4.4-1 RFC 6581 section 9 "},
    {OCCASION_RESPONDER,      " MPA-7.1.2-4 "},
    {OCCASION_FPDU,           " MPA-3-1 MPA-3-4 MPA-5.2-1 DDP-4.1-9 DDP-4.1-11 DDP-4.1-12 DDP-4.4-1 DDP-5.2-2 RDMAP-3.1-1 RDMAP-4.1-1 "
                              "RDMAP-4.1-2 RDMAP-4.1-4 RDMAP-4.1-5 RDMAP-4.1-6 RDMAP-4.1-8 RDMAP-4.1-9 RDMAP-6.1-1 "},
    {OCCASION_PAD,            " MPA-4.1-1 "},
    {OCCASION_CRC,            " MPA-4.4-2 DDP-3-6 "},
    {OCCASION_NO_CRC,         " MPA-4.1-2 "},
    {OCCASION_MARKERS,        " MPA-4.2-1 MPA-4.3-1 MPA-4.3-2 MPA-4.3-3 MPA-4.3-4 "},
    {OCCASION_CUT,            " MPA-A-1 DDP-3-4 "},
    {OCCASION_TAGGED,         " DDP-4.1-1 DDP-4.2-1 DDP-4.2-2 DDP-4.2-8 "},
    {OCCASION_UNTAGGED,       " DDP-4.1-2 DDP-4.3-1 DDP-4.3-2 DDP-4.3-10 DDP-4.3-14 DDP-7.1-U1 DDP-7.1-U5 RDMAP-3.1-2 "},
    {OCCASION_TAGGED_RUN,     " DDP-4.2-5 DDP-4.2-6 DDP-4.2-10 DDP-4.2-11 DDP-5.2-8 "},
    {OCCASION_UNTAGGED_RUN,   " DDP-4.1-6 DDP-4.3-5 DDP-4.3-7 DDP-4.3-8 DDP-4.3-12 DDP-4.3-13 DDP-5.2-6 "},
    {OCCASION_RUN,            " DDP-4.1-4 DDP-4.1-5 DDP-4.1-8 DDP-5.2-1 DDP-5.3-3 "},
    {OCCASION_NEXT,           " DDP-4.3-9 "},
    {OCCASION_MESSAGE,        " DDP-4.1-3 DDP-5.2-4 DDP-5.3-2 RDMAP-3.1-3 "},
    {OCCASION_ZERO,           " DDP-4.4-2 DDP-5.2-9 "},
    {OCCASION_ZERO_TAGGED,    " DDP-5.2-10 DDP-5.2-11 "},
    {OCCASION_WRITE,          " RDMAP-5.1-1a RDMAP-5.1-1b RDMAP-A-1 "},
    {OCCASION_READ_REQUEST,   " RDMAP-4.2-1 RDMAP-4.4-1 RDMAP-5.2.1-1a RDMAP-5.2.1-1b RDMAP-5.2.1-6a RDMAP-5.2.1-6b RDMAP-5.2.1-7 "
                              "RDMAP-6.1-5 RDMAP-6.1-6 RDMAP-7.2-R4e RDMAP-A-2 "},
    {OCCASION_READ_ZERO,      " RDMAP-5.2.1-12 RDMAP-5.2.1-14 RDMAP-5.2.1-15 "},
    {OCCASION_READ_RESPONSE,  " RDMAP-4.4-2 RDMAP-4.4-3 RDMAP-5.2-1 RDMAP-5.2.1-8 RDMAP-5.2.1-11 RDMAP-5.2.2-1 RDMAP-5.2.2-2a "
                              "RDMAP-5.2.2-2b RDMAP-5.2.2-5 RDMAP-5.2.2-7 RDMAP-5.2.2-8 RDMAP-5.2.2-9 RDMAP-5.5-20a RDMAP-A-3 "},
    {OCCASION_SEND,           " RDMAP-5.3-1a RDMAP-5.3-1b RDMAP-5.3-9 RDMAP-5.3-10 RDMAP-A-4 "},
    {OCCASION_SEND_ZERO,      " RDMAP-5.3-11 "},
    {OCCASION_INVALIDATE,     " RDMAP-4.1-3 RDMAP-5.3-13b RDMAP-A-5 "},
    {OCCASION_NO_INVALIDATE,  " RDMAP-4.1-10 "},
    {OCCASION_IMMEDIATE,      " EXT-4.1-1 EXT-4.1-2 EXT-4.1-3 EXT-6.3-1 EXT-6.3-2 EXT-6.3-3 "},
    {OCCASION_ATOMIC_REQUEST, " EXT-5.2-1 EXT-5.2.1-0a EXT-5.2.1-1 EXT-5.2.1-4 EXT-5.2.1-6 "},
    {OCCASION_ATOMIC_RESPONSE," EXT-5-3 EXT-5.2.1-0c EXT-5.2.1-8 EXT-5.2.2-2 EXT-5.2.2-7 EXT-5.2.2-8 EXT-5.4-8 EXT-7-1 "},
    {OCCASION_TERMINATE,      " RDMAP-4.8-1 RDMAP-4.8-2 RDMAP-4.8-3 RDMAP-4.8-4 RDMAP-4.8-5 RDMAP-4.8-6 RDMAP-4.8-7 RDMAP-4.8-10 "
                              "RDMAP-4.8-12 RDMAP-5.4-1a RDMAP-5.4-1b RDMAP-5.4-2 RDMAP-5.4-8 RDMAP-A-6 MPA-8-1 "},
    {OCCASION_TERMINATE_M,    " RDMAP-4.8-8 "},
    {OCCASION_TERMINATE_D,    " RDMAP-4.8-9 RDMAP-4.8-11 "},
    {OCCASION_TERMINATE_R,    " RDMAP-4.8-13 RDMAP-4.8-14 "},
    {OCCASION_WRONG,          " RDMAP-6.2.1-1 RDMAP-7.1-2 RDMAP-7.2-1 DDP-6.2.2-3 "},
    {OCCASION_WRONG_DDP,      " DDP-7.2-1 DDP-7.1-E1 DDP-7.1-T5 "},
    {OCCASION_WRONG_VERSION,  " RDMAP-7.2-3 RDMAP-7.2-R3 "},
    {OCCASION_WRONG_OPCODE,   " RDMAP-7.2-2 RDMAP-7.2-R2 "},
    {OCCASION_WRONG_REQUEST,  " RDMAP-7.1-3 RDMAP-7.2-R1 "},
    {OCCASION_WRONG_CRC,      " MPA-4.4-3 MPA-6-1 "},
};
/* clang-format on */

int catalogue_find(const char *id)
{
    for (size_t i = 0; i < catalogue_size; i++)
        if (strcmp(catalogue[i].id, id) == 0)
            return (int)i;
    return -1;
}

/* Is `id` one of the words of `ids`? */
static bool names(const char *ids, const char *id)
{
    size_t n = strlen(id);
    for (const char *p = ids; (p = strstr(p, id)); p += n)
        if (p[-1] == ' ' && p[n] == ' ')
            return true;
    return false;
}

enum occasion catalogue_occasion(size_t i)
{
    for (size_t k = 0; k < sizeof exercised / sizeof *exercised; k++)
        if (names(exercised[k].ids, catalogue[i].id))
            return exercised[k].occasion;
    return OCCASION_NONE;
}
