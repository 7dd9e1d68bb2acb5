/* SPDX-License-Identifier: GPL-2.0-or-later */
/* column.c -- the table of columns (column.h). */
#include "helpers/scenario/column.h"

#include <string.h>

/* ---- the columns of results.csv ---- */

#define AT(member)      offsetof(struct point_results, member)
#define COUNTED(member) AT(counted.member)

/* Where a window of the run is measured. */
#define IN_WINDOW "; in a window (measure): of it alone"

/* clang-format off */
const struct column result_columns[] = {
    {"goodput_gbps", "Goodput", "Gbps", "payload octets placed, from the first post to the last placement; set-up excluded" IN_WINDOW, COLUMN_DOUBLE, AT(goodput_gbps)},
    {"steady_gbps", "Steady goodput", "Gbps", "rate of placement over the second half of the octets; empty when the run was not steady: nothing was lost or retransmitted, and yet the times that the last two eighths of the octets took differ by more than 2 % (and, where they last 8 round trips or longer, by more than one round trip, because octets arrive in windows); in a window (measure): goodput_gbps", COLUMN_DOUBLE, AT(steady_gbps)},
    {"flow_min_gbps", "Goodput of the slowest connection", "Gbps", "goodput of the slowest connection, each measured from its own first post to its own last placement" IN_WINDOW, COLUMN_DOUBLE, AT(flow_min_gbps)},
    {"completion_us", "Completion time", "us", "from the first post, goal: from the start of the schedule, until the workload is over; with measure.for: until its window ends", COLUMN_PS_AS_US, AT(completion_ps)},
    {"messages", "Messages completed", "messages", "ULP operations completed; a Read counts as one" IN_WINDOW, COLUMN_COUNT, AT(messages)},
    {"messages_posted", "Messages posted", "messages", "ULP operations posted; in a window (measure): of those that ended in it", COLUMN_COUNT, AT(messages_posted)},
    {"messages_per_s", "Message rate", "1/s", "messages / completion; in a window (measure): / its length", COLUMN_DOUBLE, AT(messages_per_s)},
    {"bytes", "Payload placed", "octets", "ULP octets placed at their receivers" IN_WINDOW, COLUMN_COUNT, AT(bytes)},
    {"latency_n", "Messages measured", "messages", "messages whose latency was measured; in a window (measure): of those that ended in it", COLUMN_COUNT, AT(latency_n)},
    {"latency_mean_us", "Mean latency", "us", "mean latency. Send: post to delivery at the receiver; Write: post to the placement that completes it; Read: post to completion; pingpong with Send or Write: half the round trip; storage: command posted to answer delivered; errors: from posting the wrong octets to learning of the Terminate", COLUMN_DOUBLE, AT(latency_mean_us)},
    {"latency_p50_us", "Median latency", "us", "median of the latency; percentiles are nearest rank, and at most 1/1024 too small above 1,048,576 messages", COLUMN_PS_AS_US, AT(latency_p50_ps)},
    {"latency_p99_us", "99th percentile of latency", "us", "99th percentile of the latency; unreliable below 1,000 messages", COLUMN_PS_AS_US, AT(latency_p99_ps)},
    {"latency_p999_us", "99.9th percentile of latency", "us", "99.9th percentile of the latency; unreliable below 10,000 messages", COLUMN_PS_AS_US, AT(latency_p999_ps)},
    {"latency_max_us", "Largest latency", "us", "largest latency", COLUMN_PS_AS_US, AT(latency_max_ps)},
    {"fct_slowdown_p50", "Median slowdown", "1", "median of latency divided by the time the message takes alone: propagation on its path, and all its packets with their headers at the rate of each link; never below 1", COLUMN_DOUBLE, AT(fct_slowdown_p50)},
    {"fct_slowdown_p99", "99th percentile of slowdown", "1", "99th percentile of the same", COLUMN_DOUBLE, AT(fct_slowdown_p99)},
    {"segments", "Segments", "segments", "DDP segments accepted by their receivers", COLUMN_COUNT, AT(segments)},
    {"segments_ooo", "Segments out of order", "segments", "segments that arrived while an earlier octet was missing", COLUMN_COUNT, AT(segments_ooo)},
    {"placed_ooo_bytes", "Placed out of order", "octets", "payload octets placed while an earlier octet was missing", COLUMN_COUNT, AT(placed_ooo_bytes)},
    {"early_p50_us", "Placement to delivery, median", "us", "median over segments of the time from placement to delivery; at most 1/1024 too small", COLUMN_PS_AS_US, AT(early_p50_ps)},
    {"early_p99_us", "Placement to delivery, 99th percentile", "us", "99th percentile of the same", COLUMN_PS_AS_US, AT(early_p99_ps)},
    {"reads_early", "Messages read early", "1", "workload.notify: share of the messages that the receiving program took while an octet of theirs was not yet in memory", COLUMN_DOUBLE, AT(reads_early)},
    {"octets_stale", "Octets read early", "octets", "octets of those messages that came into memory after the program had taken them", COLUMN_COUNT, AT(octets_stale)},
    {"early_hole_p50_us", "Early read to last octet, median", "us", "median over the messages read early of the time from the read until their last octet was in memory", COLUMN_PS_AS_US, AT(early_hole_p50_ps)},
    {"early_hole_p99_us", "Early read to last octet, 99th percentile", "us", "99th percentile of the same", COLUMN_PS_AS_US, AT(early_hole_p99_ps)},
    {"notify_p50_us", "Post to read, median", "us", "workload.notify: median of the time from the post of a message until the receiving program took it", COLUMN_PS_AS_US, AT(notify_p50_ps)},
    {"notify_p99_us", "Post to read, 99th percentile", "us", "99th percentile of the same", COLUMN_PS_AS_US, AT(notify_p99_ps)},
    {"fence_us", "Last octet to read", "us", "workload.notify: median of the time from the instant at which the last octet of a message was in memory until the program took it; negative where it was read early", COLUMN_DOUBLE, AT(fence_us)},
    {"retransmits", "Retransmissions", "packets", "data packets retransmitted", COLUMN_COUNT, AT(retransmits)},
    {"retransmits_spurious", "Spurious retransmissions", "packets", "retransmissions that the sender learned were not needed (D-SACK; SCTP: duplicate TSN)", COLUMN_COUNT, COUNTED(retransmits_spurious)},
    {"timeouts", "Retransmission timeouts", "timeouts", "retransmission timeouts when something was lost", COLUMN_COUNT, COUNTED(timeouts)},
    {"timeouts_spurious", "Spurious timeouts", "timeouts", "retransmission timeouts although nothing was lost", COLUMN_COUNT, COUNTED(timeouts_spurious)},
    {"stalls", "Stalls", "stalls", "times that a sender could send nothing for a whole retransmission timeout although nothing was lost", COLUMN_COUNT, COUNTED(stalls)},
    {"naks", "NAKs", "packets", "packets of llp.kind packet that report a missing packet", COLUMN_COUNT, AT(naks)},
    {"path_values_used", "Path values in use", "values", "most values of llp.paths that the packets of one end of a connection carried; 0: none was chosen", COLUMN_COUNT, AT(path_values)},
    {"paths_retired", "Path values retired", "values", "times that llp.path_choice: retire put a value out of use", COLUMN_COUNT, AT(retired)},
    {"probes", "Probes", "packets", "probes of llp.kind packet, of the tail and of retired path values", COLUMN_COUNT, AT(probes)},
    {"credits", "Credits", "packets", "packets by which receivers of llp.kind packet grant octets (llp.congestion: rccc)", COLUMN_COUNT, AT(credits)},
    {"drops_channel", "Lost by the channel", "packets", "packets lost by the channel", COLUMN_COUNT, COUNTED(drops_channel)},
    {"drops_switch", "Dropped by switches", "packets", "packets dropped by full switch queues", COLUMN_COUNT, COUNTED(drops_switch)},
    {"trims", "Trimmed by switches", "packets", "packets that full switch queues trimmed to their headers (topology.trim)", COLUMN_COUNT, COUNTED(trims)},
    {"drops_staging", "Dropped at full staging", "packets", "packets dropped before acceptance because the adapter's staging buffer was full", COLUMN_COUNT, AT(drops_staging)},
    {"drops_track", "Refused, not to be remembered", "packets", "packets out of order that a receiver refused because llp.tracking, or llp.track, has no room to remember them", COLUMN_COUNT, COUNTED(drops_track)},
    {"crc_errors", "CRC errors", "packets", "packets whose MPA CRC did not match", COLUMN_COUNT, COUNTED(crc_errors)},
    {"ecn_marks", "ECN marks", "packets", "packets marked Congestion Experienced", COLUMN_COUNT, COUNTED(ecn_marks)},
    {"pauses", "Pauses", "pauses", "times that flow control paused a link, summed over all links", COLUMN_COUNT, COUNTED(pauses)},
    {"pause_us", "Time paused", "us", "time that links were paused, summed over all links", COLUMN_PS_AS_US, COUNTED(paused_ps)},
    {"staging_peak_bytes", "Staging, peak", "octets", "largest staging occupancy of any adapter", COLUMN_COUNT, AT(staging_peak)},
    {"staging_p999_bytes", "Staging, 99.9th percentile", "octets", "99.9th percentile of the staging occupancy that arriving segments found, themselves included; the largest of all adapters; at most 1/16 too large", COLUMN_COUNT, AT(staging_p999)},
    {"held_peak_bytes", "Held out of order, peak", "octets", "most out-of-order octets held in the memory of any adapter", COLUMN_COUNT, AT(held_peak)},
    {"ooo_state_peak_bytes", "Tracking state, peak", "octets", "most octets that any adapter needs to remember which segments are here out of order, by the layout of llp.tracking, as the sum of its connections' peaks", COLUMN_COUNT, AT(ooo_state_peak)},
    {"track_peak_bits", "Tracking bits, peak", "bits", "most packets from the first missing one to the last that arrived, on any connection of llp.kind packet", COLUMN_COUNT, AT(track_peak)},
    {"track_pool_peak_bits", "Tracking bits of an adapter, peak", "bits", "most bits that all connections of any adapter took together at one time to remember what was out of order, by the layout of llp.tracking (rnic.track.pool); of a list it is not counted", COLUMN_COUNT, AT(track_pool_peak)},
    {"nic_state_bytes", "Adapter state, peak", "octets", "octets that an adapter kept for out-of-order packets: held_peak_bytes + ooo_state_peak_bytes, and with llp.tracking: list track_peak_bits / 8", COLUMN_COUNT, AT(nic_state)},
    {"window_min_bytes", "Smallest window", "octets", "smallest window advertised", COLUMN_COUNT, AT(window_min)},
    {"window_max_bytes", "Largest window", "octets", "largest window advertised", COLUMN_COUNT, AT(window_max)},
    {"recv_buffer_bytes", "Receive buffers", "octets", "octets of the receive buffers for Sends that a host has posted when it starts, its connections' own or shared; the largest of all hosts", COLUMN_COUNT, AT(recv_octets)},
    {"shared_peak_buffers", "Shared receive buffers, peak", "buffers", "most buffers of a shared receive queue (rnic.srq) that messages had at a time, from the first segment that arrived until the ULP posted it again", COLUMN_COUNT, AT(shared_peak)},
    {"bus_bytes_per_byte", "Memory crossings per octet", "1", "crossings of the receivers' memory bus per payload octet", COLUMN_DOUBLE, AT(bus_bytes_per_byte)},
    {"model_cpu_ns_per_byte", "CPU time per octet", "ns", "time of the simulated hosts' CPUs per payload octet", COLUMN_DOUBLE, AT(model_cpu_ns_per_byte)},
    {"messages_wrong", "Messages delivered wrong", "messages", "messages delivered with octets other than those sent, as can happen without llp.crc; workload.reuse: with octets in a buffer that they were not sent to", COLUMN_COUNT, AT(messages_wrong)},
    {"octets_wrong", "Octets delivered wrong", "octets", "octets of those messages", COLUMN_COUNT, AT(octets_wrong)},
    {"terminates", "Terminates", "messages", "Terminate messages sent", COLUMN_COUNT, AT(terminates)},
    {"bound_window", "Bound by the receive window", "1", "share of the senders' time, from first post to last acknowledgement, during which the peer's window held back the next octet; if several bounds hold, the first of these columns counts", COLUMN_DOUBLE, AT(bound[0])},
    {"bound_congestion", "Bound by congestion control", "1", "the same: the congestion window, or pacing", COLUMN_DOUBLE, AT(bound[1])},
    {"bound_send_buffer", "Bound by the send buffer", "1", "the same: no room for octets not yet acknowledged", COLUMN_DOUBLE, AT(bound[2])},
    {"bound_depth", "Bound by depth", "1", "the same: everything posted has left, and the ULP waits for it to complete", COLUMN_DOUBLE, AT(bound[3])},
    {"bound_ord", "Bound by outstanding Reads", "1", "the same: ORD Reads are outstanding", COLUMN_DOUBLE, AT(bound[4])},
    {"bound_flight", "Bound by llp.flight", "1", "the same: packets in flight of a packet transport; TCP and SCTP have no such bound", COLUMN_DOUBLE, AT(bound[5])},
    {"bound_track", "Bound by llp.track", "1", "the same: the out-of-order packets that the receiver of a packet transport can track; TCP and SCTP have no such bound", COLUMN_DOUBLE, AT(bound[6])},
    {"bound_pause", "Bound by pause", "1", "the same: the adapter or the port, while flow control has stopped the port", COLUMN_DOUBLE, AT(bound[7])},
    {"bound_adapter", "Bound by the adapter", "1", "the same: doorbell, descriptor fetch, DMA read, transmit pipeline", COLUMN_DOUBLE, AT(bound[8])},
    {"bound_line", "Bound by the line", "1", "the same: another packet was at the port", COLUMN_DOUBLE, AT(bound[9])},
    {"bound_idle", "Idle", "1", "the same: nothing was posted", COLUMN_DOUBLE, AT(bound[10])},
    {"steady_within", "Uncertainty of the steady goodput", "1", "half of the 95 % interval of steady_gbps, from the rates of 16 equal parts of those octets, as a share of steady_gbps; in a window (measure): from those of its 32 equal times, of measure.for_share of 32 equal shares of octets", COLUMN_DOUBLE, AT(steady_within)},
    {"marked", "Too short", "1", "1: losses, timeouts or retransmissions decide the result, but the run met fewer than 1,000 losses and its steady_within is above 0.02; a longer run, or more repeats, would tell more; figures count the marks of points with fewer than 6 repeats, for the others show their interval", COLUMN_COUNT, AT(marked)},
    {"events", "Simulator events", "events", "events of the simulator", COLUMN_COUNT, COUNTED(events)},
    {"flow_mean_gbps", "Mean goodput of connections", "Gbps", "mean over connections of the goodput of each, as flow_min_gbps has it" IN_WINDOW, COLUMN_DOUBLE, AT(flow_mean_gbps)},
    {"flow_p1_gbps", "Goodput, 1st percentile of connections", "Gbps", "1st percentile over connections of the same, by nearest rank; the slowest of up to 100" IN_WINDOW, COLUMN_DOUBLE, AT(flow_p1_gbps)},
    {"flow_jain", "Fairness (Jain)", "1", "Jain's index of the goodputs of connections: the square of their sum over their number times the sum of their squares; 1: all are equal" IN_WINDOW, COLUMN_DOUBLE, AT(flow_jain)},
    {"host_mean_gbps", "Mean goodput of hosts", "Gbps", "goodput_gbps by the number of hosts that octets are placed at" IN_WINDOW, COLUMN_DOUBLE, AT(host_mean_gbps)},
    {"link_share", "Share of the hosts' links", "1", "host_mean_gbps as a share of the payload that a host's link can carry (line_gbps); empty with topology.kind: platform" IN_WINDOW, COLUMN_DOUBLE, AT(link_share)},
    {"sender_completion_us", "Completion at the senders", "us", "from the first post until the last sender has its last acknowledgement, before any cost of telling its ULP; empty when one still waits at the end, and in world simgrid", COLUMN_PS_AS_US, AT(sender_ps)},
    {"retransmits_needless", "Needless retransmissions", "packets", "data packets that arrived although all their octets had been accepted before, copies made by the network apart: what the receivers know of retransmissions", COLUMN_COUNT, COUNTED(retransmits_needless)},
    {"fair_us", "Time to fairness", "us", "with run --series of flows: from the first post of the last connection to begin until the first interval from which on Jain's index of the intervals' goodputs (series/*.total.csv) stays at 0.95 or above; up to an interval late, and judged until the first connection places its last octet; empty: they were unfair to the last", COLUMN_PS_AS_US, AT(fair_ps)},
    {"lost_on_failed_links", "Lost on failed links", "packets", "packets lost because a link was down: on its wire, in its queue when routes began to avoid it, or in a switch from which no way led on", COLUMN_COUNT, COUNTED(lost_on_failed_links)},
    {"reroutes", "Packets rerouted", "packets", "times that a switch sent a packet another way than its own, because that one did not lead on over links that are not avoided", COLUMN_COUNT, COUNTED(reroutes)},
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

/* ---- numbers that follow from the keys of a point ---- */

#define OF(member) offsetof(struct scenario_derived, member)
static const struct column derived[] = {
    {"line_gbps", "Line rate", "Gbps", NULL, COLUMN_DOUBLE, OF(line_gbps)},
    {"window_gbps", "Windows allow", "Gbps", NULL, COLUMN_DOUBLE, OF(windows_gbps)},
    {"rtt_us", "Round-trip time without load", "us", NULL, COLUMN_PS_AS_US, OF(rtt)},
    {"bdp_bytes", "Bandwidth-delay product", "octets", NULL, COLUMN_COUNT, OF(bdp)},
};
enum { DERIVED = sizeof derived / sizeof *derived };

const struct column *derived_column(const char *name)
{
    for (int i = 0; i < DERIVED; i++)
        if (strcmp(derived[i].name, name) == 0)
            return &derived[i];
    return NULL;
}

double derived_number(const struct column *c, const struct scenario_derived *d)
{
    const char *member = (const char *)d + c->offset;
    uint64_t n;
    double real;
    memcpy(&n, member, sizeof n);
    memcpy(&real, member, sizeof real);
    return c->kind == COLUMN_DOUBLE ? real : (double)n / (c->kind == COLUMN_PS_AS_US ? 1e6 : 1);
}

bool column_is_known(const char *column)
{
    return key_like(column) || result_column(column) || derived_column(column);
}
