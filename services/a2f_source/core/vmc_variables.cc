#include "services/a2f_source/core/vmc_variables.h"

#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace posewire::a2f_source {
namespace {

constexpr absl::string_view kKnobPrefix = "knob:";

}  // namespace

absl::StatusOr<VmcVariables> VmcVariables::Parse(const std::vector<std::string>& lines) {
  VmcVariables out;
  for (const std::string& line : lines) {
    const size_t equals = line.rfind('=');
    const std::string what = line.substr(0, equals);
    Variable variable;
    bool known = true;
    if (absl::StartsWith(what, kKnobPrefix)) {
      known = absl::SimpleAtoi(what.substr(kKnobPrefix.size()), &variable.knob);
    } else if (what == "tracking") {
      variable.what = What::kTracking;
    } else if (what == "calibration") {
      variable.what = What::kCalibration;
    } else if (what == "loaded") {
      variable.what = What::kLoaded;
    } else {
      known = false;
    }
    if (!known || equals == std::string::npos || equals + 1 == line.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat("variable \"", line,
                       "\" is not of the form WHAT=VARIABLE, with WHAT knob:N, tracking, "
                       "calibration or loaded"));
    }
    variable.name = line.substr(equals + 1);
    out.variables_.push_back(std::move(variable));
  }
  return out;
}

void VmcVariables::Take(const vmc::Message& message,
                        absl::FunctionRef<void(const std::string& name, float value)> set) {
  if (variables_.empty()) return;
  const auto* ok = std::get_if<vmc::Ok>(&message);
  const auto* knob = std::get_if<vmc::MidiValue>(&message);
  const auto* bit = std::get_if<vmc::MidiBit>(&message);
  const auto value_of = [&](const Variable& v) -> std::optional<float> {
    const auto number = [](const std::optional<int32_t>& n) {
      return n ? std::optional<float>(static_cast<float>(*n)) : std::nullopt;
    };
    switch (v.what) {
      case What::kKnob:
        if (knob != nullptr && knob->knob == v.knob) return knob->value;
        if (bit != nullptr && bit->knob == v.knob) return bit->active != 0 ? 1.0f : 0.0f;
        return std::nullopt;
      case What::kTracking:
        return ok != nullptr ? number(ok->tracking_status) : std::nullopt;
      case What::kCalibration:
        return ok != nullptr ? number(ok->calibration_state) : std::nullopt;
      case What::kLoaded:
        return ok != nullptr ? std::optional<float>(ok->loaded != 0 ? 1.0f : 0.0f) : std::nullopt;
    }
    return std::nullopt;
  };
  for (Variable& v : variables_) {
    const std::optional<float> value = value_of(v);
    if (!value || value == v.value) continue;
    v.value = value;
    set(v.name, *value);
  }
}

void VmcVariables::Repeat(absl::FunctionRef<void(const std::string& name, float value)> set) const {
  for (const Variable& v : variables_) {
    if (v.value) set(v.name, *v.value);
  }
}

void VmcVariables::Gone(absl::FunctionRef<void(const std::string& name, float value)> set) {
  for (Variable& v : variables_) {
    const bool state = v.what == What::kTracking || v.what == What::kLoaded;
    if (!state || !v.value || *v.value == 0) continue;
    v.value = 0.0f;
    set(v.name, 0);
  }
}

}  // namespace posewire::a2f_source
