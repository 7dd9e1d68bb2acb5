/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.c -- rows in fixed formats (results.h). */
#include "helpers/trial/results.h"

#include <math.h>
#include <string.h>

#include "helpers/base/cells.h"
#include "helpers/base/exit.h"

const char *const status_names[STATUSES] = {
    [STATUS_OK] = "ok",
    [STATUS_BROKEN] = "broken",
    [STATUS_ENDED] = "ended",
    [STATUS_LIMIT_SIM] = "limit_sim",
    [STATUS_LIMIT_WALL] = "limit_wall",
    [STATUS_LIMIT_IDLE] = "limit_idle",
    [STATUS_STALLED] = "stalled",
    [STATUS_DEADLOCK] = "deadlock",
    [STATUS_REFUSED] = "refused",
    [STATUS_CRASHED] = "crashed",
};

int status_exit(enum point_status status)
{
    static const int exits[STATUSES] = {
        [STATUS_OK] = EXIT_DONE,           [STATUS_BROKEN] = EXIT_LAW,
        [STATUS_ENDED] = EXIT_FAILED,      [STATUS_LIMIT_SIM] = EXIT_FAILED,
        [STATUS_LIMIT_WALL] = EXIT_FAILED, [STATUS_LIMIT_IDLE] = EXIT_FAILED,
        [STATUS_STALLED] = EXIT_FAILED,    [STATUS_DEADLOCK] = EXIT_FAILED,
        [STATUS_REFUSED] = EXIT_INPUT,     [STATUS_CRASHED] = EXIT_FAILED,
    };
    return exits[status];
}

/* ---- percentiles ---- */

const struct trial_percentile_needs *percentile_needs(const char *column)
{
    static const char p99[] = "99th percentiles from fewer than 1,000 messages";
    static const char p999[] = "99.9th percentiles from fewer than 10,000 messages";
    static const struct trial_percentile_needs needs[] = {
        {"latency_p99_us", "latency_n", 1000, p99},
        {"latency_p999_us", "latency_n", 10000, p999},
        {"fct_slowdown_p99", "latency_n", 1000, p99},
        {"early_p99_us", "segments", 1000, "99th percentiles from fewer than 1,000 segments"},
        {"staging_p999_bytes", "segments", 10000, "99.9th percentiles from fewer than 10,000 segments"},
    };
    for (size_t i = 0; i < sizeof needs / sizeof *needs; i++)
        if (strcmp(needs[i].column, column) == 0)
            return &needs[i];
    return NULL;
}

double enough_times(double losses, double within)
{
    enum { UNKNOWN = 10 };
    double by_losses = losses >= 1 ? LOSSES_ENOUGH / losses : NAN;
    double times =
        ceil(fmin(by_losses, within / WELL_KNOWN * (within / WELL_KNOWN))); /* a number goes before NaN */
    return isnan(times) ? UNKNOWN : fmax(times, 2);
}

static const struct {
    const char *name, *unit, *definition;
} lead[] = {
    {"scenario", "", "name of the scenario's file"},
    {"point", "", "values of the sweep, in its order; `all` without a sweep"},
    {"repeat", "", "number of the repeat, from 0"},
    {"seed", "", "seed of the scenario; draws are keyed by seed and repeat"},
    {"status", "",
     "ok: all requested messages completed; broken: the run broke a law of the protocol, of physics or of "
     "conservation; ended: "
     "streams ended early, or wait for what an altered packet has spoilt; limit_sim, limit_wall, limit_idle, "
     "stalled: the run did not end by "
     "itself; deadlock: links pause each other in a circle; "
     "refused; crashed"},
};
enum { LEAD = sizeof lead / sizeof *lead };

/* Columns of the other files. */
static const struct {
    const char *name, *unit, *definition;
} beside[] = {
    {"messages.csv conn", "", "number of the connection"},
    {"messages.csv op", "", "send, write, read ...; storage: the block operation; errors: wrong"},
    {"messages.csv length", "octets", "ULP octets"},
    {"messages.csv t_post", "us", "time of the post; all times count from the start of the simulation"},
    {"messages.csv t_first_placed", "us", "its first octets reached memory"},
    {"messages.csv t_last_placed", "us", "its last octets reached memory"},
    {"messages.csv t_delivered", "us", "delivered at the receiver; storage: its answer delivered"},
    {"messages.csv t_completed", "us", "the poster's ULP has the completion"},
    {"messages.csv retransmitted", "packets", "retransmitted with octets of this message"},
    {"messages.csv side", "", "0: posted by the initiator, 1: by the responder"},
    {"messages.csv index", "", "number among the messages of its connection and kind"},
    {"messages.csv status", "",
     "ok; flushed: the stream ended first; terminate L/E/CC: what ended it; refused: its tenant may have no "
     "more"},
    {"messages.csv latency", "us", "as latency_mean_us defines it; empty: not measured on this message"},
    {"workloads.csv workload", "",
     "its name below `workloads:`; columns that results.csv has, too, count this workload alone"},
    {"workloads.csv kind", "", "workload.kind of it"},
    {"workloads.csv connections", "connections", "its connections"},
    {"workloads.csv start_us", "us", "when it began, after the start of the run"},
    {"workloads.csv completion_us", "us", "from its first post to the end of its last message"},
    {"workloads.csv tenant", "",
     "workload.tenant of it; the columns that follow foreign_bytes are of that tenant"},
    {"workloads.csv failed", "messages",
     "messages that did not come to their end, and connections that were refused"},
    {"workloads.csv foreign_bytes", "octets", "octets that peers of another tenant wrote into its memory"},
    {"workloads.csv refused", "",
     "how often the resource managers of all hosts refused the tenant something"},
    {"workloads.csv connections_peak", "connections", "most streams that it had on a host"},
    {"workloads.csv cq_entries_peak", "entries",
     "most entries of completion queues that its requests had on a host"},
    {"workloads.csv stags_peak", "STags", "most regions that it had on a host"},
    {"workloads.csv read_entries_peak", "Reads", "most inbound Reads that its streams could have on a host"},
    {"workloads.csv recv_buffers_peak", "buffers",
     "most shared receives that it had taken on a host and not posted again"},
    {"links.csv link", "",
     "number of the link, one direction of a line: hosts' first, then switch by switch"},
    {"links.csv from", "", "node that sends on it; to: node that receives"},
    {"links.csv rate_gbps", "Gbps", "its rate, at the end of the run"},
    {"links.csv packets", "packets",
     "packets sent on it until the workload was over; bytes: their IP octets"},
    {"links.csv drops", "packets",
     "packets dropped by its queue; marks: packets marked; trims: packets trimmed to their headers"},
    {"links.csv lost", "packets", "packets lost on it by the channel"},
    {"links.csv queue_peak_bytes", "octets",
     "most octets that waited in its queue (with topology.trim, in the larger of both), excluding the packet "
     "on the wire"},
    {"links.csv queue_mean_bytes", "octets", "mean of these octets over the whole time"},
    {"links.csv pauses", "", "how often its sender was paused (PFC); paused_us: for how long together"},
    {"links.csv failed", "packets",
     "packets lost because it was down: on its wire, in its queue, or that only it could have carried on"},
    {"links.csv parallel", "",
     "its number among links that join the same two nodes, as topology.events has it: A-B#2"},
    {"flows.csv flow", "", "number of the connection; workload: of several, its name"},
    {"flows.csv from", "", "host that opened it; to: the other one"},
    {"flows.csv links", "",
     "numbers of the links, as links.csv has them, that its octets take from `from` to `to`; *: any, packets "
     "are sprayed; empty: this world does not tell; links_back: the other way"},
    {"flows.csv bytes", "octets", "ULP octets placed, both ways; in a window (measure): of it alone"},
    {"flows.csv start_us", "us",
     "time of its first post, from the start of the simulation; end_us: of its last placement"},
    {"flows.csv goodput_gbps", "Gbps", "as flow_min_gbps has it"},
    {"flows.csv retransmits", "packets", "data packets retransmitted, in the whole run"},
    {"flows.csv lost", "packets",
     "packets with its data that the channel lost, or a switch dropped or trimmed, in the whole run; of an "
     "SCTP association in the row of its first stream; world simgrid does not tell"},
    {"dist/slowdown.csv workload", "", "its name, of several (workloads); empty where there is one"},
    {"dist/slowdown.csv from_octets", "octets", "messages from this size on, below to_octets; n of them"},
    {"dist/slowdown.csv p50", "1",
     "median of their slowdown, as fct_slowdown_p50 defines it; empty below 10 messages; p99: below 100"},
    {"summary.csv column", "", "which column of results.csv the row is about; swept keys stand before it"},
    {"summary.csv n", "", "runs whose status is ok and that have a value"},
    {"summary.csv mean", "",
     "mean of the runs; mean_low, mean_high: its 95 % interval, by mean_method; empty: there is none"},
    {"summary.csv mean_method", "", "Student 95 %; deterministic: all runs gave the same; one run"},
    {"summary.csv median", "",
     "median of the runs; median_low, median_high: its interval, by median_method; empty: there is none"},
    {"summary.csv median_method", "",
     "order statistics A and B (C %): from the Ath to the Bth smallest run, which covers C %; n < 6: no 95 % "
     "interval; "
     "deterministic; one run"},
    {"summary.csv warning", "", "percentiles from too few messages or segments"},
    {"paired.csv key", "", "the key in which the two points differ; no draw of the channel depends on it"},
    {"paired.csv point", "",
     "its runs minus those of `against`, repeat by repeat; n, mean, median ... as in summary.csv"},
    {"paired.csv against", "", "the same point with the first value of that key"},
    {"trace t_ps", "ps", "since the start of the simulation"},
    {"trace node", "", "host"},
    {"trace conn", "", "connection; empty: none"},
    {"trace event", "",
     "post, sent, resent, arrived, placed, delivered, done, window, terminate_sent, terminate_received, "
     "half_closed, fatal, closed, no_buffer; fabric and ns3 also: left (for the first time), lost (in "
     "transit), link (what happens to one), "
     "landed (at the port), dropped (no room in staging), refused (before TCP accepted it), timeout, "
     "spurious "
     "(a retransmission was needless), undone (a reduction was needless), stalled, probed (a closed "
     "window); "
     "a world may add its own"},
    {"trace key", "",
     "stream offset of the segment, over SCTP its DDP-SSN; post and done: number of the request"},
    {"trace length", "octets", "payload"},
    {"trace stag", "", "tagged segments, placements: STag"},
    {"trace to", "", "tagged segments, placements: tagged offset"},
    {"trace qn", "", "untagged segments: queue"},
    {"trace msn", "", "untagged segments: message"},
    {"trace mo", "octets", "untagged segments: offset in the message"},
    {"trace window_edge", "octets", "right edge of the advertised window, stream offset"},
    {"trace staging", "octets", "in the adapter's staging buffer"},
    {"trace cwnd", "octets", "congestion window of this side, after the event's effects (SimGrid: empty)"},
    {"trace ssthresh", "octets", "its slow start threshold; empty: none set yet"},
    {"trace srtt_ps", "ps", "its smoothed round trip; empty: none measured yet"},
};
enum { BESIDE = sizeof beside / sizeof *beside };

/* ---- cells ---- */

static void write_whole(FILE *out, uint64_t n, unsigned digits)
{
    char text[40];
    if (n == UNDEFINED)
        return;
    value_decimal(n, digits, text, sizeof text);
    fputs(text, out);
}

static void write_double(FILE *out, double d)
{
    if (!isnan(d))
        fprintf(out, "%.6f", d);
}

static void write_column(FILE *out, const struct column *c, const struct point_results *results)
{
    const char *member = (const char *)results + c->offset;
    uint64_t n;
    double d;
    memcpy(&n, member, sizeof n);
    memcpy(&d, member, sizeof d);
    if (c->kind == COLUMN_DOUBLE)
        write_double(out, d);
    else
        write_whole(out, n, c->kind == COLUMN_PS_AS_US ? 6 : 0);
}

void results_write_cells(FILE *out, const char *head, const char *after, const struct point_results *results)
{
    bool behind = false;
    for (const char *p = head; *p; p += strcspn(p, ",\n"), p += *p != 0) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(p, ",\n"), p);
        const struct column *c = behind ? result_column(name) : NULL;
        behind |= strcmp(name, after) == 0;
        if (!c)
            continue;
        putc(',', out);
        write_column(out, c, results);
    }
}

void results_write_swept_head(FILE *out, const struct scenario *s)
{
    for (size_t i = 0; i < s->axes_count; i++)
        fprintf(out, ",%s", s->axes[i].key->name);
}

/* Keys whose values are what was run, not what was asked for. */
static const struct {
    const char *key;
    size_t at;
    unsigned decimals;
} grown[] = {
    {"workload.count", offsetof(struct point_results, count), 0},
    {"measure.for", offsetof(struct point_results, span_ps), 6},
};
enum { GROWN = sizeof grown / sizeof *grown };

static int grown_of(const struct scenario *s)
{
    return scenario_switches_on(s, key_find("measure.until_enough")) ? GROWN : 0;
}

static void write_grown(FILE *out, const struct scenario *s, const struct point_results *results)
{
    for (int i = 0; i < grown_of(s); i++) {
        putc(',', out);
        if (results)
            write_whole(out, *(const uint64_t *)((const char *)results + grown[i].at), grown[i].decimals);
    }
}

void results_write_swept(FILE *out, const struct scenario *s, size_t index)
{
    for (size_t i = 0; i < s->axes_count; i++) {
        char text[VALUE_TEXT_MAX];
        value_bare(scenario_value(s, index, i), &s->axes[i].key->rules, text, sizeof text);
        putc(',', out);
        csv_cell(out, text);
    }
}

/* ---- files ---- */

void results_write_head(FILE *out, const struct scenario *s)
{
    for (int i = 0; i < LEAD; i++)
        fprintf(out, "%s%s", i ? "," : "", lead[i].name);
    results_write_swept_head(out, s);
    for (int i = 0; i < grown_of(s); i++)
        fprintf(out, ",%s", grown[i].key);
    for (size_t i = 0; i < result_columns_count; i++)
        fprintf(out, ",%s", result_columns[i].name);
    putc('\n', out);
}

static uint64_t seed_of(const struct scenario *s, size_t index)
{
    struct scenario_point point;
    char error[SCENARIO_ERROR_MAX];
    scenario_point(s, index, 0, &point, error);
    return point.seed;
}

void results_write_row(FILE *out, const struct scenario *s, size_t index, uint32_t repeat,
                       const struct point_results *results)
{
    char label[SCENARIO_LABEL_MAX];
    scenario_label(s, index, label);
    csv_cell(out, s->name);
    putc(',', out);
    csv_cell(out, label);
    fprintf(out, ",%u,%llu,%s", repeat, (unsigned long long)seed_of(s, index),
            status_names[results ? results->status : STATUS_CRASHED]);
    results_write_swept(out, s, index);
    write_grown(out, s, results);
    for (size_t i = 0; i < result_columns_count; i++) {
        putc(',', out);
        if (results)
            write_column(out, &result_columns[i], results);
    }
    putc('\n', out);
}

void results_write_columns(FILE *out, const struct scenario *s)
{
    fputs("name\tunit\tdefinition\n", out);
    for (int i = 0; i < LEAD; i++)
        fprintf(out, "%s\t%s\t%s\n", lead[i].name, lead[i].unit, lead[i].definition);
    for (size_t i = 0; i < s->axes_count; i++)
        fprintf(out, "%s\t%s\t%s\n", s->axes[i].key->name, value_unit(s->axes[i].key->rules.type),
                s->axes[i].key->what);
    for (int i = 0; i < grown_of(s); i++) {
        const struct key *key = key_find(grown[i].key);
        fprintf(out, "%s\t%s\tas it was run. %s\n", key->name, value_unit(key->rules.type), key->what);
    }
    for (size_t i = 0; i < result_columns_count; i++) {
        const char *world = scenario_estimates(s, result_columns[i].name);
        fprintf(out, "%s\t%s\t%s%s%s\n", result_columns[i].name, result_columns[i].unit,
                result_columns[i].definition, world ? "; an estimate in world " : "", world ? world : "");
    }
    for (int i = 0; i < BESIDE; i++)
        fprintf(out, "%s\t%s\t%s\n", beside[i].name, beside[i].unit, beside[i].definition);
}

enum { POINT = 0, OP = 2, STATUS = 13 }; /* its texts */
const struct column_head results_message_columns[MESSAGE_COLUMNS] = {
    {CELL_TEXT, "point"},           {CELL_NUMBER, "conn"},       {CELL_WORD, "op"},
    {CELL_NUMBER, "length"},        {CELL_MICRO, "t_post"},      {CELL_MICRO, "t_first_placed"},
    {CELL_MICRO, "t_last_placed"},  {CELL_MICRO, "t_delivered"}, {CELL_MICRO, "t_completed"},
    {CELL_NUMBER, "retransmitted"}, {CELL_NUMBER, "repeat"},     {CELL_NUMBER, "side"},
    {CELL_NUMBER, "index"},         {CELL_WORD, "status"},       {CELL_MICRO, "latency"},
    {CELL_MICRO, "t_taken"},        {CELL_NUMBER, "stale"},
};
_Static_assert(sizeof results_message_columns / sizeof *results_message_columns <= COLUMNS_WRITTEN,
               "a row has room for all");
_Static_assert(CELL_EMPTY == UNDEFINED && CELL_EMPTY == IW_NEVER, "what is not defined is an empty cell");

void results_write_message(struct columns_out *out, const char *label, uint32_t repeat,
                           const struct workload_message *m)
{
    static const char *const ops[MESSAGE_OPS] = {
        [IW_SEND] = "send",           [IW_SEND_INV] = "send_inv",
        [IW_SEND_SE] = "send_se",     [IW_SEND_SE_INV] = "send_se_inv",
        [IW_WRITE] = "write",         [IW_READ] = "read",
        [IW_FETCH_ADD] = "fetch_add", [IW_CMP_SWAP] = "cmp_swap",
        [IW_DDP_TAGGED] = "tagged",   [IW_DDP_UNTAGGED] = "untagged",
        [MESSAGE_WRONG] = "wrong",
    };
    const char *op = ops[m->op] ? ops[m->op] : "other";
    const char *status = m->status == 0 ? "ok" : m->status == IW_FLUSHED ? "flushed" : "refused";
    char terminate[40];
    if (m->status > 0) {
        snprintf(terminate, sizeof terminate, "terminate %x/%x/%02x", IW_TERM_LAYER(m->status),
                 IW_TERM_ETYPE(m->status), IW_TERM_CODE(m->status));
        status = terminate;
    }
    const void *octets[MESSAGE_COLUMNS] = {[POINT] = label, [OP] = op, [STATUS] = status};
    const uint64_t cells[MESSAGE_COLUMNS] = {
        strlen(label),
        m->conn,
        strlen(op),
        m->length,
        m->t_post,
        m->t_first_placed,
        m->t_last_placed,
        m->t_delivered,
        m->t_completed,
        m->retransmitted,
        repeat,
        (uint64_t)m->side,
        m->index,
        strlen(status),
        m->latency,
        m->t_taken,
        m->t_taken == IW_NEVER ? UNDEFINED : m->stale,
    };
    columns_row(out, cells, octets);
}
