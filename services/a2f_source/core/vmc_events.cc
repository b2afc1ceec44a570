#include "services/a2f_source/core/vmc_events.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"

namespace posewire::a2f_source {
namespace {

constexpr absl::string_view kKinds[] = {"key",         "button",   "left",     "right",
                                        "note",        "knob",     "shortcut", "option",
                                        "calibration", "tracking", "calibrate"};
// Kinds of which only these are known; in the order of VMC's numbers.
constexpr absl::string_view kCalibrations[] = {"none", "waiting", "running", "done"};
constexpr absl::string_view kTrackings[] = {"lost", "good"};
constexpr absl::string_view kRequests[] = {"ready", "exec"};

absl::Span<const absl::string_view> NamesOf(absl::string_view kind) {
  if (kind == "calibration") return kCalibrations;
  if (kind == "tracking") return kTrackings;
  if (kind == "calibrate") return kRequests;
  return {};
}

std::string KeyOf(absl::string_view kind, absl::string_view name) {
  return absl::StrCat(kind, ":", absl::AsciiStrToLower(name));
}

absl::Status BadLine(absl::string_view line, absl::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("event \"", line, "\": ", why,
                   "; WHAT=EVENT is right, with WHAT key:NAME, button:NAME, left:NAME, right:NAME, "
                   "note:N, knob:N, shortcut:NAME, option:TEXT, calibration:STATE, tracking:STATE "
                   "or calibrate:WHAT"));
}

}  // namespace

absl::StatusOr<VmcEvents> VmcEvents::Parse(const std::vector<std::string>& lines) {
  VmcEvents events;
  for (const std::string& line : lines) {
    const size_t equals = line.rfind('=');
    const size_t colon = line.find(':');
    if (equals == std::string::npos || equals + 1 == line.size()) {
      return BadLine(line, "the event is missing");
    }
    if (colon == std::string::npos || colon > equals || colon + 1 == equals) {
      return BadLine(line, "what fires it is missing");
    }
    const std::string kind = line.substr(0, colon);
    const std::string name = line.substr(colon + 1, equals - colon - 1);
    bool known = false;
    for (const absl::string_view k : kKinds) known = known || kind == k;
    if (!known) return BadLine(line, absl::StrCat("\"", kind, "\" is no kind of input"));
    int number = 0;
    if ((kind == "note" || kind == "knob") && !absl::SimpleAtoi(name, &number)) {
      return BadLine(line, absl::StrCat("\"", name, "\" is no number"));
    }
    const absl::Span<const absl::string_view> names = NamesOf(kind);
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      return BadLine(line, absl::StrCat("\"", name, "\" is none of ", absl::StrJoin(names, ", ")));
    }
    if (kind == "knob") events.knobs_[number] = 0;
    events.events_[KeyOf(kind, name)] = line.substr(equals + 1);
  }
  return events;
}

std::optional<std::string> VmcEvents::Find(absl::string_view kind, absl::string_view name) const {
  const auto found = events_.find(KeyOf(kind, name));
  if (found == events_.end()) return std::nullopt;
  return found->second;
}

std::optional<std::string> VmcEvents::OnKnob(int knob, float value) {
  const auto known = knobs_.find(knob);
  if (known == knobs_.end()) return std::nullopt;
  const float before = std::exchange(known->second, value);
  if (before >= 0.5f || value < 0.5f) return std::nullopt;
  return Find("knob", absl::StrCat(knob));
}

void VmcEvents::Take(const vmc::Message& message,
                     absl::FunctionRef<void(const std::string&)> fire) {
  if (events_.empty()) return;
  if (const auto* ok = std::get_if<vmc::Ok>(&message)) return OnOk(*ok, fire);
  if (const auto event = One(message)) fire(*event);
}

void VmcEvents::OnOk(const vmc::Ok& ok, absl::FunctionRef<void(const std::string&)> fire) {
  const auto changed = [&](absl::string_view kind, const std::optional<int32_t>& now,
                           std::optional<int32_t>& before) {
    if (!now || now == before) return;
    before = now;
    const absl::Span<const absl::string_view> names = NamesOf(kind);
    if (*now < 0 || static_cast<size_t>(*now) >= names.size()) return;
    if (const auto event = Find(kind, names[static_cast<size_t>(*now)])) fire(*event);
  };
  changed("calibration", ok.calibration_state, calibration_);
  changed("tracking", ok.tracking_status, tracking_);
}

std::optional<std::string> VmcEvents::One(const vmc::Message& message) {
  if (const auto* key = std::get_if<vmc::Key>(&message)) {
    if (key->active != 1) return std::nullopt;
    auto event = Find("key", key->name);
    return event ? event : Find("key", absl::StrCat("#", key->keycode));
  }
  if (const auto* input = std::get_if<vmc::ControllerInput>(&message)) {
    if (input->active != 1) return std::nullopt;
    auto event = Find(input->is_left != 0 ? "left" : "right", input->name);
    return event ? event : Find("button", input->name);
  }
  if (const auto* note = std::get_if<vmc::MidiNote>(&message)) {
    if (note->active != 1) return std::nullopt;
    return Find("note", absl::StrCat(note->note));
  }
  if (const auto* knob = std::get_if<vmc::MidiValue>(&message)) {
    return OnKnob(knob->knob, knob->value);
  }
  if (const auto* bit = std::get_if<vmc::MidiBit>(&message)) {
    return OnKnob(bit->knob, bit->active != 0 ? 1 : 0);
  }
  if (const auto* shortcut = std::get_if<vmc::SetShortcut>(&message)) {
    return Find("shortcut", shortcut->name);
  }
  if (std::holds_alternative<vmc::CalibrationReady>(message)) return Find("calibrate", "ready");
  if (std::holds_alternative<vmc::CalibrationExecute>(message)) return Find("calibrate", "exec");
  if (const auto* option = std::get_if<vmc::OptionText>(&message)) {
    if (option->text == option_) return std::nullopt;
    option_ = std::string(option->text);
    return Find("option", option->text);
  }
  return std::nullopt;
}

}  // namespace posewire::a2f_source
