/* SPDX-License-Identifier: GPL-2.0-or-later */
/* laws.h -- what holds for every seed on a link that loses, reorders, duplicates and alters. */
#ifndef VALIDATION_NS3_LAWS_H
#define VALIDATION_NS3_LAWS_H

#include <string>

namespace ns3
{

enum CrcMode { CRC_DROP, CRC_TERMINATE };

/// Seeds 1, 2, ...: 250 of them, with IWARPSIM_NIGHTLY set 10,000; with IWARPSIM_SEED=N that one alone. What is wrong
/// and how to see it again; "" is nothing.
std::string LawsHold(CrcMode mode);

} // namespace ns3

#endif
