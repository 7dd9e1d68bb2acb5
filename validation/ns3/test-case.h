/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test-case.h -- a test case that is one function, which says what is wrong, and suites of them. */
#ifndef IWARP_TEST_CASE_H
#define IWARP_TEST_CASE_H

#include "ns3/nstime.h"
#include "ns3/test.h"

#include <functional>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

namespace ns3
{

/// TestCase::Duration since 3.42, TestCase::TestDuration before, which is gone in 3.46.
template <typename Test, typename = void> struct IwarpDuration {
    using type = typename Test::TestDuration;
};

template <typename Test> struct IwarpDuration<Test, std::void_t<typename Test::Duration>> {
    using type = typename Test::Duration;
};

using Duration = IwarpDuration<TestCase>::type;

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

/// A suite of such cases.
class Suite : public TestSuite
{
  protected:
    Suite(const std::string &name) : TestSuite(name, TestSuite::Type::UNIT) {}

    void Add(const std::string &name, Case::Body body)
    {
        AddTestCase(new Case(name, std::move(body)), Duration::QUICK);
    }

  private:
    /// In ns-3's own test-runner nobody else does this.
    void DoSetup() override
    {
        if (Time::GetResolution() != Time::PS)
            Time::SetResolution(Time::PS);
    }
};

inline std::string Wrong(bool good, const std::string &what)
{
    return good ? "" : what;
}

/// The first that is wrong.
inline std::string First(std::initializer_list<std::string> all)
{
    for (const std::string &wrong : all)
        if (!wrong.empty())
            return wrong;
    return "";
}

} // namespace ns3

#endif
