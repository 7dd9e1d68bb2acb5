/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-block.h -- the memory that a C structure of the model lives in. */
#ifndef IWARP_BLOCK_H
#define IWARP_BLOCK_H

#include "ns3/fatal-error.h"

#include <cstdlib>
#include <memory>

namespace ns3
{

/// A block from malloc: what is not used of it is never touched, and costs no memory.
class IwarpBlock
{
  public:
    /// New octets, not zeroed; the old ones are gone.
    void *Allocate(size_t octets)
    {
        m_memory.reset(std::malloc(octets));
        if (!m_memory)
            NS_FATAL_ERROR("out of memory, or a configuration that was refused");
        return m_memory.get();
    }

  private:
    std::unique_ptr<void, void (*)(void *)> m_memory{nullptr, &std::free};
};

/// Ask the processor for the lines of `octets` from `at` on; nothing waits for them.
inline void IwarpPrefetch(const void *at, size_t octets)
{
    constexpr size_t LINE = 64;
    for (size_t i = 0; i < octets; i += LINE)
        __builtin_prefetch(static_cast<const char *>(at) + i);
}

} // namespace ns3

#endif
