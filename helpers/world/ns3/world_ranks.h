/* SPDX-License-Identifier: GPL-2.0-or-later */
/* world_ranks.h -- a simulation in several processes, by ns-3's distributed simulator.
 *
 *     rank 0: trial, workload, hosts of its pods     rank 1: trial, workload, hosts of its pods     ...
 *             |  what its hosts told  <---------------->  what its hosts told  |
 *             |  packets over links that are cut  <---->  (ns-3)               |
 *
 * Every rank hears everything, in the order of one process, and so every trial and every workload does the same; what a
 * workload does to a host is done where that host is. A round: ranks exchange what was told, hear what lies behind all of
 * them, and go on; not beyond the first event of all by the shortest delay of a link that is cut, and
 *
 *     a rank that has told what the workload may act upon stops there until that was heard;
 *     a rank at which others may make the workload act at once, or of which the workload waits for nothing any more
 *     (the run may end, or start, at any event elsewhere), follows behind the others.
 *
 * So nothing comes too late, and at the end no rank is beyond it. */
#ifndef HELPERS_WORLD_NS3_WORLD_RANKS_H
#define HELPERS_WORLD_NS3_WORLD_RANKS_H

#include "helpers/world/hosts.h"

#include "ns3/iwarp-scheduler.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

class WorldRanks
{
  public:
    typedef ns3::IwarpScheduler::Key Key;

    /// Before anything of ns-3 is used: this process is one of those that mpirun started.
    static void Join(int *argc, char ***argv);
    static void Leave();
    static bool HasJoined();
    static uint32_t GetRank();
    static uint32_t GetCount();

    /// `lookahead`: the shortest delay of a link that is cut, not 0.
    WorldRanks(trial *t, uint64_t lookahead);
    void SetHosts(hosts *h);

    // What hosts ask for.
    uint64_t GetNow() const;
    void Wake(uint64_t at);
    void Halt(uint32_t host);
    hosts_key GetKey() const;
    /// The workload did something at a host that is here; false: too late, nothing counts.
    bool MayAct();

    /// `kick`: the port of a host that is here is asked again. False: the run was void, or rank 0 ended it.
    bool Run(const std::function<void(uint32_t host)> &kick,
             const std::function<bool(uint32_t host)> &isHere);
    /// Wakes of the workload until the end: events that one process has and ranks have not.
    uint64_t GetWakes() const;
    /// Every rank counted what it alone sees, since trial_begin_share(): rank 0 has the sum.
    void ShareCounts() const;
    /// For the bench: what this rank took, where OMPI_IWARPSIM_COST says.
    void WriteCost(uint64_t crossed) const;
    /// All ranks go on together, at most until `end`, while one of them says so. True: one still does.
    bool GoOnWhile(const std::function<bool()> &wanted, uint64_t end);

  private:
    struct Header {
        Key next, current;
        uint64_t ready, octets;
        bool waits, follows, parted, stops, wants;
    };
    void Exchange(bool wants);
    void TellOthers(const void *octets);
    bool HearUntil(const Key &end);
    void Judge(const Key &key);
    Key FirstOfAll() const;
    void RunTo(const Key &end);
    void Round();
    Key EndOfRound() const;
    bool Any(bool Header::*what) const;
    bool IsBeyond(const Key &key) const;

    trial *m_trial;
    hosts *m_hosts{nullptr};
    uint64_t m_lookahead;
    std::function<void(uint32_t)> m_kick;
    std::function<bool(uint32_t)> m_isHere;
    std::vector<Header> m_all; //!< by rank
    std::vector<uint8_t> m_told;
    std::vector<int> m_sizes, m_places;
    Key m_now{0, 0, 0}, m_wake{ns3::IwarpScheduler::NEVER};
    bool m_over{false}, m_stops{false}, m_parted{false};
    std::vector<uint64_t> m_wakes; //!< those not behind the last event
    uint64_t m_wakesPast{0}, m_rounds{0}, m_octets{0};
};

#endif
