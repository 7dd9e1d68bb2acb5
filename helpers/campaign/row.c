/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/campaign/row.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"

static const char magic[] = "iwarpsim row 1\n";
static const char sum_name[] = "sha256 ";
static const char *const sections[ROW_SECTIONS] = {
    [ROW_LINE] = "line",       [ROW_LATENCY] = "latency",     [ROW_EARLY] = "early",
    [ROW_STAGING] = "staging", [ROW_SLOWDOWN] = "slowdown",   [ROW_LINKS] = "links",
    [ROW_FLOWS] = "flows",     [ROW_WORKLOADS] = "workloads", [ROW_COST] = "cost"};

enum { SUM_LINE = sizeof sum_name - 1 + SHA256_TEXT - 1 + 1 }; /* octets of the last line */

/* ---- writing ---- */

static void write_body(const struct row *r, FILE *out)
{
    fprintf(out, "%sidentity %s\ncommit %s\nsimulator %s\nstatus %s\n", magic, r->identity, r->commit,
            r->simulator, r->status);
    for (int i = 0; i < ROW_SECTIONS; i++) {
        if (!r->section[i].size)
            continue;
        fprintf(out, "%s %zu\n", sections[i], r->section[i].size);
        fwrite(r->section[i].octets, 1, r->section[i].size, out);
    }
}

bool row_write(const struct row *r, FILE *out)
{
    char *text = NULL, sum[SHA256_TEXT];
    size_t size;
    FILE *memory = need(open_memstream(&text, &size));
    write_body(r, memory);
    need(fclose(memory) == 0 ? text : NULL);
    sha256_text(text, size, sum);
    fwrite(text, 1, size, out);
    fprintf(out, "%s%s\n", sum_name, sum);
    free(text);
    return !ferror(out);
}

/* ---- reading ---- */

/* The rest of a line that begins with `name` and a blank. NULL: it does not. */
static char *take_fact(char *p, const char *name, char *fact, size_t room)
{
    size_t len = strlen(name);
    char *end = strchr(p, '\n');
    if (!end || strncmp(p, name, len) || p[len] != ' ' || (size_t)(end - p) - len > room)
        return NULL;
    snprintf(fact, room, "%.*s", (int)(end - p - (long)len - 1), p + len + 1);
    return end + 1;
}

/* "NAME SIZE" and as many octets. NULL: it is none. */
static char *take_section(struct row *r, char *p, const char *end)
{
    for (int i = 0; i < ROW_SECTIONS; i++) {
        size_t len = strlen(sections[i]);
        if (strncmp(p, sections[i], len) || p[len] != ' ')
            continue;
        char *line;
        unsigned long long size = strtoull(p + len + 1, &line, 10);
        if (*line != '\n' || size > (size_t)(end - line - 1))
            return NULL;
        r->section[i].octets = line + 1;
        r->section[i].size = (size_t)size;
        return line + 1 + size;
    }
    return NULL;
}

static bool parse_row(struct row *r, char *end)
{
    char *p = r->text + sizeof magic - 1;
    p = take_fact(p, "identity", r->identity, sizeof r->identity);
    p = p ? take_fact(p, "commit", r->commit, sizeof r->commit) : NULL;
    p = p ? take_fact(p, "simulator", r->simulator, sizeof r->simulator) : NULL;
    p = p ? take_fact(p, "status", r->status, sizeof r->status) : NULL;
    while (p && p < end)
        p = take_section(r, p, end);
    return p == end && r->section[ROW_LINE].size;
}

static bool has_its_sum(const char *text, size_t size)
{
    char sum[SHA256_TEXT];
    if (size < sizeof magic - 1 + SUM_LINE || memcmp(text, magic, sizeof magic - 1))
        return false;
    const char *last = text + size - SUM_LINE;
    sha256_text(text, size - SUM_LINE, sum);
    return memcmp(last, sum_name, sizeof sum_name - 1) == 0 && text[size - 1] == '\n' &&
           memcmp(last + sizeof sum_name - 1, sum, SHA256_TEXT - 1) == 0;
}

enum row_state row_read(struct row *r, const char *path)
{
    size_t size;
    memset(r, 0, sizeof *r);
    r->text = file_read(path, &size);
    if (!r->text)
        return file_is_gone(errno) ? ROW_MISSING : file_is_odd(errno) ? ROW_DAMAGED : ROW_UNREADABLE;
    return has_its_sum(r->text, size) && parse_row(r, r->text + size - SUM_LINE) ? ROW_WHOLE : ROW_DAMAGED;
}

void row_free(struct row *r)
{
    free(r->text);
    r->text = NULL;
}
