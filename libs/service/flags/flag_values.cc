#include "libs/service/flags/flag_values.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace posewire::service::internal {
namespace {

std::string Quoted(absl::string_view text) { return absl::StrCat("\"", text, "\""); }

absl::Status Wrong(absl::string_view text, absl::string_view right) {
  return absl::InvalidArgumentError(absl::StrCat(Quoted(text), " is not ", right));
}

std::string RangeText(const FlagRules& rules, absl::string_view noun) {
  const bool low = std::isfinite(rules.min);
  const bool high = std::isfinite(rules.max);
  if (low && high) return absl::StrCat(noun, " from ", rules.min, " to ", rules.max);
  if (low) return absl::StrCat(noun, " of at least ", rules.min);
  if (high) return absl::StrCat(noun, " of at most ", rules.max);
  return std::string(noun);
}

bool InRange(double value, const FlagRules& rules) {
  return value >= rules.min && value <= rules.max;
}

absl::Status ParseOne(absl::string_view text, const FlagRules& rules, bool* out) {
  const std::string lower = absl::AsciiStrToLower(text);
  if (lower == "true" || lower == "1" || lower == "yes" || lower == "on") {
    *out = true;
  } else if (lower == "false" || lower == "0" || lower == "-1" || lower == "no" || lower == "off") {
    *out = false;
  } else {
    return Wrong(text, "true or false");
  }
  (void)rules;
  return absl::OkStatus();
}

template <typename Int>
requires std::is_integral_v<Int> absl::Status ParseOne(absl::string_view text,
                                                       const FlagRules& rules, Int* out) {
  Int value = 0;
  if (!absl::SimpleAtoi(text, &value) || !InRange(static_cast<double>(value), rules)) {
    return Wrong(text, RangeText(rules, "a whole number"));
  }
  *out = value;
  return absl::OkStatus();
}

absl::Status ParseOne(absl::string_view text, const FlagRules& rules, double* out) {
  double value = 0;
  if (!absl::SimpleAtod(text, &value) || !std::isfinite(value) || !InRange(value, rules)) {
    return Wrong(text, RangeText(rules, "a number"));
  }
  *out = value;
  return absl::OkStatus();
}

absl::Status ParseOne(absl::string_view text, const FlagRules&, std::string* out) {
  *out = std::string(text);
  return absl::OkStatus();
}

absl::Status CheckText(const std::string& text, const FlagRules& rules) {
  const auto& choices = rules.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) {
    return Wrong(text, absl::StrCat("one of ", absl::StrJoin(choices, ", ")));
  }
  return rules.check ? rules.check(text) : absl::OkStatus();
}

}  // namespace

absl::Status SetTarget(const Flags::Target& target, const FlagRules& rules,
                       const std::vector<std::string>& texts) {
  if (texts.empty()) return absl::InvalidArgumentError("has no value");
  if (auto* list = std::get_if<std::vector<std::string>*>(&target)) {
    for (const std::string& text : texts) {
      if (absl::Status s = CheckText(text, rules); !s.ok()) return s;
    }
    **list = texts;
    return absl::OkStatus();
  }
  std::string text = texts.back();
  if (!rules.alone.empty()) {
    if (text == "false") return absl::OkStatus();
    if (text == "true") text = rules.alone;
  }
  if (absl::Status s = CheckText(text, rules); !s.ok()) return s;
  return std::visit(
      [&](auto* out) -> absl::Status {
        if constexpr (std::is_same_v<decltype(out), std::vector<std::string>*>) {
          return absl::OkStatus();
        } else {
          return ParseOne(text, rules, out);
        }
      },
      target);
}

std::string ShowTarget(const Flags::Target& target) {
  return std::visit(
      [](const auto* value) -> std::string {
        using T = std::remove_cvref_t<decltype(*value)>;
        if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return absl::StrJoin(*value, ",");
        } else if constexpr (std::is_same_v<T, bool>) {
          return *value ? "true" : "false";
        } else {
          return absl::StrCat(*value);
        }
      },
      target);
}

FlagValue::Value ValueOf(const Flags::Target& target) {
  return std::visit(
      [](const auto* value) -> FlagValue::Value {
        if constexpr (std::is_same_v<decltype(value), const int*>) {
          return int64_t{*value};
        } else {
          return *value;
        }
      },
      target);
}

std::string TypeName(const Flags::Target& target, const FlagRules& rules) {
  if (!rules.value_name.empty()) return rules.value_name;
  if (!rules.choices.empty()) return absl::StrJoin(rules.choices, "|");
  if (std::holds_alternative<double*>(target)) return "NUMBER";
  if (std::holds_alternative<int*>(target) || std::holds_alternative<int64_t*>(target)) {
    return "INTEGER";
  }
  return IsBool(target) ? "" : "TEXT";
}

bool IsBool(const Flags::Target& target) { return std::holds_alternative<bool*>(target); }

bool IsList(const Flags::Target& target) {
  return std::holds_alternative<std::vector<std::string>*>(target);
}

}  // namespace posewire::service::internal
