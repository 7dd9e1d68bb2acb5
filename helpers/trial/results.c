/* SPDX-License-Identifier: GPL-2.0-or-later */
/* results.c -- the columns, and rows in fixed formats (results.h). */
#include "helpers/trial/results.h"

#include <math.h>
#include <string.h>

#include "helpers/command.h"

const char *const status_names[STATUSES] = {
    [STATUS_OK] = "ok",
    [STATUS_BROKEN] = "broken",
    [STATUS_LIMIT_SIM] = "limit_sim",
    [STATUS_LIMIT_WALL] = "limit_wall",
    [STATUS_LIMIT_IDLE] = "limit_idle",
    [STATUS_STALLED] = "stalled",
    [STATUS_REFUSED] = "refused",
    [STATUS_CRASHED] = "crashed",
};

int status_exit(enum point_status status)
{
    static const int exits[STATUSES] = {
        [STATUS_OK] = EXIT_DONE,           [STATUS_BROKEN] = EXIT_LAW,
        [STATUS_LIMIT_SIM] = EXIT_FAILED,  [STATUS_LIMIT_WALL] = EXIT_FAILED,
        [STATUS_LIMIT_IDLE] = EXIT_FAILED, [STATUS_STALLED] = EXIT_FAILED,
        [STATUS_REFUSED] = EXIT_INPUT,     [STATUS_CRASHED] = EXIT_FAILED,
    };
    return exits[status];
}

/* ---- the columns ---- */

#define AT(member) offsetof(struct point_results, member)

/* clang-format off */
const struct column result_columns[] = {
    {"goodput_gbps", "Goodput", "Gbps", "payload octets placed, from the first post to the last placement; set-up excluded", COLUMN_DOUBLE, AT(goodput_gbps)},
    {"steady_gbps", "Steady goodput", "Gbps", "slope of placed octets over the second half of the octets", COLUMN_DOUBLE, AT(steady_gbps)},
    {"flow_min_gbps", "Goodput of the slowest connection", "Gbps", "goodput of the connection that has least, each from its own first post to its own last placement", COLUMN_DOUBLE, AT(flow_min_gbps)},
    {"completion_us", "Completion time", "us", "from the first post until the workload is over", COLUMN_PS_AS_US, AT(completion_ps)},
    {"messages", "Messages completed", "messages", "ULP operations completed; a Read is one", COLUMN_COUNT, AT(messages)},
    {"messages_posted", "Messages posted", "messages", "ULP operations posted", COLUMN_COUNT, AT(messages_posted)},
    {"messages_per_s", "Message rate", "1/s", "messages / completion", COLUMN_DOUBLE, AT(messages_per_s)},
    {"bytes", "Payload placed", "octets", "ULP octets placed at their receivers", COLUMN_COUNT, AT(bytes)},
    {"latency_n", "Messages measured", "messages", "messages that have a latency", COLUMN_COUNT, AT(latency_n)},
    {"latency_mean_us", "Mean latency", "us", "mean latency. Send: post to delivery at the receiver; Write: post to placement of the octet placed last; Read: post to completion; pingpong with Send or Write: half the round trip; storage: command posted to answer delivered; errors: wrong octets posted to Terminate known", COLUMN_DOUBLE, AT(latency_mean_us)},
    {"latency_p50_us", "Median latency", "us", "median of the latency; percentiles are nearest rank", COLUMN_PS_AS_US, AT(latency_p50_ps)},
    {"latency_p99_us", "99th percentile of latency", "us", "99th percentile of the latency; rests on little below 1,000 messages", COLUMN_PS_AS_US, AT(latency_p99_ps)},
    {"latency_p999_us", "99.9th percentile of latency", "us", "99.9th percentile of the latency; rests on little below 10,000 messages", COLUMN_PS_AS_US, AT(latency_p999_ps)},
    {"latency_max_us", "Largest latency", "us", "largest latency", COLUMN_PS_AS_US, AT(latency_max_ps)},
    {"fct_slowdown_p50", "Median slowdown", "1", "median of latency / the time the message takes alone: propagation, and all its packets at line rate", COLUMN_DOUBLE, AT(fct_slowdown_p50)},
    {"fct_slowdown_p99", "99th percentile of slowdown", "1", "99th percentile of the same", COLUMN_DOUBLE, AT(fct_slowdown_p99)},
    {"segments", "Segments", "segments", "DDP segments accepted by their receivers", COLUMN_COUNT, AT(segments)},
    {"segments_ooo", "Segments out of order", "segments", "of those: an earlier octet was missing when they arrived", COLUMN_COUNT, AT(segments_ooo)},
    {"placed_ooo_bytes", "Placed out of order", "octets", "payload octets placed ahead of their turn", COLUMN_COUNT, AT(placed_ooo_bytes)},
    {"early_p50_us", "Placement to delivery, median", "us", "median over segments of the time from placement to delivery; at most 1/1024 too small", COLUMN_PS_AS_US, AT(early_p50_ps)},
    {"early_p99_us", "Placement to delivery, 99th percentile", "us", "99th percentile of the same", COLUMN_PS_AS_US, AT(early_p99_ps)},
    {"retransmits", "Retransmissions", "packets", "data packets sent again", COLUMN_COUNT, AT(retransmits)},
    {"retransmits_spurious", "Spurious retransmissions", "packets", "of those: their octets had arrived before", COLUMN_COUNT, AT(retransmits_spurious)},
    {"timeouts", "Retransmission timeouts", "timeouts", "retransmission timeouts", COLUMN_COUNT, AT(timeouts)},
    {"drops_channel", "Lost by the channel", "packets", "lost by the channel", COLUMN_COUNT, AT(drops_channel)},
    {"drops_switch", "Dropped by switches", "packets", "dropped by full queues of switches", COLUMN_COUNT, AT(drops_switch)},
    {"drops_staging", "Dropped at full staging", "packets", "dropped by full staging buffers of adapters, before acceptance", COLUMN_COUNT, AT(drops_staging)},
    {"crc_errors", "CRC errors", "packets", "whose MPA CRC did not match", COLUMN_COUNT, AT(crc_errors)},
    {"ecn_marks", "ECN marks", "packets", "marked Congestion Experienced", COLUMN_COUNT, AT(ecn_marks)},
    {"staging_peak_bytes", "Staging, peak", "octets", "most octets in the staging buffer of one adapter", COLUMN_COUNT, AT(staging_peak)},
    {"staging_p999_bytes", "Staging, 99.9th percentile", "octets", "99.9th percentile of what arriving segments found there, themselves included; largest of the adapters; at most 1/16 too large", COLUMN_COUNT, AT(staging_p999)},
    {"held_peak_bytes", "Held out of order, peak", "octets", "most octets out of order in the memory of one adapter", COLUMN_COUNT, AT(held_peak)},
    {"ooo_state_peak_bytes", "Tracking state, peak", "octets", "most octets of tracking state for out-of-order segments of one adapter; connections' peaks added", COLUMN_COUNT, AT(ooo_state_peak)},
    {"window_min_bytes", "Smallest window", "octets", "smallest window advertised", COLUMN_COUNT, AT(window_min)},
    {"window_max_bytes", "Largest window", "octets", "largest window advertised", COLUMN_COUNT, AT(window_max)},
    {"bus_bytes_per_byte", "Memory crossings per octet", "1", "crossings of the receivers' memory bus per payload octet", COLUMN_DOUBLE, AT(bus_bytes_per_byte)},
    {"model_cpu_ns_per_byte", "CPU time per octet", "ns", "time of the simulated hosts' CPUs per payload octet", COLUMN_DOUBLE, AT(model_cpu_ns_per_byte)},
    {"terminates", "Terminates", "messages", "Terminate messages sent", COLUMN_COUNT, AT(terminates)},
    {"events", "Simulator events", "events", "events of the simulator", COLUMN_COUNT, AT(events)},
};
/* clang-format on */
const size_t result_columns_count = sizeof result_columns / sizeof *result_columns;

const struct column *result_column(const char *name)
{
    for (size_t i = 0; i < result_columns_count; i++)
        if (strcmp(result_columns[i].name, name) == 0)
            return &result_columns[i];
    return NULL;
}

const char *result_suggest(const char *wrong)
{
    for (size_t i = 0; *wrong && i < result_columns_count; i++)
        if (strncmp(result_columns[i].name, wrong, strlen(wrong)) == 0)
            return result_columns[i].name;
    for (size_t i = 0; *wrong && i < result_columns_count; i++)
        if (strstr(result_columns[i].name, wrong))
            return result_columns[i].name;
    return NULL;
}

const struct percentile_needs *percentile_needs(const char *column)
{
    static const char p99[] = "99th percentiles from fewer than 1,000 messages";
    static const char p999[] = "99.9th percentiles from fewer than 10,000 messages";
    static const struct percentile_needs needs[] = {
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

static const struct {
    const char *name, *unit, *definition;
} lead[] = {
    {"scenario", "", "name of the scenario's file"},
    {"point", "", "values of the sweep, in its order; `all` without a sweep"},
    {"repeat", "", "number of the repeat, from 0"},
    {"seed", "", "seed of the scenario; draws are keyed by seed and repeat"},
    {"status", "",
     "ok; broken: a law of the protocol; limit_sim, limit_wall, limit_idle, stalled: it did not end by "
     "itself; "
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
    {"messages.csv t_post", "us", "posted; all times since the start of the simulation"},
    {"messages.csv t_first_placed", "us", "its first octets reached memory"},
    {"messages.csv t_last_placed", "us", "its last octets reached memory"},
    {"messages.csv t_delivered", "us", "delivered at the receiver; storage: its answer was"},
    {"messages.csv t_completed", "us", "the poster's ULP has the completion"},
    {"messages.csv retransmitted", "packets", "sent again with octets of this message"},
    {"messages.csv side", "", "0: posted by the initiator, 1: by the responder"},
    {"messages.csv index", "", "number among the messages of its connection and kind"},
    {"messages.csv status", "", "ok; flushed: the stream ended first; terminate L/E/CC: what ended it"},
    {"messages.csv latency", "us", "as latency_mean_us defines it; empty: not measured on this message"},
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
    {"summary.csv warning", "", "percentiles that rest on too few messages or segments"},
    {"paired.csv key", "", "the key in which the two points differ; no draw of the channel depends on it"},
    {"paired.csv point", "",
     "its runs minus those of `against`, repeat by repeat; n, mean, median ... as in summary.csv"},
    {"paired.csv against", "", "the same point with the first value of that key"},
    {"trace t_ps", "ps", "since the start of the simulation"},
    {"trace node", "", "host"},
    {"trace conn", "", "connection; empty: none"},
    {"trace event", "",
     "post, sent, resent, arrived, placed, delivered, done, window, terminate_sent, terminate_received, "
     "half_closed, fatal, closed, no_buffer; pair and ns3 too: left (for the first time), lost (on the way), "
     "landed (at the port), dropped (no room in staging), refused (before TCP accepted it); a world has more "
     "of its own"},
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
    {"trace cwnd", "octets", "congestion window"},
};
enum { BESIDE = sizeof beside / sizeof *beside };

/* ---- cells ---- */

void csv_cell(FILE *out, const char *text)
{
    if (!strpbrk(text, ",\"\n\r")) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', out);
        putc(*text, out);
    }
    putc('"', out);
}

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
    for (size_t i = 0; i < s->axes_count; i++)
        fprintf(out, ",%s", s->axes[i].key->name);
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
    for (size_t i = 0; i < result_columns_count; i++)
        fprintf(out, "%s\t%s\t%s\n", result_columns[i].name, result_columns[i].unit,
                result_columns[i].definition);
    for (int i = 0; i < BESIDE; i++)
        fprintf(out, "%s\t%s\t%s\n", beside[i].name, beside[i].unit, beside[i].definition);
}

void results_write_message_head(FILE *out)
{
    fputs("point,conn,op,length,t_post,t_first_placed,t_last_placed,t_delivered,t_completed,retransmitted,"
          "repeat,side,index,"
          "status,latency\n",
          out);
}

static void write_time(FILE *out, uint64_t ps, const char *end)
{
    write_whole(out, ps, 6);
    fputs(end, out);
}

void results_write_message(FILE *out, const char *label, uint32_t repeat, const struct workload_message *m)
{
    static const char *const ops[IW_OPS] = {
        [IW_SEND] = "send",          [IW_SEND_INV] = "send_inv",
        [IW_SEND_SE] = "send_se",    [IW_SEND_SE_INV] = "send_se_inv",
        [IW_WRITE] = "write",        [IW_READ] = "read",
        [IW_DDP_UNTAGGED] = "wrong",
    };
    const char *op = ops[m->op] ? ops[m->op] : "other";
    csv_cell(out, label);
    fprintf(out, ",%u,%s,%u,", m->conn, op, m->length);
    write_time(out, m->t_post, ",");
    write_time(out, m->t_first_placed, ",");
    write_time(out, m->t_last_placed, ",");
    write_time(out, m->t_delivered, ",");
    write_time(out, m->t_completed, ",");
    fprintf(out, "%u,%u,%d,%llu,", m->retransmitted, repeat, m->side, (unsigned long long)m->index);
    if (m->status > 0)
        fprintf(out, "terminate %x/%x/%02x,", IW_TERM_LAYER(m->status), IW_TERM_ETYPE(m->status),
                IW_TERM_CODE(m->status));
    else
        fprintf(out, "%s,", m->status == 0 ? "ok" : "flushed");
    write_time(out, m->latency, "\n");
}
