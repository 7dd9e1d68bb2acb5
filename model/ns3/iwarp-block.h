/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-block.h -- the memory that a C structure of the model lives in. */
#ifndef IWARP_BLOCK_H
#define IWARP_BLOCK_H

#include <cstddef>
#include <memory>
#include <new>

namespace ns3
{

/// A block as operator new gives it: what is not used of it is never touched, and costs no memory.
class IwarpBlock
{
  public:
    /// New octets, not zeroed; the old ones are gone. Without memory: std::bad_alloc.
    void *Allocate(size_t octets)
    {
        m_memory.reset(::operator new(octets));
        return m_memory.get();
    }

  private:
    struct Delete {
        void operator()(void *memory) const
        {
            ::operator delete(memory);
        }
    };
    std::unique_ptr<void, Delete> m_memory;
};

} // namespace ns3

#endif
