/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* conf.c -- what a user can set below `llp.`: the table of struct llp_keys. */
#include "llp/keys.h"
#include "parameter_rows.h"

#define WORD(name, word) word,
#define NAME(name)       #name,
static const char *const kinds[] = {
    [LLP_MPA] = "mpa", [LLP_SCTP] = "sctp", [LLP_IDEAL] = "ideal", [LLP_PACKET] = "packet"};
static const char *const recoveries[] = {
    [PACKET_GO_BACK_N] = "go_back_n", [PACKET_IRN] = "irn", [PACKET_RUD] = "rud"};
static const char *const crc_errors[] = {[CRC_ERROR_TERMINATE] = "terminate", [CRC_ERROR_DROP] = "drop"};
static const char *const congestions[] = {NULL, TCP_CONGESTION_TABLE(WORD) PACKET_CONGESTION_TABLE(WORD)};
static const char *const choices[] = {NULL, PACKET_CHOICE_TABLE(NAME)};
static const char *const detections[] = {NULL, TCP_DETECTION_TABLE(WORD)};
static const char *const ecns[] = {[ECN_AUTO] = "auto", [ECN_ON] = "on", [ECN_OFF] = "off"};
static const char *const trackings[] = {
    [TRACK_LIST] = "list", [TRACK_RANGES] = "ranges", [TRACK_BITMAP] = "bitmap", [TRACK_COUNTER] = "counter"};
static const char *const securities[] = {
    [SECURITY_NONE] = "none", [SECURITY_ESP] = "esp", [SECURITY_TLS] = "tls"};
static const char *const profiles[] = {[PROFILE_RFC] = "rfc",
                                       [PROFILE_DRAFT00] = "draft00",
                                       [PROFILE_RDMAC] = "rdmac",
                                       [PROFILE_STRICT] = "strict"};
static const char *const missing_buffers[] = {[MISSING_BUFFER_END] = "end", [MISSING_BUFFER_WAIT] = "wait"};
static const char *const dcqcn_sets[] = {[DCQCN_HPCC] = "hpcc", [DCQCN_PAPER] = "paper"};
_Static_assert(sizeof dcqcn_sets / sizeof *dcqcn_sets == DCQCN_SETS, "each set has its word");
_Static_assert(sizeof kinds / sizeof *kinds == LLPS, "each lower layer has its word");
_Static_assert(sizeof recoveries / sizeof *recoveries == PACKET_RECOVERIES, "each recovery has its word");
_Static_assert(sizeof congestions / sizeof *congestions == CONGESTIONS,
               "each congestion control has its word");
_Static_assert(sizeof crc_errors / sizeof *crc_errors == CRC_ERRORS, "each answer to a bad CRC has its word");
_Static_assert(sizeof ecns / sizeof *ecns == ECNS, "each use of ECN has its word");
_Static_assert(sizeof securities / sizeof *securities == SECURITIES, "each protection has its word");
_Static_assert(sizeof profiles / sizeof *profiles == LLP_PROFILES, "each profile has its word");
_Static_assert(sizeof missing_buffers / sizeof *missing_buffers == MISSING_BUFFERS,
               "each answer to a missing buffer has its word");
_Static_assert(sizeof trackings / sizeof *trackings == LLP_TRACKINGS, "each layout has its word");
_Static_assert(sizeof detections / sizeof *detections == DETECTIONS, "each loss detection has its word");

#define PARAMETER_OF struct llp_keys
enum { TRACK_MAX = 16000 }; /* packets */

/* clang-format off */
static const struct parameter rows[] = {
    CHOICE("kind", kind, kinds, LLP_MPA, "mpa: MPA over TCP. sctp: the adaptation of RFC 5043. ideal: MPA over an ideal byte stream without congestion control, for closed forms. packet: one packet for each segment and no stream below, as llp.recovery says.", .label = "Lower layer"),
    SWITCH("markers", markers, false, "MPA markers every 512 octets, both directions.", .with = "llp.kind", .is = "mpa ideal", .label = "Markers"),
    SWITCH("crc", crc, true, "MPA CRC32c, generated and checked.", .with = "llp.kind", .is = "mpa ideal"),
    CHOICE("crc_error", crc_error, crc_errors, CRC_ERROR_TERMINATE, "A CRC mismatch ends the stream (RFC 5044 8), or the adapter drops the packet before TCP accepts it, and the sender retransmits it.", .acts = "receiver", .with = "llp.crc", .is = "true", .label = "CRC error handling"),
    SWITCH("trust_alignment", trust_alignment, false, "Without CRC: assume that every out-of-order packet starts with an FPDU.", .acts = "receiver", .with = "llp.crc", .is = "false"),
    CHOICE("congestion", congestion, congestions, CONGESTION_cubic, "Congestion control of TCP; fixed: a window that never changes, to study the receiver alone. For llp.kind packet, which has none unless told: none; dcqcn, a rate that marks cut; nscc, a window by marks and delay, as Ultra Ethernet's sender has it; rccc, credits of the receiver, as it has them; nscc+rccc, both; swift, a window by delay alone (these over llp.recovery: rud).", .counts = "fixed: octets per connection", .acts = "sender", .with = "llp.kind", .is = "mpa", .argument = offsetof(struct llp_keys, congestion_window), .also = "llp.congestion", .also_is = "dcqcn none nscc rccc nscc+rccc swift", .label = "Congestion control"),
    CHOICE("security", security, securities, SECURITY_NONE, "What protects the packets (RFC 5042 5.4), counted in octets and in the adapter's rnic.crypto times. esp: IPsec in transport mode, AES-GCM, 34 to 37 octets in every packet, which is checked by itself. tls: a record for each TCP segment with octets, 22 octets, checked in the stream's order alone, so that nothing can be placed out of order.", .acts = "both ends", .label = "Security"),
    CHOICE("profile", profile, profiles, PROFILE_RFC, "Which document both ends follow. rfc: RFC 5040 and RFC 5041. draft00: draft-ietf-rddp-ddp-00, by which a Send without a receive buffer ends its stream, whatever llp.missing_buffer says. rdmac: DDP and RDMAP of version 0, started by MPA of revision 0, which agrees on no number of Reads (RFC 5044 appendix C); it needs llp.kind: mpa, llp.markers and llp.crc. strict: as rfc, and the receiver checks what it need not (RFC 5041 5.2): in a message each offset goes on where the last segment ended, and the header's other fields stay the same.", .acts = "both ends", .label = "Profile"),
    CHOICE("missing_buffer", missing_buffer, missing_buffers, MISSING_BUFFER_END, "A Send that finds no receive buffer in its turn ends the stream with a Terminate, or waits in the adapter until a buffer is posted (the MAY of RFC 5041 7.1).", .acts = "receiver", .label = "Missing receive buffer"),
    CHOICE("recovery", recovery, recoveries, PACKET_GO_BACK_N, "How a packet transport repairs a loss. go_back_n (RoCEv2): the receiver drops packets that are out of order, and the sender retransmits everything from the first missing packet on. irn (IRN): out-of-order packets are placed, and only the missing ones are retransmitted. rud (UET, SRD): each packet is acknowledged by itself, and is lost once packets that left later are acknowledged; topology.routing: spray gives each packet a path of its own.", .acts = "both ends", .with = "llp.kind", .is = "packet", .label = "Recovery"),
    COUNT("flight", flight, 1, PACKET_RANGE_MAX, 0, "Most packets in flight (IRN's flow control): go_back_n counts all from the first unacknowledged packet on, irn and rud count the unacknowledged ones. auto: for irn and rud what the slowest of the equal paths holds without load, adapters included; for go_back_n no limit, as RoCE has none. unlimited: as many as llp.track allows, for go_back_n any.", .counts = "packets per connection", .acts = "sender", .with = "llp.kind", .is = "packet", .word = "auto", .most = "unlimited", .label = "Packets in flight"),
    COUNT("track", track, 1, TRACK_MAX, 0, "How many packets from the first missing one on a receiver of irn or rud keeps track of, with a bit for each; packets beyond are not sent. auto: twice llp.flight, since a retransmission takes a second round trip. With llp.tracking: bitmap TCP and SCTP refuse what lies farther from the first missing octet than so many full segments; auto: no limit.", .counts = "bits per connection", .acts = "both ends", .with = "llp.recovery", .is = "irn rud", .also = "llp.tracking", .also_is = "bitmap", .word = "auto", .label = "Tracking bits"),
    CHOICE("tracking", tracking, trackings, TRACK_LIST, "How the receiver remembers what is placed or held with something before it missing, for ooo_state_peak_bytes; what it cannot remember it refuses, as if lost. list: an entry of 34 octets for each segment, as this program does. ranges: 16 octets for each run without a hole, at most llp.track_ranges. bitmap: a bit for each packet (SCTP: DDP segment) from the first missing one to the last that came, of a TCP stream for each 4 octets, since FPDUs have any such length; at most llp.track. counter: 12 octets for one run, its end and its length; what does not go on where it ends is refused, since a counter cannot tell what it has counted already.", .counts = "per connection", .acts = "receiver", .with = "rnic.receive", .is = "place hold", .label = "Tracking layout"),
    COUNT("track_ranges", track_ranges, 1, 16000, 0, "Most runs that a receiver with llp.tracking: ranges remembers; auto: as many as it takes.", .counts = "ranges per connection", .acts = "receiver", .with = "llp.tracking", .is = "ranges", .word = "auto", .label = "Ranges"),
    TIME("rtt", rtt, US / 10, 10 * MS, 0, "Round trip without load with which windows of packets begin and are scaled; auto: that of the longest path, adapters included.", .acts = "both ends", .with = "llp.congestion", .is = "nscc rccc nscc+rccc swift", .word = "auto", .label = "Round trip"),
    TIME("target_delay", target_delay, US / 10, 10 * MS, 0, "Delay in queues, beyond llp.rtt, at which a window stops growing; auto: 3/4 of llp.rtt where queues trim, else all of it.", .acts = "sender", .with = "llp.congestion", .is = "nscc nscc+rccc swift", .word = "auto", .label = "Target delay"),
    OCTETS("answer_octets", answer_octets, 64, 16 * MIB, 0, "Octets of packets that one acknowledgement of rud is for; at once for a mark, the first packet, the last of a message, one that was retransmitted, and one after which the sender must wait. auto: each packet has its own.", .counts = "octets of packets", .acts = "receiver", .with = "llp.recovery", .is = "rud", .word = "auto", .label = "Octets per acknowledgement"),
    COUNT("paths", paths, 1, PACKET_PATHS_MAX, 1, "Values of which a sender of rud gives each packet one, and its acknowledgement the same; switches hash it (topology.routing: entropy), so packets of one value keep their order. A power of two.", .counts = "values per connection", .acts = "sender", .with = "topology.routing", .is = "entropy", .label = "Path values"),
    CHOICE("path_choice", path_choice, choices, PACKET_BY_oblivious, "Which of llp.paths the next packet has. oblivious: each once in a round, in a drawn order. round: each once, by number. bitmap: oblivious, but passing over those with penalties (a mark 1, a trim 4, a loss 15). reps: one of the last 8 that were acknowledged without a mark, each once, else a drawn one; for 10ms after a loss those 8 alone. mixed: all that were acknowledged without a mark, each once, else bitmap. retire: bitmap without the values of which a packet was lost (not trimmed).", .acts = "sender", .with = "topology.routing", .is = "entropy", .label = "Path choice"),
    TIME("path_revive", path_revive, US, S, MS, "Time after which a value that was retired is tested by a probe; it is in use again when that is answered. At most three quarters of the values are retired.", .acts = "sender", .with = "llp.path_choice", .is = "retire", .label = "Time until a path is tested"),
    TIME("probe", probe, US, LLP_PROBE_NEVER, 0, "A sender of rud that has heard nothing of its packets for so long sends a probe, a header that takes the path of the first of them: when that is answered, what left before it on that path is lost. A packet that left so much earlier than one of another path that was acknowledged is lost, too. auto: two round trips with llp.paths or a congestion control that asks for rud, else never.", .acts = "sender", .with = "llp.recovery", .is = "rud", .word = "auto", .most = "never", .label = "Probe of the tail"),
    CHOICE("dcqcn.set", dcqcn.set, dcqcn_sets, DCQCN_HPCC, "Times of DCQCN that are not given. hpcc: those of HPCC's public run script (timer 300us, alpha_timer 1us, cut_interval 4us). paper: those that it calls the paper's (55us, 50us, 50us).", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .label = "DCQCN times"),
    RATE("dcqcn.additive", dcqcn.additive, 1000, 1000 * 1000 * MBPS, 0, "DCQCN's additive step of the target rate; auto: 5Mbps for each 25Gbps of the line.", .counts = "bits of packets", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .word = "auto", .label = "DCQCN additive step"),
    RATE("dcqcn.hyper", dcqcn.hyper, 1000, 1000 * 1000 * MBPS, 0, "DCQCN's step after the additive one; auto: 50Mbps for each 25Gbps of the line.", .counts = "bits of packets", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .word = "auto", .label = "DCQCN hyper step"),
    RATE("dcqcn.least", dcqcn.least, MBPS, 1000 * 1000 * MBPS, 1000 * MBPS, "DCQCN's least rate.", .counts = "bits of packets", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .label = "DCQCN least rate"),
    TIME("dcqcn.timer", dcqcn.timer, US, S, 0, "DCQCN raises its rate each time that so long has passed since the last cut; auto: as llp.dcqcn.set says.", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .word = "auto", .label = "DCQCN timer"),
    TIME("dcqcn.alpha_timer", dcqcn.alpha_timer, US / 10, S, 0, "DCQCN's alpha moves once in each such interval, towards 1 if a mark was told, else towards 0; auto: as llp.dcqcn.set says.", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .word = "auto", .label = "DCQCN alpha timer"),
    TIME("dcqcn.cut_interval", dcqcn.cut_interval, US / 10, S, 0, "DCQCN cuts its rate at most once in each such interval; auto: as llp.dcqcn.set says.", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .word = "auto", .label = "DCQCN cut interval"),
    COUNT("dcqcn.fast_steps", dcqcn.fast_steps, 0, 100, 1, "DCQCN's steps after a cut that leave the target (F).", .counts = "steps", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .label = "DCQCN fast steps"),
    COUNT("dcqcn.gain", dcqcn.gain, 2, 65536, 256, "DCQCN's alpha moves by its distance divided by this (1 / g).", .acts = "sender", .with = "llp.congestion", .is = "dcqcn", .label = "DCQCN gain"),
    SWITCH("dcqcn.clamp", dcqcn.clamp, false, "Every cut makes the rate before it DCQCN's target; false: not one before which the rate had not risen since the last.", .acts = "sender", .with = "llp.congestion", .is = "dcqcn"),
    COUNT("initial_window", initial_window, 1, 16384, 10, "Initial congestion window.", .counts = "segments per connection", .acts = "sender", .with = "llp.kind", .is = "mpa", .label = "Initial window (segments)"),
    TIME("min_rto", min_rto, US, 60 * S, 0, "Shortest retransmission timeout; auto: 1ms, and 320us, its own, for irn, which waits 5/16 of it, 100us, while at most 3 packets are under way.", .acts = "sender", .word = "auto", .label = "Shortest retransmission timeout"),
    TIME("max_rto", max_rto, US, 60 * S, 0, "Longest retransmission timeout, after any number of doublings; auto: 100 x llp.min_rto, at least llp.initial_rto and twice a round trip through full queues.", .acts = "sender", .with = "llp.kind", .is = "mpa sctp packet", .word = "auto", .label = "Longest retransmission timeout"),
    COUNT("delayed_ack", delayed_ack, 1, 64, 2, "In-order segments (SCTP: data packets) per acknowledgement; rud acknowledges each packet.", .counts = "segments", .acts = "receiver", .with = "llp.kind", .is = "mpa sctp ideal", .also = "llp.recovery", .also_is = "go_back_n irn"),
    TIME("delayed_ack_timeout", delayed_ack_timeout, US, S, 50 * US, "Longest delay of an acknowledgement.", .acts = "receiver", .with = "llp.kind", .is = "mpa sctp ideal", .also = "llp.recovery", .also_is = "go_back_n irn"),
    COUNT("dupack_threshold", dupack_threshold, 1, 100000, 3, "Duplicate acknowledgements after which a segment counts as lost; a number alone selects loss_detection: dupack, adaptive selects rack.", .counts = "acknowledgements", .acts = "sender", .with = "llp.loss_detection", .is = "dupack", .word = "adaptive", .label = "Duplicate ACK threshold"),
    CHOICE("loss_detection", detection, detections, DETECTION_rack, "How TCP finds a loss: rack waits for a fraction of the round trip (RFC 8985); dupack counts duplicate acknowledgements (RFC 6675).", .acts = "sender", .with = "llp.kind", .is = "mpa", .label = "Loss detection"),
    CHOICE("ecn", ecn, ecns, ECN_AUTO, "Explicit Congestion Notification (RFC 3168); auto: only with dctcp.", .acts = "both ends", .with = "llp.kind", .is = "mpa"),
    TIME("initial_rto", initial_rto, 10 * US, 60 * S, 10 * MS, "Retransmission timeout, including that of the SYN, until a round trip has been measured.", .acts = "both ends", .with = "llp.kind", .is = "mpa"),
    SWITCH("timestamps", timestamps, false, "TCP timestamps (RFC 7323), 12 octets in every packet.", .acts = "both ends", .with = "llp.kind", .is = "mpa"),
    SWITCH("pacing", pacing, false, "Spread the packets of a window over the round trip.", .acts = "sender", .with = "llp.kind", .is = "mpa"),
    SWITCH("idle_restart", idle_restart, false, "Restart from the initial congestion window after one idle retransmission timeout (RFC 5681 4.1).", .acts = "sender", .with = "llp.kind", .is = "mpa"),
    TIME("msl", msl, US, 120 * S, MS, "Maximum segment lifetime; TIME-WAIT lasts two of them.", .acts = "both ends", .with = "llp.kind", .is = "mpa"),
    OCTETS("send_buffer", send_buffer, 16 * KIB, GIB, 0, "Room for octets not yet acknowledged; auto: enough that it never limits (workload transport_classes: 4 MiB).", .counts = "octets per connection", .acts = "sender", .word = "auto", .label = "Send buffer"),
    COUNT("ord", ord, 0, 16383, 16, "RDMA Reads that a host may have outstanding (ORD).", .counts = "Reads per connection", .acts = "requester", .label = "Reads outstanding (ORD)"),
    COUNT("ird", ird, 0, 16383, 16, "Outstanding RDMA Reads that a host accepts (IRD).", .counts = "Reads per connection", .acts = "responder", .label = "Inbound reads (IRD)"),
    COUNT("streams", streams, 1, 4096, 1, "DDP streams per SCTP association: this many connections of a pair of hosts share one.", .counts = "streams per association", .with = "llp.kind", .is = "sctp", .label = "Streams"),
};

/* clang-format on */
const struct parameter_table llp_parameters = TABLE("llp", NULL, rows);

/* github.com/alibaba-edu/High-Precision-Congestion-Control, simulation/run.py: dcqcn and dcqcn_paper. */
static const struct {
    uint64_t timer, alpha_timer, cut_interval;
} dcqcn_times[] = {[DCQCN_HPCC] = {300 * US, US, 4 * US}, [DCQCN_PAPER] = {55 * US, 50 * US, 50 * US}};
_Static_assert(sizeof dcqcn_times / sizeof *dcqcn_times == DCQCN_SETS, "each set has its times");

static uint64_t given_or(uint64_t given, uint64_t otherwise)
{
    return given ? given : otherwise;
}

const struct packet_congestion *llp_packet_congestion(const struct llp_keys *k)
{
    bool of_packets = k->congestion >= CONGESTION_dcqcn;
    return of_packets ? packet_congestions[k->congestion - CONGESTION_dcqcn] : NULL;
}

struct packet_span llp_span(const struct llp_keys *k, iw_time rtt, uint64_t line, bool trims)
{
    rtt = given_or(k->rtt, rtt);
    return (struct packet_span){
        .rtt = rtt, .target = given_or(k->target_delay, trims ? rtt * 3 / 4 : rtt), .line = line};
}

iw_time llp_probe(const struct llp_keys *k, iw_time rtt)
{
    const struct packet_congestion *c = llp_packet_congestion(k);
    bool asked = k->paths > 1 || (c && c->answered_each);
    iw_time probe = given_or(k->probe, asked ? 2 * given_or(k->rtt, rtt) : 0);
    return probe == LLP_PROBE_NEVER ? 0 : probe;
}

struct packet_dcqcn_conf llp_dcqcn_of(const struct llp_keys *k, uint64_t line)
{
    enum { ADDITIVE = 5, HYPER = 50, PER = 25000 };
    const struct llp_dcqcn_keys *d = &k->dcqcn;
    return (struct packet_dcqcn_conf){
        .clamp = d->clamp,
        .line = line,
        .least = d->least,
        .additive = given_or(d->additive, line * ADDITIVE / PER),
        .hyper = given_or(d->hyper, line * HYPER / PER),
        .timer = given_or(d->timer, dcqcn_times[d->set].timer),
        .alpha_timer = given_or(d->alpha_timer, dcqcn_times[d->set].alpha_timer),
        .cut_interval = given_or(d->cut_interval, dcqcn_times[d->set].cut_interval),
        .fast_steps = d->fast_steps,
        .gain = d->gain};
}

struct llp_marks llp_dcqcn_marks(uint64_t line)
{
    enum { KMIN = 100000, KMAX = 400000 };
    const double per = 25e9;
    return (struct llp_marks){(uint64_t)((double)line / per * KMIN), (uint64_t)((double)line / per * KMAX),
                              0.2};
}

uint64_t llp_min_rto(const struct llp_keys *k)
{
    const uint64_t irn = PACKET_RTO_HIGH * US;
    return given_or(k->min_rto, k->kind == LLP_PACKET && k->recovery == PACKET_IRN ? irn : MS);
}

uint64_t llp_few_rto(const struct llp_keys *k)
{
    bool irn = k->kind == LLP_PACKET && k->recovery == PACKET_IRN;
    return irn ? llp_min_rto(k) * PACKET_RTO_LOW / PACKET_RTO_HIGH : llp_min_rto(k);
}

bool llp_deals(const struct llp_keys *k)
{
    return k->kind == LLP_PACKET && k->recovery != PACKET_GO_BACK_N;
}

uint32_t llp_flight(const struct llp_keys *k, uint32_t path)
{
    const struct packet_congestion *c = llp_packet_congestion(k);
    uint32_t apart =
        c && c->answered_each ? 2 : 1; /* a window has its own limit, and that is larger than the path */
    return (uint32_t)given_or(k->flight, k->recovery == PACKET_GO_BACK_N ? PACKET_RANGE_MAX : apart * path);
}

uint32_t llp_track(const struct llp_keys *k, uint32_t path)
{
    uint32_t bits = 2 * llp_flight(k, path); /* a second round trip, until what was lost has come */
    return (uint32_t)given_or(k->track, bits < TRACK_MAX ? bits : TRACK_MAX);
}

static llp_sizing *sizing_of(enum llp_kind kind)
{
    switch (kind) { /* one that has none does not compile */
    case LLP_MPA: return llp_tcp_sizes;
    case LLP_SCTP: return llp_sctp_sizes;
    case LLP_IDEAL: return llp_ideal_sizes;
    case LLP_PACKET: return llp_packet_sizes;
    case LLPS: break;
    }
    return NULL;
}

struct llp_sizes llp_sizes_of(const struct llp_keys *k, uint32_t mtu)
{
    struct llp_form form = {
        .mtu = mtu, .markers = k->markers, .timestamps = k->timestamps, .recovery = k->recovery};
    struct llp_sizes sizes;
    sizing_of(k->kind)(&form, &sizes);
    return sizes;
}
