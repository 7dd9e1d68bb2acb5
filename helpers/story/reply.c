/* SPDX-License-Identifier: GPL-2.0-or-later */
/* reply.c -- which token a field takes, and whether that is right, by a table of kinds (reply.h). */
#include "helpers/story/reply.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "helpers/story/reply_words.h"

/* ---- the kinds ---- */

static uint64_t scale_of(const struct reply_token *t)
{
    return t->unit ? t->unit->scale : 1;
}

static bool is_of(const struct reply_token *t, const char *unit)
{
    return !t->unit || (unit && strcmp(t->unit->name, unit) == 0);
}

static bool fits_segment(const struct reply_field *f, const struct reply_token *t)
{
    (void)f;
    return t->said == REPLY_IS_SEGMENT;
}

static bool has_segment(const struct reply_field *f, const struct reply_token *t)
{
    int conn = -1;
    unsigned number = 0;
    char side = 0;
    if (sscanf(f->text, "c%d.%c%u", &conn, &side, &number) != 3 &&
        sscanf(f->text, "%c%u", &side, &number) != 2)
        return false;
    return t->side == (side | 32) && t->digits == number && (conn < 0 ? t->conn <= 0 : t->conn == conn);
}

static bool fits_octets(const struct reply_field *f, const struct reply_token *t)
{
    (void)f;
    return t->said == REPLY_IS_RANGE && is_of(t, "octets");
}

static bool has_octets(const struct reply_field *f, const struct reply_token *t)
{
    return t->digits == f->from && t->to == f->to;
}

static bool fits_number(const struct reply_field *f, const struct reply_token *t)
{
    return t->said == REPLY_IS_NUMBER && is_of(t, f->unit);
}

/* In whole units, or exactly so many thousands of them; from .. to counts. */
static bool has_number(const struct reply_field *f, const struct reply_token *t)
{
    uint64_t tens = 1;
    for (int i = 0; i < t->decimals && i < 9; i++)
        tens *= 10;
    return t->decimals < 9 && t->digits < UINT64_MAX / scale_of(t) && f->to < UINT64_MAX / tens &&
           t->digits * scale_of(t) >= f->from * tens && t->digits * scale_of(t) <= f->to * tens;
}

static bool fits_time(const struct reply_field *f, const struct reply_token *t)
{
    (void)f;
    return t->said == REPLY_IS_NUMBER && is_of(t, "time");
}

/* One time is asked for as it is told, to a nanosecond: its last digit may be rounded, and is worth 10 ns at most. */
static bool has_time(const struct reply_field *f, const struct reply_token *t)
{
    double step = t->unit ? (double)t->unit->scale : 1e6;
    for (int i = 0; i < t->decimals; i++)
        step /= 10;
    double at = (double)t->digits * step, told = (double)((f->from + 500) / 1000 * 1000);
    double off = at > told ? at - told : told - at;
    return f->from < f->to ? at >= (double)f->from && at <= (double)f->to
                           : step <= 10001 && off <= (step > 1000 ? step / 2 : 500) + .01;
}

static bool fits_code(const struct reply_field *f, const struct reply_token *t)
{
    (void)f;
    return t->said == REPLY_IS_CODE;
}

static bool has_code(const struct reply_field *f, const struct reply_token *t)
{
    return t->digits == f->from;
}

static const struct {
    const char *example;
    bool (*fits)(const struct reply_field *f, const struct reply_token *t);
    bool (*has)(const struct reply_field *f, const struct reply_token *t);
} kinds[REPLY_KINDS] = {
    [REPLY_SEGMENT] = {"a segment, such as A1", fits_segment, has_segment},
    [REPLY_OCTETS] = {"the first and the last, such as 0 .. 1459", fits_octets, has_octets},
    [REPLY_NUMBER] = {"a number", fits_number, has_number},
    [REPLY_TIME] = {"a time, such as 12.345 us", fits_time, has_time},
    [REPLY_CODE] = {"layer/type/code, such as 0/1/02", fits_code, has_code},
    [REPLY_CHOICE] = {"the name of a field", NULL, NULL}, /* of words: is_chosen() */
};

const char *reply_example(const struct reply_field *f)
{
    return kinds[f->kind].example;
}

const char *reply_value(const struct reply_field *f, char *out)
{
    uint64_t ns = (f->from + 500) / 1000;
    if (f->kind == REPLY_SEGMENT || f->kind == REPLY_CHOICE)
        snprintf(out, REPLY_TEXT_MAX, "%s", f->text);
    else if (f->kind == REPLY_OCTETS)
        snprintf(out, REPLY_TEXT_MAX, "%" PRIu64 " .. %" PRIu64, f->from, f->to);
    else if (f->kind == REPLY_TIME)
        snprintf(out, REPLY_TEXT_MAX, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
    else if (f->kind == REPLY_CODE)
        snprintf(out, REPLY_TEXT_MAX, "%u/%u/%02x", (unsigned)(f->from >> 16), (unsigned)(f->from >> 8 & 255),
                 (unsigned)(f->from & 255));
    else
        snprintf(out, REPLY_TEXT_MAX, f->unit && strcmp(f->unit, "STag") == 0 ? "0x%08" PRIx64 : "%" PRIu64,
                 f->from);
    return out;
}

static bool fits(const struct reply_field *f, const struct reply_token *t)
{
    return kinds[f->kind].fits && !t->is_void && kinds[f->kind].fits(f, t);
}

/* ---- choices ---- */

/* Names of fields of headers, the longer first; the last two are words of English, too, and must be in capitals. */
static const char *const choices[][2] = {{"SrcSTag", "source stag"},
                                         {"InvSTag", "invalidate stag"},
                                         {"STag", "steering tag"},
                                         {"SrcTO", "source offset"},
                                         {"MSN", "message sequence number"},
                                         {"MO", "message offset"},
                                         {"QN", "queue number"},
                                         {"DV", "ddp version"},
                                         {"RV", "rdmap version"},
                                         {"RDMARDSZ", "read size"},
                                         {"Opcode", "operation code"},
                                         {"CRC", "checksum"},
                                         {"a marker", "marker"},
                                         {"TO", "tagged offset"},
                                         {"T", "t bit"}};
enum { CHOICES = sizeof choices / sizeof *choices, ENGLISH = CHOICES - 2 };

static bool is_inside(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* Where the words stand in a text, with nothing around that makes them longer; NULL. */
static char *find_words(char *text, const char *words, bool exactly)
{
    size_t length = strlen(words);
    for (char *p = text; *p; p++) {
        size_t i = 0;
        while (i < length && (exactly ? p[i] == words[i] : (p[i] | 32) == (words[i] | 32)))
            i++;
        if (i == length && !is_inside(p[length]) && (p == text || !is_inside(p[-1])))
            return p;
    }
    return NULL;
}

/* The name of a choice is taken out of the text, so that it is not found in a shorter one. */
static bool take_choice(char *text, int choice)
{
    bool found = false;
    for (int i = 0; i < 2; i++)
        for (char *p; (p = find_words(text, choices[choice][i], i == 0 && choice >= ENGLISH)); found = true)
            memset(p, ' ', strlen(choices[choice][i]));
    return found;
}

/* The one that is wanted, and none beside it. */
static bool is_chosen(const struct reply_field *f, const char *answer)
{
    char text[REPLY_TEXT_MAX];
    bool right = false, other = false;
    snprintf(text, sizeof text, "%s", answer);
    for (int i = 0; i < CHOICES; i++) {
        bool wanted = strcmp(choices[i][0], f->text) == 0;
        *(wanted ? &right : &other) |= take_choice(text, i);
    }
    return right && !other;
}

/* ---- which token is whose ---- */

static bool is_value(const struct reply_token *t)
{
    return t->said != REPLY_WORD && t->said != REPLY_BREAK;
}

/* How far a value is from a word of its clause; one before it is a little nearer. */
static int distance(const struct reply_token *token, int value, int word)
{
    int from = value < word ? value : word, to = value < word ? word : value;
    for (int i = from; i < to; i++)
        if (token[i].said == REPLY_BREAK ||
            (token[i].said == REPLY_WORD &&
             reply_is_among("and when while because as since but although so then where whereas",
                            token[i].word)))
            return REPLY_TOKENS * 4;
    return 2 * (to - from) + (value > word);
}

/* A cue belongs to the value that is nearest to it. */
static void find_cues(const struct reply_field *field, int fields, struct reply_token *token, int n)
{
    for (int word = 0; word < n; word++)
        for (int k = 0; k < fields; k++) {
            int best = REPLY_NOWHERE, near = REPLY_TOKENS * 4;
            if (token[word].said != REPLY_WORD || !field[k].cue ||
                !reply_is_among(field[k].cue, token[word].word))
                continue;
            for (int i = 0; i < n; i++)
                if (fits(&field[k], &token[i]) && distance(token, i, word) < near) {
                    near = distance(token, i, word);
                    best = i;
                }
            if (best != REPLY_NOWHERE && token[best].cue == REPLY_NOWHERE)
                token[best].cue = k;
        }
}

static bool is_same(const struct reply_token *a, const struct reply_token *b)
{
    return a->said == b->said && a->digits * scale_of(a) == b->digits * scale_of(b) &&
           a->decimals == b->decimals && a->to == b->to && a->side == b->side;
}

static bool stands_in(const struct reply_token *token, int n, const struct reply_token *t)
{
    for (int i = 0; i < n; i++)
        if (is_value(&token[i]) && is_same(&token[i], t))
            return true;
    return false;
}

struct reading {
    struct reply_token token[REPLY_TOKENS], asked[REPLY_TOKENS];
    int n, asked_n;
};

/* By words beside it, by its unit, by its place; REPLY_NOWHERE. What only repeats the question is passed over. */
static int take(struct reading *r, const struct reply_field *f, int number)
{
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < r->n; i++) {
            const struct reply_token *t = &r->token[i];
            bool mine = t->cue == number || (pass && t->cue == REPLY_NOWHERE);
            if (t->used || !mine || !fits(f, t) || (pass == 1 && !t->unit))
                continue;
            if (stands_in(r->asked, r->asked_n, t) && !kinds[f->kind].has(f, t))
                continue;
            return i;
        }
    return REPLY_NOWHERE;
}

/* Could it have been meant as an answer, too? */
static bool is_left_over(const struct reading *r, const struct reply_field *field, int fields,
                         const struct reply_token *t)
{
    if (t->used || stands_in(r->asked, r->asked_n, t))
        return false;
    for (int i = 0; i < r->n; i++)
        if (r->token[i].used && is_same(&r->token[i], t))
            return false;
    for (int k = 0; k < fields; k++)
        if (fits(&field[k], t))
            return true;
    return false;
}

static bool is_right(const struct reply_field *field, int fields, const char *question, const char *answer,
                     struct reply_manner m)
{
    struct reading r;
    r.n = reply_read(answer, m, r.token);
    r.asked_n = reply_read(question, (struct reply_manner){COMMA_GROUPS, false}, r.asked);
    find_cues(field, fields, r.token, r.n);
    for (int k = 0; k < fields; k++) {
        const struct reply_field *f = &field[k];
        int at = kinds[f->kind].fits ? take(&r, f, k) : REPLY_NOWHERE;
        if (at == REPLY_NOWHERE ? kinds[f->kind].fits || !is_chosen(f, answer)
                                : !kinds[f->kind].has(f, &r.token[at]))
            return false;
        if (at != REPLY_NOWHERE)
            r.token[at].used = true;
    }
    for (int i = 0; i < r.n; i++)
        if (is_left_over(&r, field, fields, &r.token[i]))
            return false;
    return fields > 0;
}

/* In one of the ways in which it can be read. */
static bool is_right_somehow(const struct reply_field *field, int fields, const char *question,
                             const char *answer)
{
    for (int way = 0; way < 2 * COMMAS; way++)
        if (is_right(field, fields, question, answer, (struct reply_manner){way / 2, way % 2}))
            return true;
    return false;
}

bool reply_is_right(const struct reply_field *field, int fields, const char *question, const char *answer)
{
    char part[REPLY_TEXT_MAX];
    if (!strchr(answer, '|'))
        return is_right_somehow(field, fields, question, answer);
    for (int k = 0; k < fields; k++) {
        size_t length = strcspn(answer, "|");
        snprintf(part, sizeof part, "%.*s", (int)(length < sizeof part ? length : sizeof part - 1), answer);
        if (!is_right_somehow(&field[k], 1, "", part))
            return false;
        answer += length + (answer[length] == '|');
    }
    return !*answer;
}
