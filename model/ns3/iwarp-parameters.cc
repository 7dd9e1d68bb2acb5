/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-parameters.h"

#include "ns3/attribute.h"
#include "ns3/string.h"

#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

namespace ns3
{

namespace
{

struct Unit {
    const char *name;
    double factor;
};

// The first is the base unit, the one for output.
const std::vector<Unit> &Units(rnic_unit unit)
{
    static const std::vector<Unit> octets = {
        {"B", 1},    {"KiB", 1024.}, {"MiB", 1048576.}, {"GiB", 1073741824.},
        {"kB", 1e3}, {"MB", 1e6},    {"GB", 1e9}};
    static const std::vector<Unit> times = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    static const std::vector<Unit> rates = {{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}};
    static const std::vector<Unit> plain = {{"", 1}}, thousandths = {{"", 1000}};
    switch (unit) {
    case RNIC_OCTETS: return octets;
    case RNIC_TIME: return times;
    case RNIC_RATE: return rates;
    case RNIC_THOUSANDTHS: return thousandths;
    default: return plain;
    }
}

bool ParseWord(const rnic_parameter &parameter, const std::string &text, uint64_t *value)
{
    if (parameter.unlimited && text == "unlimited") {
        *value = RNIC_UNLIMITED;
        return true;
    }
    for (uint64_t i = 0; parameter.words && parameter.words[i]; i++) {
        if (text != parameter.words[i])
            continue;
        *value = i;
        return true;
    }
    return false;
}

bool ParseNumber(const rnic_parameter &parameter, const std::string &text, uint64_t *value)
{
    std::istringstream in(text);
    double number;
    std::string name;
    if (!(in >> number) || number < 0)
        return false;
    in >> name;
    if (name.empty() && number == 0)
        name = Units(parameter.unit).front().name;
    for (const Unit &unit : Units(parameter.unit)) {
        if (name != unit.name)
            continue;
        *value = static_cast<uint64_t>(std::llround(number * unit.factor));
        return *value >= parameter.min && *value <= parameter.max;
    }
    return false;
}

/// One row of the table as an attribute.
class ParameterAccessor : public AttributeAccessor
{
  public:
    ParameterAccessor(const rnic_parameter &parameter, rnic_conf &(*conf)(ObjectBase *))
        : m_parameter(parameter), m_conf(conf)
    {
    }

    bool Set(ObjectBase *object, const AttributeValue &value) const override
    {
        const auto *text = dynamic_cast<const StringValue *>(&value);
        uint64_t number = 0;
        if (!text)
            return false;
        if (text->Get().empty())
            return true;
        if (!ParseRnicParameter(m_parameter, text->Get(), &number))
            return false;
        rnic_set(&m_conf(object), &m_parameter, number);
        return true;
    }

    bool Get(const ObjectBase *object, AttributeValue &value) const override
    {
        auto *text = dynamic_cast<StringValue *>(&value);
        if (!text)
            return false;
        const rnic_conf &conf = m_conf(const_cast<ObjectBase *>(object));
        text->Set(FormatRnicParameter(m_parameter, rnic_get(&conf, &m_parameter)));
        return true;
    }

    bool HasGetter() const override
    {
        return true;
    }

    bool HasSetter() const override
    {
        return true;
    }

  private:
    const rnic_parameter &m_parameter;
    rnic_conf &(*m_conf)(ObjectBase *);
};

} // namespace

std::string FormatRnicParameter(const rnic_parameter &parameter, uint64_t value)
{
    std::ostringstream out;
    if (parameter.unlimited && value == RNIC_UNLIMITED)
        return "unlimited";
    if (parameter.unit == RNIC_CHOICE)
        return parameter.words[value];
    const Unit &unit = Units(parameter.unit).front();
    if (unit.factor == 1)
        out << value;
    else
        out << static_cast<double>(value) / unit.factor;
    return out.str() + unit.name;
}

bool ParseRnicParameter(const rnic_parameter &parameter, const std::string &text, uint64_t *value)
{
    return ParseWord(parameter, text, value) ||
           (parameter.unit != RNIC_CHOICE && ParseNumber(parameter, text, value));
}

TypeId AddRnicParameters(TypeId tid, rnic_conf &(*conf)(ObjectBase *object))
{
    for (unsigned i = 0; i < rnic_parameters_count; i++) {
        const rnic_parameter &p = rnic_parameters[i];
        tid.AddAttribute(std::string("rnic.") + p.name, p.what, StringValue(""),
                         Create<ParameterAccessor>(p, conf), MakeStringChecker());
    }
    return tid;
}

} // namespace ns3
