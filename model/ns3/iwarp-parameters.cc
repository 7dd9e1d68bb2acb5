/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "iwarp-parameters.h"

#include "ns3/attribute.h"
#include "ns3/boolean.h"
#include "ns3/data-rate.h"
#include "ns3/double.h"
#include "ns3/nstime.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cmath>
#include <iomanip>
#include <limits>
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
const std::vector<Unit> &Units(value_type type)
{
    static const std::vector<Unit> octets = {
        {"B", 1},    {"KiB", 1024.}, {"MiB", 1048576.}, {"GiB", 1073741824.},
        {"kB", 1e3}, {"MB", 1e6},    {"GB", 1e9}};
    static const std::vector<Unit> times = {{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}};
    static const std::vector<Unit> rates = {{"bps", 1}, {"Kbps", 1e3}, {"Mbps", 1e6}, {"Gbps", 1e9}};
    static const std::vector<Unit> plain = {{"", 1}}, thousandths = {{"", 1000}};
    switch (type) {
    case VALUE_OCTETS: return octets;
    case VALUE_TIME: return times;
    case VALUE_RATE: return rates;
    case VALUE_RATIO: return thousandths;
    default: return plain;
    }
}

// Octets may leave their unit out where ns-3 has a plain number.
bool ParseNumber(const parameter &p, const std::string &text, uint64_t *value)
{
    std::istringstream in(text);
    double number;
    std::string name;
    if (!(in >> number) || number < 0)
        return false;
    in >> name;
    if (name.empty() && (number == 0 || p.type == VALUE_OCTETS))
        name = Units(p.type).front().name;
    for (const Unit &unit : Units(p.type)) {
        if (name != unit.name)
            continue;
        const double whole = std::round(number * unit.factor);
        *value = static_cast<uint64_t>(whole < 0x1p63 ? whole : 0x1p63);
        return std::abs(number * unit.factor - whole) <= 1e-9 * whole && *value >= p.min && *value <= p.max;
    }
    return false;
}

double &Real(void *structure, const parameter &p)
{
    return *reinterpret_cast<double *>(static_cast<char *>(structure) + p.offset);
}

bool ParseReal(const parameter &p, const std::string &text, void *structure)
{
    std::istringstream in(text);
    double number;
    if (!(in >> number) || !in.eof() || !(number * 1000 >= static_cast<double>(p.min)) ||
        !(number * 1000 <= static_cast<double>(p.max)))
        return false;
    Real(structure, p) = number;
    return true;
}

std::string FormatReal(double number)
{
    std::ostringstream out;
    out << std::setprecision(std::numeric_limits<double>::max_digits10) << number;
    return out.str();
}

// A word of a choice, and the size behind it where it takes one.
bool ParseChoice(const parameter &p, const std::string &text, uint64_t *value, uint64_t *argument)
{
    parameter size{};
    size.type = VALUE_OCTETS;
    size.min = 1;
    size.max = UINT64_MAX;
    for (uint64_t i = 0; i < p.words_end; i++) {
        const std::string word = p.words[i] ? p.words[i] : "";
        *value = i;
        if (word.empty() || text.compare(0, word.size(), word))
            continue;
        if (word.back() == ':')
            return ParseNumber(size, text.substr(word.size()), argument);
        if (text == word)
            return true;
    }
    return false;
}

std::string FormatNumber(const parameter &p, uint64_t value)
{
    std::ostringstream out;
    const Unit &unit = Units(p.type).front();
    if (unit.factor == 1)
        out << value;
    else
        out << static_cast<double>(value) / unit.factor;
    return out.str() + unit.name;
}

uint64_t &Argument(void *structure, const parameter &p)
{
    return *reinterpret_cast<uint64_t *>(static_cast<char *>(structure) + p.argument);
}

// What ns-3 has for such a value, as the text of a scenario; false: another kind.
bool TextOf(const parameter &p, const AttributeValue &value, std::string *text)
{
    if (const auto *string = dynamic_cast<const StringValue *>(&value))
        *text = string->Get();
    else if (const auto *time = dynamic_cast<const TimeValue *>(&value); time && p.type == VALUE_TIME)
        *text = std::to_string(time->Get().GetPicoSeconds()) + "ps";
    else if (const auto *rate = dynamic_cast<const DataRateValue *>(&value); rate && p.type == VALUE_RATE)
        *text = std::to_string(rate->Get().GetBitRate()) + "bps";
    else if (const auto *real = dynamic_cast<const DoubleValue *>(&value); real && p.type == VALUE_REAL)
        *text = FormatReal(real->Get());
    else if (const auto *boolean = dynamic_cast<const BooleanValue *>(&value);
             boolean && p.type == VALUE_BOOL)
        *text = boolean->Get() ? "true" : "false";
    else if (const auto *whole = dynamic_cast<const UintegerValue *>(&value);
             whole && (p.type == VALUE_COUNT || p.type == VALUE_OCTETS))
        *text = std::to_string(whole->Get());
    else
        return false;
    return true;
}

/// Octets of a structure that has the parameter and its argument.
std::size_t RoomOf(const parameter &p)
{
    return p.offset + p.size + p.argument + sizeof(uint64_t);
}

/// One row of a table as an attribute.
class ParameterAccessor : public AttributeAccessor
{
  public:
    ParameterAccessor(const parameter &p, void *(*structure)(ObjectBase *))
        : m_parameter(p), m_structure(structure)
    {
    }

    bool Set(ObjectBase *object, const AttributeValue &value) const override
    {
        std::string text;
        return TextOf(m_parameter, value, &text) &&
               (text.empty() || ParseParameter(m_parameter, text, m_structure(object)));
    }

    bool Get(const ObjectBase *object, AttributeValue &value) const override
    {
        void *structure = m_structure(const_cast<ObjectBase *>(object));
        const uint64_t held = parameter_get(structure, &m_parameter);
        if (auto *text = dynamic_cast<StringValue *>(&value))
            text->Set(FormatParameter(m_parameter, structure));
        else if (auto *time = dynamic_cast<TimeValue *>(&value); time && m_parameter.type == VALUE_TIME)
            time->Set(PicoSeconds(held));
        else if (auto *rate = dynamic_cast<DataRateValue *>(&value); rate && m_parameter.type == VALUE_RATE)
            rate->Set(DataRate(held));
        else if (auto *real = dynamic_cast<DoubleValue *>(&value); real && m_parameter.type == VALUE_REAL)
            real->Set(Real(structure, m_parameter));
        else if (auto *boolean = dynamic_cast<BooleanValue *>(&value);
                 boolean && m_parameter.type == VALUE_BOOL)
            boolean->Set(held != 0);
        else if (auto *whole = dynamic_cast<UintegerValue *>(&value);
                 whole && (m_parameter.type == VALUE_COUNT || m_parameter.type == VALUE_OCTETS))
            whole->Set(held);
        else
            return false;
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
    const parameter &m_parameter;
    void *(*m_structure)(ObjectBase *);
};

/// Takes the text of a scenario, and ns-3's own value of the same kind.
class ParameterChecker : public AttributeChecker
{
  public:
    explicit ParameterChecker(const parameter &p) : m_parameter(p) {}

    bool Check(const AttributeValue &value) const override
    {
        std::string text;
        return TextOf(m_parameter, value, &text) && (text.empty() || IsValid(text));
    }

    std::string GetValueTypeName() const override
    {
        return "ns3::StringValue";
    }

    bool HasUnderlyingTypeInformation() const override
    {
        return true;
    }

    std::string GetUnderlyingTypeInformation() const override
    {
        const parameter &p = m_parameter;
        std::string words = p.type == VALUE_BOOL ? "true|false" : "";
        for (size_t i = 0; i < p.words_end; i++)
            if (p.words[i])
                words += (words.empty() ? "" : "|") + std::string(p.words[i]);
        if (words.empty())
            words = p.type == VALUE_REAL ? FormatReal(static_cast<double>(p.min) / 1000) + ":" +
                                               FormatReal(static_cast<double>(p.max) / 1000)
                                         : FormatNumber(p, p.min) + ":" + FormatNumber(p, p.max);
        words += p.word ? std::string("|") + p.word : "";
        return p.most ? words + "|" + p.most : words;
    }

    Ptr<AttributeValue> Create() const override
    {
        return ns3::Create<StringValue>();
    }

    bool Copy(const AttributeValue &from, AttributeValue &to) const override
    {
        std::string text;
        auto *string = dynamic_cast<StringValue *>(&to);
        if (!string || !TextOf(m_parameter, from, &text))
            return false;
        string->Set(text);
        return true;
    }

  private:
    // A wrong default must end the program when it is given: an object that is made passes over it without a word.
    bool IsValid(const std::string &text) const
    {
        std::vector<char> structure(RoomOf(m_parameter));
        return ParseParameter(m_parameter, text, structure.data());
    }

    const parameter &m_parameter;
};

} // namespace

std::string FormatParameter(const parameter &p, const void *structure)
{
    const uint64_t value = parameter_get(structure, &p);
    if (p.word && value == p.means)
        return p.word;
    if (p.most && value == p.max)
        return p.most;
    if (p.type == VALUE_REAL)
        return FormatReal(Real(const_cast<void *>(structure), p));
    if (p.type == VALUE_BOOL)
        return value ? "true" : "false";
    if (p.type != VALUE_CHOICE)
        return FormatNumber(p, value);
    const std::string word = p.words[value];
    return word.back() == ':' ? word + std::to_string(Argument(const_cast<void *>(structure), p)) + "B"
                              : word;
}

bool ParseParameter(const parameter &p, const std::string &text, void *structure)
{
    if (p.type == VALUE_REAL)
        return ParseReal(p, text, structure);
    const bool most = p.most && text == p.most;
    uint64_t value = most ? p.max : p.means, argument = 0;
    bool taken = most || (p.word && text == p.word);
    if (!taken && p.type == VALUE_BOOL) {
        value = text == "true" || text == "1";
        taken = value || text == "false" || text == "0";
    } else if (!taken && p.type == VALUE_CHOICE)
        taken = ParseChoice(p, text, &value, &argument);
    else if (!taken)
        taken = ParseNumber(p, text, &value);
    if (!taken)
        return false;
    parameter_set(structure, &p, value);
    if (p.argument)
        Argument(structure, p) = argument;
    return true;
}

/// As the table says it, in a structure of its own.
static std::string DefaultOf(const parameter_table &table, const parameter &p)
{
    std::vector<char> structure(RoomOf(p));
    const parameter_table alone{table.group, table.acts, &p, 1};
    parameter_defaults(structure.data(), &alone);
    return FormatParameter(p, structure.data());
}

void AddParameters(TypeId tid, const parameter_table &table, void *(*structure)(ObjectBase *object),
                   bool preset, const std::set<std::string> &without)
{
    for (unsigned i = 0; i < table.count; i++) {
        const parameter &p = table.rows[i];
        if (!without.count(p.name))
            tid.AddAttribute(std::string(table.group) + "." + p.name, p.what,
                             StringValue(preset ? "" : DefaultOf(table, p)),
                             Create<ParameterAccessor>(p, structure), Create<ParameterChecker>(p));
    }
}

} // namespace ns3
