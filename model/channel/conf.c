/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* conf.c -- what a user can set below `channel.`: the table of struct channel_conf. */
#include "channel/channel.h"
#include "parameter_rows.h"

#define PARAMETER_OF struct channel_conf

static const char *const orders[] = {[false] = "kept", [true] = "drawn"}; /* of channel_delays.overtakes */
static const char *const clocks[] = {[false] = "order", [true] = "time"}; /* of channel_trace.by_time */

/* clang-format off */
static const struct parameter rows[] = {
    REAL("loss", loss, 0, 1000, 0, "Probability that a packet is lost.", .counts = "per packet", .label = "Loss probability"),
    REAL("burst.p", burst.p, 0, 1000, 0, "Gilbert-Elliott: probability of going from the good state to the bad.", .counts = "per packet", .label = "Probability that a burst of losses begins"),
    REAL("burst.r", burst.r, 0, 1000, 0, "Gilbert-Elliott: probability of going from the bad state to the good.", .counts = "per packet", .label = "Probability that a burst of losses ends"),
    REAL("burst.loss_good", burst.loss_good, 0, 1000, 0, "Gilbert-Elliott: loss in the good state.", .counts = "per packet"),
    REAL("burst.loss_bad", burst.loss_bad, 0, 1000, 0, "Gilbert-Elliott: loss in the bad state.", .counts = "per packet"),
    REAL("corrupt", corrupt, 0, 1000, 0, "Probability that a packet is corrupted in a way that TCP's checksum misses.", .counts = "per packet", .label = "Probability of corruption"),
    REAL("duplicate", duplicate, 0, 1000, 0, "Probability that a packet arrives twice.", .counts = "per packet", .label = "Probability of duplication"),
    REAL("reorder.probability", reorder.probability, 0, 1000, 0, "Probability that a packet is delayed.", .counts = "per packet", .label = "Share of packets reordered"),
    TIME("reorder.delay", reorder.delay, 0, 10 * S, 0, "How long such a packet is delayed.", .counts = "extra delay", .label = "Extra delay of reordered packets"),
    COUNT("reorder.displacement", reorder.displacement, 0, 1000000, 0, "How long such a packet is delayed, as a number of packets of its size.", .counts = "serialization times", .label = "Reordering depth (packets)"),
    TIME("jitter", jitter, 0, 10 * S, 0, "Extra delay of every packet, uniform from 0 to this.", .label = "Jitter"),
    CHOICE("delay.order", delay.overtakes, orders, false, "kept: no packet comes before one that was sent before it, but waits for it and then for its own time on the link. drawn: each comes when its own delay says, so that packets overtake each other.", .with = "channel.delay.cdf", .label = "Order"),
    TIME("delay.hold", delay.hold, 0, 10 * S, 0, "What was drawn from channel.delay.cdf holds for so long, counted from the start of the run; 0: each packet has a draw of its own, so that with order kept packets close to each other wait for the latest of them.", .with = "channel.delay.cdf", .label = "Time that a delay holds"),
    CHOICE("trace.by", trace.by_time, clocks, false, "A late packet of the trace is late by as many packets of its size as overtook it there (order), or by the same time.", .with = "channel.trace.file", .label = "Late by"),
    COUNT("trace.start", trace.first, 1, 4194304, 0, "The packet of the trace with which the replay begins; drawn: another one in each repeat and at each host.", .counts = "packets of the trace, from 1", .with = "channel.trace.file", .word = "drawn", .label = "First packet of the trace"),
};
/* clang-format on */
const struct parameter_table channel_parameters = TABLE("channel", "last link before each host", rows);
