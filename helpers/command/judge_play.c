/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "helpers/command/judge_play.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "helpers/base/exit.h"
#include "helpers/base/files.h"
#include "helpers/base/process.h"

/* What the peer's memory has to bear, which all its connections share. USE_ALONE: its octets are read back, or its STag is invalidated. */
enum use { USE_NONE, USE_CHANGES, USE_ALONE };

enum state { WAITS, RUNS, ENDED, TOLD };

struct lane {
    pid_t child; /* 0: none */
    int fd;
    size_t i;
    size_t have; /* octets of its trial */
};

struct playing {
    const struct judge_play *p;
    struct lane lane[PLAY_AT_ONCE];
    enum state *state;
    size_t *began, *ended; /* by the number of cases begun */
    size_t begins, told;
    size_t recovered; /* last_reached() when the peer was gone last */
    unsigned at_once;
    bool gone, failed;
};

/* Of an ULPDU as the file has it: "4144 $rw ...", with the opcode as its fourth digit. */
static enum use use_of_step(const char *text)
{
    if (!strstr(text, "$rw"))
        return USE_NONE;
    return text[0] == '4' && (text[3] == '0' + RDMAP_SEND_INV || text[3] == '0' + RDMAP_SEND_SE_INV)
               ? USE_ALONE
               : USE_CHANGES;
}

static enum use use_of(const struct judge_case *c)
{
    enum use most = c->responses ? USE_ALONE : USE_NONE;
    for (uint32_t i = 0; i < c->steps; i++) {
        enum use step = use_of_step(c->step[i].text);
        most = step > most ? step : most;
    }
    return most;
}

/* ---- in the process of a case ---- */

/* A case is called as whoever wrote it likes; a file is not. */
void judge_play_capture(const char *folder, const struct judge_case *c, char *path, size_t room)
{
    char name[CASE_NAME];
    size_t n = strlen(c->name);
    for (size_t i = 0; i <= n; i++)
        name[i] = !c->name[i] || isalnum((unsigned char)c->name[i]) || c->name[i] == '-' ? c->name[i] : '_';
    snprintf(path, room, "%s/%s.pcap", folder, name);
}

static bool keep_capture(const struct judge_play *p, size_t i, const char *octets, size_t size)
{
    char path[PATH_LONG];
    struct whole_file file;
    judge_play_capture(p->captures, &p->cases[i], path, sizeof path);
    bool good = file_begin(&file, path) && fwrite(octets, 1, size, file.out) == size;
    return file_end(&file, good) || cannot_write(false, "judge", path);
}

/* Is there still somebody at its port? A process that dies may close it after its connections: who connects meanwhile is heard of
 * no more, and asks again. */
static bool is_there(const struct judge_play *p)
{
    enum { ASKS = 3, DYING_MS = 2000 };
    int said = PEER_LOST;
    for (int i = 0; i < ASKS && (said == PEER_LOST || said == PEER_FIN); i++) {
        said = trial_asks(p->peer, p->gap_ms > DYING_MS ? p->gap_ms : DYING_MS);
        p->peer->close(p->peer->context);
    }
    return said != PEER_ABSENT;
}

/* Another case could still connect to a process that dies, and be blamed: the case that was closed ends when the peer has answered
 * again, or is gone. */
static void settle(const struct judge_play *p, const struct judge_trial *t)
{
    if (p->calls && strcmp(t->reading, "closed") == 0)
        is_there(p);
}

static void play_plainly(const struct judge_play *p, const struct judge_peer *peer, size_t i)
{
    trial_play(&p->cases[i], peer, p->gap_ms, p->memory, &p->trials[i]);
    settle(p, &p->trials[i]);
}

static bool play_recorded(const struct judge_play *p, size_t i)
{
    char *octets = NULL;
    size_t size = 0;
    struct judge_peer peer = *p->peer;
    FILE *stream = open_memstream(&octets, &size);
    struct peer_record *record = stream ? peer_record_new(&peer, stream) : NULL;
    if (!record)
        return complain(false, "judge", "out of memory");
    play_plainly(p, &peer, i);
    bool good = peer_record_free(record), wanted = p->trials[i].result % TRIAL_SKIPPED != TRIAL_RIGHT;
    good = good && (!wanted || keep_capture(p, i, octets, size));
    free(octets);
    return good;
}

static _Noreturn void play_here(const struct judge_play *p, size_t i, int to)
{
    const char *trial = (const char *)&p->trials[i];
    bool good = true;
    if (p->captures)
        good = play_recorded(p, i);
    else
        play_plainly(p, p->peer, i);
    for (size_t at = 0; good && at < sizeof p->trials[i];) {
        ssize_t n = write(to, trial + at, sizeof p->trials[i] - at);
        good = n > 0;
        at += good ? (size_t)n : 0;
    }
    _exit(good ? EXIT_DONE : EXIT_FAILED);
}

/* ---- lanes ---- */

static bool begin_case(struct playing *g, struct lane *l, size_t i)
{
    int ends[2];
    if (pipe(ends) != 0)
        return complain(false, "judge", "no process can be started for a case: %s", strerror(errno));
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[0]);
        play_here(g->p, i, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return complain(false, "judge", "no process can be started for a case: %s", strerror(errno));
    }
    *l = (struct lane){.child = child, .fd = ends[0], .i = i};
    g->state[i] = RUNS;
    g->began[i] = ++g->begins;
    return true;
}

static void end_case(struct playing *g, struct lane *l)
{
    close(l->fd);
    bool whole = process_wait(l->child) == 0 && l->have == sizeof g->p->trials[l->i];
    g->failed |= !whole;
    g->gone |= whole && g->p->trials[l->i].unreached;
    g->state[l->i] = whole ? ENDED : WAITS;
    g->ended[l->i] = g->begins;
    l->child = 0;
}

static void hear_case(struct playing *g, struct lane *l)
{
    char *trial = (char *)&g->p->trials[l->i];
    ssize_t n = read(l->fd, trial + l->have, sizeof g->p->trials[l->i] - l->have);
    l->have += n > 0 ? (size_t)n : 0;
    if (n == 0 || (n < 0 && errno != EINTR))
        end_case(g, l);
}

/* Does its use of the memory go with what runs? Who checks wants it for itself. */
static bool goes_along(const struct playing *g, size_t i)
{
    enum use mine = use_of(&g->p->cases[i]);
    for (unsigned k = 0; k < g->at_once; k++) {
        enum use other = g->lane[k].child ? use_of(&g->p->cases[g->lane[k].i]) : USE_NONE;
        if (mine && other && (mine == USE_ALONE || other == USE_ALONE))
            return false;
    }
    return true;
}

/* The next one that may begin. Who waits for the memory is not overtaken by others that use it. */
static size_t next_case(const struct playing *g)
{
    bool memory = true;
    size_t i = 0;
    for (; i < g->p->count; i++) {
        if (g->state[i] != WAITS)
            continue;
        if (goes_along(g, i) && (memory || !use_of(&g->p->cases[i])))
            break;
        memory = false;
    }
    return i;
}

static void fill_lanes(struct playing *g)
{
    for (unsigned k = 0; k < g->at_once && !g->gone && !g->failed; k++) {
        size_t i = g->lane[k].child ? g->p->count : next_case(g);
        if (i < g->p->count)
            g->failed |= !begin_case(g, &g->lane[k], i);
    }
}

/* Waits until a case says something; false: none runs. */
static bool hear_lanes(struct playing *g)
{
    struct pollfd fds[PLAY_AT_ONCE];
    struct lane *of[PLAY_AT_ONCE];
    nfds_t n = 0;
    for (unsigned k = 0; k < g->at_once; k++)
        if (g->lane[k].child) {
            of[n] = &g->lane[k];
            fds[n++] = (struct pollfd){.fd = g->lane[k].fd, .events = POLLIN};
        }
    if (n && poll(fds, n, -1) > 0)
        for (nfds_t k = 0; k < n; k++)
            if (fds[k].revents)
                hear_case(g, of[k]);
    return n > 0;
}

/* The number of the last one begun among those that were heard of and reached the peer; 0: none. */
static size_t last_reached(const struct playing *g)
{
    size_t last = 0;
    for (size_t i = 0; i < g->p->count; i++)
        if (g->state[i] >= ENDED && !g->p->trials[i].unreached && g->began[i] > last)
            last = g->began[i];
    return last;
}

/* A peer that is called may have died of what it has answered: that is known once it has taken another call. */
static void tell(struct playing *g, bool all)
{
    size_t last = last_reached(g);
    for (; g->told < g->p->count && g->state[g->told] == ENDED; g->told++) {
        if (g->p->calls && !all && g->ended[g->told] >= last)
            return;
        g->state[g->told] = TOLD;
        g->p->told(g->p->context, g->told);
    }
}

/* Until all are played, or the peer is gone. */
static void play_lanes(struct playing *g)
{
    do {
        fill_lanes(g);
        tell(g, false);
    } while (hear_lanes(g));
}

/* ---- a peer that is gone ---- */

/* May it have been its last? It was not over when the last one that reached it began. */
static bool is_suspect(const struct playing *g, size_t i, size_t last)
{
    return g->p->calls && last && g->state[i] == ENDED && !g->p->trials[i].unreached && g->ended[i] >= last;
}

/* How many may; one of them. */
static size_t suspects(const struct playing *g, size_t last, size_t *which)
{
    size_t n = 0;
    for (size_t i = 0; i < g->p->count; i++)
        if (is_suspect(g, i, last)) {
            *which = i;
            n++;
        }
    return n;
}

static void blame_for_end(struct judge_trial *t)
{
    t->result = t->result == TRIAL_WRONG ? TRIAL_WRONG : TRIAL_FAULTY;
    if (t->faults < TRIAL_FAULTS)
        snprintf(t->fault[t->faults++], sizeof t->fault[0], "afterwards nobody answers at its port");
}

/* Those that did not reach it are to be played, and where several are suspected, they once more, one after the other. */
static void take_back(struct playing *g, size_t last, bool one)
{
    for (size_t i = 0; i < g->p->count; i++)
        if (g->state[i] == ENDED && (g->p->trials[i].unreached || (!one && is_suspect(g, i, last))))
            g->state[i] = WAITS;
    g->at_once = one ? g->p->at_once : 1;
    g->gone = false;
}

static bool start_again(const struct judge_play *p)
{
    enum { TRIES = 5 };
    const char *const words[] = {"sh", "-c", p->restart, NULL};
    bool there = false;
    if (process_start(words, ".", STDERR_FILENO) < 0)
        return false;
    for (int i = 0; i < TRIES && !there; i++)
        there = p->peer->open(p->peer->context, 0);
    p->peer->close(p->peer->context);
    return there;
}

/* What was not played says why. */
static void close_books(struct playing *g, size_t last, const char *since)
{
    for (size_t i = 0; i < g->p->count; i++) {
        struct judge_trial *t = &g->p->trials[i];
        t->last = is_suspect(g, i, last);
        if (g->state[i] != WAITS && !t->unreached)
            continue;
        *t = (struct judge_trial){.result = TRIAL_SKIPPED, .unreached = true, .faults = 1};
        snprintf(t->fault[0], sizeof t->fault[0], "the peer cannot be reached%s%s",
                 since ? " since case " : "", since ? since : "");
        g->state[i] = ENDED;
    }
}

/* True: it is there again, and what is left can be played. */
static bool recover(struct playing *g)
{
    size_t culprit = 0, last = last_reached(g), count = suspects(g, last, &culprit);
    bool again = g->p->restart && last > g->recovered && start_again(g->p);
    g->recovered = last;
    if (count == 1)
        blame_for_end(&g->p->trials[culprit]);
    if (again)
        take_back(g, last, count == 1);
    else
        close_books(g, last, count == 1 ? g->p->cases[culprit].name : NULL);
    return again;
}

enum judge_played judge_play(const struct judge_play *p)
{
    struct playing g = {.p = p, .at_once = p->at_once};
    size_t *numbers = calloc(2 * p->count, sizeof *numbers);
    g.state = calloc(p->count, sizeof *g.state);
    if (!numbers || !g.state) {
        free(numbers);
        free(g.state);
        return complain(PLAYED_NOT, "judge", "out of memory");
    }
    g.began = numbers;
    g.ended = numbers + p->count;
    for (bool more = true; more;) {
        play_lanes(&g);
        g.gone = g.gone || (p->calls && !is_there(p)); /* of the last case nobody else would tell */
        more = g.gone && !g.failed && recover(&g);
    }
    tell(&g, true);
    free(numbers);
    free(g.state);
    return g.failed ? PLAYED_NOT : g.gone ? PLAYED_GONE : PLAYED;
}
