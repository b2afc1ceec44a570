#include "libs/graph/variables.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "libs/names/known_names.h"

namespace posewire::graph {
namespace {

std::string Quoted(absl::string_view text) {
  constexpr size_t kMost = 80;
  return absl::StrCat("\"", absl::CHexEscape(text.substr(0, kMost)),
                      text.size() > kMost ? "...\"" : "\"");
}

absl::StatusOr<double> ParseNumber(absl::string_view text) {
  double number = 0;
  if (!absl::SimpleAtod(text, &number) || !std::isfinite(number)) {
    return absl::InvalidArgumentError("not a finite number");
  }
  return number;
}

// Returns "Bowing" for "Bowing_2"; nothing if the text does not end in a number.
absl::string_view WithoutNumber(absl::string_view text) {
  constexpr size_t kMostDigits = 3;
  size_t at = text.size();
  while (at > 0 && absl::ascii_isdigit(static_cast<unsigned char>(text[at - 1]))) --at;
  const size_t digits = text.size() - at;
  if (digits == 0 || digits > kMostDigits || at < 2 || text[at - 1] != '_') return {};
  return text.substr(0, at - 1);
}

}  // namespace

const char* NameOf(VariableType type) {
  switch (type) {
    case VariableType::kNumber:
      return "number";
    case VariableType::kChoice:
      return "choice";
    case VariableType::kFlag:
      return "flag";
    case VariableType::kVector:
      return "vector";
  }
  return "";
}

int VariableSpec::FindValue(absl::string_view text) const {
  for (size_t i = 0; i < values.size(); ++i) {
    if (values[i] == text) return static_cast<int>(i);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (absl::EqualsIgnoreCase(values[i], text)) return static_cast<int>(i);
  }
  return -1;
}

int VariableSpec::FindChoice(absl::string_view text) const {
  const int value = FindValue(text);
  if (value >= 0 || !takes_variants) return value;
  const absl::string_view name = WithoutNumber(text);
  return name.empty() ? -1 : FindValue(name);
}

absl::StatusOr<Value> VariableSpec::Parse(absl::string_view text) const {
  Value value;
  std::string want;
  switch (type) {
    case VariableType::kNumber: {
      const auto number = ParseNumber(text);
      if (number.ok() && *number >= min && *number <= max) {
        value.number = *number;
        return value;
      }
      want = absl::StrFormat("a number from %g to %g%s%s", min, max, unit.empty() ? "" : " ", unit);
      break;
    }
    case VariableType::kChoice: {
      const int choice = FindChoice(text);
      if (choice >= 0) {
        value.number = choice;
        return value;
      }
      want = absl::StrCat("known", KnownNames(text, values));
      break;
    }
    case VariableType::kFlag:
      if (text == "1" || absl::EqualsIgnoreCase(text, "true")) {
        value.number = 1;
        return value;
      }
      if (text == "0" || absl::EqualsIgnoreCase(text, "false")) return value;
      want = "true or false";
      break;
    case VariableType::kVector: {
      const std::vector<std::string> parts = absl::StrSplit(text, ',');
      float* const to[] = {&value.vector.x, &value.vector.y, &value.vector.z};
      bool good = parts.size() == 3;
      for (size_t i = 0; good && i < 3; ++i) {
        const auto number = ParseNumber(parts[i]);
        good = number.ok() && std::fabs(*number) <= 1e6;
        if (good) *to[i] = static_cast<float>(*number);
      }
      if (good) return value;
      want = "three numbers x,y,z within +-1e6";
      break;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("variable ", Quoted(name), ": ", Quoted(text), " is not ", want));
}

std::string VariableSpec::Format(const Value& value) const {
  switch (type) {
    case VariableType::kNumber:
      return absl::StrFormat("%g", value.number);
    case VariableType::kChoice:
      return values[static_cast<size_t>(value.number)];
    case VariableType::kFlag:
      return value.number != 0 ? "true" : "false";
    case VariableType::kVector:
      return absl::StrFormat("%g,%g,%g", value.vector.x, value.vector.y, value.vector.z);
  }
  return "";
}

VariableSet::VariableSet(std::vector<VariableSpec> specs) : specs_(std::move(specs)) {
  for (size_t i = 0; i < specs_.size(); ++i) {
    by_name_.emplace(specs_[i].name, static_cast<int>(i));
    if (!specs_[i].appearance.empty()) appearance_.push_back(static_cast<int>(i));
  }
}

int VariableSet::Find(absl::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? -1 : it->second;
}

absl::StatusOr<int> VariableSet::Index(absl::string_view name) const {
  const int i = Find(name);
  if (i >= 0) return i;
  std::vector<std::string> known;
  for (const VariableSpec& spec : specs_) known.push_back(spec.name);
  return absl::NotFoundError(absl::StrCat("no variable ", Quoted(name), KnownNames(name, known)));
}

Variables::Variables(std::shared_ptr<const VariableSet> set) : set_(std::move(set)) {
  for (int i = 0; i < set_->size(); ++i) values_.push_back({set_->spec(i).initial, 0});
}

void Variables::Set(int i, const Value& value) {
  Entry& entry = values_[static_cast<size_t>(i)];
  entry.value = value;
  ++entry.sets;
}

void Variables::SettleNumber(int i, std::optional<double> known) {
  if (i < 0) return;
  const VariableSpec& spec = set_->spec(i);
  Settle(i, {known ? std::clamp(*known, spec.min, spec.max) : spec.initial.number, {}});
}

void Variables::Adopt(const Variables& other) {
  for (int i = 0; i < set_->size(); ++i) {
    const VariableSpec& spec = set_->spec(i);
    const int from = other.set().Find(spec.name);
    if (from < 0 || other.set().spec(from).type != spec.type) continue;
    Entry& entry = values_[static_cast<size_t>(i)];
    // The count of sets is copied too, so that nothing plays again because a graph was replaced.
    entry.sets = other.sets(from);
    Value value = other.value(from);
    if (spec.type == VariableType::kChoice) {
      const int choice = spec.FindChoice(other.set().spec(from).Format(value));
      if (choice < 0) continue;
      value.number = choice;
    }
    if (spec.type == VariableType::kNumber)
      value.number = std::clamp(value.number, spec.min, spec.max);
    entry.value = value;
  }
}

}  // namespace posewire::graph
