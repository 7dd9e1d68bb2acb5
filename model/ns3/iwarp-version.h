/* SPDX-License-Identifier: GPL-2.0-or-later */
/* iwarp-version.h -- which ns-3 this program runs on, and what differs between those it can be built against: 3.36 to
 * 3.48. wscript looks for the C++ standard that the headers need. */
#ifndef IWARP_VERSION_H
#define IWARP_VERSION_H

#include "ns3/attribute.h"
#include "ns3/enum.h"
#include "ns3/ipv4-routing-protocol.h"

#include <string>
#include <type_traits>
#include <utility>

namespace ns3
{

/// "ns-3 3.37, logging compiled in": from the name of the library that is loaded. Logging makes it slower.
std::string IwarpNs3Version();

/// The callbacks of Ipv4RoutingProtocol::RouteInput(): by value (3.37) or by reference (3.43).
template <typename Function> struct IwarpRouteInput;

template <typename Unicast, typename Multicast, typename Local, typename Error>
struct IwarpRouteInput<bool (Ipv4RoutingProtocol::*)(
    Ptr<const Packet>, const Ipv4Header &, Ptr<const NetDevice>, Unicast, Multicast, Local, Error)> {
    using UnicastForward = Unicast;
    using MulticastForward = Multicast;
    using LocalDeliver = Local;
    using Failed = Error;
};

using IwarpRouteCallbacks = IwarpRouteInput<decltype(&Ipv4RoutingProtocol::RouteInput)>;

/// Whether MakeEnumAccessor() wants to be told the type of the enumeration (3.43 does).
template <typename Enum, typename Member, typename = void> struct IwarpEnumIsNamed : std::false_type {
};

template <typename Enum, typename Member>
struct IwarpEnumIsNamed<Enum, Member, std::void_t<decltype(MakeEnumAccessor<Enum>(std::declval<Member>()))>>
    : std::true_type {
};

template <typename Enum, typename Class>
Ptr<const AttributeAccessor> IwarpMakeEnumAccessor(Enum Class::*member)
{
    if constexpr (IwarpEnumIsNamed<Enum, Enum Class::*>::value)
        return MakeEnumAccessor<Enum>(member);
    else
        return MakeEnumAccessor(member);
}

} // namespace ns3

#endif
