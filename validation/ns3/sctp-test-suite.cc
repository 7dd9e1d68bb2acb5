/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sctp-test-suite.cc -- DDP streams over SCTP on ns-3: the laws. */
#include "sctp-laws.h"

#include "ns3/core-module.h"
#include "ns3/test.h"

#include <functional>

using namespace ns3;

namespace
{

/// A test case that is one function.
class Case : public TestCase
{
  public:
    typedef std::function<std::string()> Body; //!< what is wrong; "" is nothing

    Case(const std::string &name, Body body) : TestCase(name), m_body(std::move(body)) {}

  private:
    void DoRun() override
    {
        const std::string wrong = m_body();
        NS_TEST_ASSERT_MSG_EQ(wrong, "", GetName());
    }

    Body m_body;
};

class IwarpSctpTestSuite : public TestSuite
{
  public:
    IwarpSctpTestSuite() : TestSuite("iwarp-sctp", UNIT)
    {
        Add("laws, many seeds", SctpLawsHold);
    }

  private:
    /// In ns-3's own test-runner nobody else does this.
    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS)
            Time::SetResolution(Time::PS);
    }

    void Add(const std::string &name, Case::Body body)
    {
        AddTestCase(new Case(name, std::move(body)), TestCase::QUICK);
    }
};

IwarpSctpTestSuite g_iwarpSctpTestSuite; //!< registers itself

} // namespace
