/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/trial/trace_said.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/rdmap.h"
#include "scenarios/workloads/request.h"

enum { PART_MAX = 64 };

/* The next of the parts between "; "; false: there is none. */
static bool next_part(const char **text, char part[PART_MAX])
{
    size_t len = strcspn(*text, ";");
    if (!**text)
        return false;
    snprintf(part, PART_MAX, "%.*s", (int)len, *text);
    *text += len + strspn(*text + len, "; ");
    return true;
}

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static int term_of(const char *text)
{
    unsigned layer, etype, code;
    return sscanf(text, "%u/%u/%x", &layer, &etype, &code) == 3 ? (int)IW_TERM(layer, etype, code) : 0;
}

static enum iw_op op_of(const char *name)
{
    int op = 0;
    while (op < IW_OPS && strcmp(request_name((enum iw_op)op), name) != 0)
        op++;
    return (enum iw_op)op;
}

static void read_part(const char *part, struct trace_said *x)
{
    x->fenced |= begins(part, "fence");
    x->flushed |= strcmp(part, "flushed") == 0;
    x->acknowledged |= strcmp(part, "acknowledged") == 0;
    if (begins(part, "STag ") && strstr(part, "invalidated"))
        x->invalidated = (iw_stag)strtoul(part + strlen("STag "), NULL, 16);
    if (begins(part, "it was "))
        x->original = strtoull(part + strlen("it was "), NULL, 10);
    if (term_of(part))
        x->term = term_of(part);
}

/* "Send", "receive; solicited; STag 0x00000100 invalidated", "Write; flushed" */
static void request(const char *text, struct trace_said *x)
{
    char part[PART_MAX];
    x->op = next_part(&text, part) ? op_of(part) : IW_OPS;
    while (next_part(&text, part))
        read_part(part, x);
}

static void resent(const char *text, struct trace_said *x)
{
    for (unsigned i = LLP_WHY_NONE + 1; i < LLP_REASONS; i++)
        if (strcmp(text, llp_reason_names[i]) == 0)
            x->reason = i;
    if (strcmp(text, "seen") == 0)
        x->reason = TRACE_SEEN;
}

static void timeout(const char *text, struct trace_said *x)
{
    x->spurious = strcmp(text, "nothing was lost") == 0;
}

/* "packet 17; behind 1460 .. 2919" */
static void acknowledgement(const char *text, struct trace_said *x)
{
    sscanf(text, "packet %u", &x->packet);
    x->behind = strchr(text, ';');
}

static void closes(const char *text, struct trace_said *x)
{
    x->reset = strcmp(text, "RST") == 0;
}

static void delivered(const char *text, struct trace_said *x)
{
    while (x->opcode < RDMAP_OPCODES &&
           !(rdmap_rules[x->opcode].name && strcmp(rdmap_rules[x->opcode].name, text) == 0))
        x->opcode++;
}

static void ended(const char *text, struct trace_said *x)
{
    x->term = term_of(text);
}

struct trace_said trace_said(enum trace_kind kind, const char *text)
{
    static void (*const readers[TRACE_KINDS])(const char *, struct trace_said *) = {
        [TRACE_RECV] = request,        [TRACE_POST] = request,
        [TRACE_DONE] = request,        [TRACE_RESENT] = resent,
        [TRACE_TIMEOUT] = timeout,     [TRACE_CLOSES] = closes,
        [TRACE_DELIVERED] = delivered, [TRACE_TERMINATE_SENT] = ended,
        [TRACE_FATAL] = ended,         [TRACE_TERMINATE_RECEIVED] = ended,
        [TRACE_ACK] = acknowledgement, [TRACE_HEARD] = acknowledgement};
    struct trace_said x = {.original = TRACE_NO_NUMBER};
    if (readers[kind])
        readers[kind](text, &x);
    return x;
}
