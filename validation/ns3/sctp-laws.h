/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp-laws.h -- what holds for every seed when DDP streams share an SCTP association on a bad link. */
#ifndef VALIDATION_NS3_SCTP_LAWS_H
#define VALIDATION_NS3_SCTP_LAWS_H

#include <string>

namespace ns3
{

/// Seeds 1, 2, ...: 300 of them, with IWARPSIM_NIGHTLY set 10,000; with IWARPSIM_SEED=N that one alone, with
/// IWARPSIM_SEED=N-M those. What is wrong and how to see it again; "" is nothing.
std::string SctpLawsHold();

} // namespace ns3

#endif
