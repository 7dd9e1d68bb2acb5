/* SPDX-License-Identifier: GPL-2.0-or-later */
/* flow_monitor.cc -- linked into the program of world ns3 with `--wrap` of Simulator::Run(): ns-3's FlowMonitor listens on every host of
 * the run that is under way. What it saw is added to the file FLOWS_SEEN, which the compiler is told, a line for each flow: addresses, ports, packets and
 * octets sent, packets and octets that came. */
#include "ns3/core-module.h"
#include "ns3/flow-monitor-module.h"
#include "ns3/iwarp-port.h"
#include "ns3/network-module.h"

#include <fstream>

using namespace ns3;

extern "C" void __real__ZN3ns39Simulator3RunEv();

namespace
{

FlowMonitorHelper *g_helper; //!< of the network that is there

void Write(std::ostream &out)
{
    Ptr<Ipv4FlowClassifier> classifier = DynamicCast<Ipv4FlowClassifier>(g_helper->GetClassifier());
    for (const auto &[id, flow] : g_helper->GetMonitor()->GetFlowStats()) {
        const Ipv4FlowClassifier::FiveTuple of = classifier->FindFlow(id);
        out << of.sourceAddress << " " << of.destinationAddress << " " << of.sourcePort << " "
            << of.destinationPort << " " << flow.txPackets << " " << flow.txBytes << " " << flow.rxPackets
            << " " << flow.rxBytes << "\n";
    }
}

void Finish()
{
    std::ofstream out(FLOWS_SEEN, std::ios::app);
    Write(out);
    delete g_helper;
    g_helper = nullptr;
}

void Watch()
{
    g_helper = new FlowMonitorHelper;
    for (auto node = NodeList::Begin(); node != NodeList::End(); ++node) {
        Ptr<IwarpPort> port = (*node)->GetObject<IwarpPort>();
        if (!port)
            continue; // a switch
        port->SetTraced(true);
        g_helper->Install(*node);
    }
    Simulator::ScheduleDestroy(&Finish);
}

} // namespace

extern "C" void __wrap__ZN3ns39Simulator3RunEv()
{
    if (!g_helper)
        Watch();
    __real__ZN3ns39Simulator3RunEv();
}
