#include "libs/vmc/extras.h"

#include <iterator>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"

namespace posewire::vmc {
namespace {

// Keeps what follows the first NUL apart from an address.
std::string KeyOf(absl::string_view address, absl::string_view name) {
  return absl::StrCat(address, "\n", name);
}

bool IsEvent(const Message& message) {
  return std::holds_alternative<ControllerInput>(message) || std::holds_alternative<Key>(message) ||
         std::holds_alternative<MidiNote>(message) || std::holds_alternative<MidiValue>(message) ||
         std::holds_alternative<MidiBit>(message) || std::holds_alternative<Through>(message);
}

bool IsState(const Message& message) {
  return std::holds_alternative<BackgroundColor>(message) ||
         std::holds_alternative<WindowAttributes>(message) ||
         std::holds_alternative<RemoteAvatar>(message) ||
         std::holds_alternative<OptionText>(message);
}

}  // namespace

absl::string_view NameInPath(absl::string_view path) {
  const size_t slash = path.find_last_of("/\\");
  return slash == absl::string_view::npos ? path : path.substr(slash + 1);
}

bool IsExtra(const Message& message) {
  const auto* ok = std::get_if<Ok>(&message);
  return IsEvent(message) || IsState(message) || std::holds_alternative<DevicePose>(message) ||
         std::holds_alternative<Light>(message) || std::holds_alternative<VrmFile>(message) ||
         std::holds_alternative<ConfigFile>(message) ||
         (ok != nullptr && ok->calibration_state.has_value());
}

void Extras::DropOld(double now_s) {
  while (!events_.empty() && now_s - events_.front().at_s > kLongest_s) {
    events_.pop_front();
    ++dropped_;
  }
}

void Extras::Take(const Message& message, double now_s) {
  if (IsEvent(message)) {
    auto encoded = EncodeMessage(message);
    if (!encoded.ok() || encoded->size() > kMostBytes / 2) {
      ++dropped_;
      return;
    }
    DropOld(now_s);
    if (events_.size() >= kMostEvents) {
      events_.pop_front();
      ++dropped_;
    }
    events_.push_back({now_s, *std::move(encoded)});
  } else if (const auto* device = std::get_if<DevicePose>(&message)) {
    Keep(message, KeyOf(AddressOf(message), device->serial), /*repeats=*/false);
  } else if (const auto* light = std::get_if<Light>(&message)) {
    Keep(message, KeyOf(AddressOf(message), light->name), /*repeats=*/true);
  } else if (const auto* ok = std::get_if<Ok>(&message)) {
    if (ok->calibration_state) Keep(message, KeyOf(AddressOf(message), ""), /*repeats=*/true);
  } else if (const auto* vrm = std::get_if<VrmFile>(&message)) {
    states_.erase(KeyOf(AddressOf(RemoteAvatar{}), ""));  // a model is one or the other
    Keep(VrmFile{NameInPath(vrm->path), vrm->title, vrm->hash}, KeyOf(AddressOf(message), ""),
         /*repeats=*/true);
  } else if (const auto* config = std::get_if<ConfigFile>(&message)) {
    Keep(ConfigFile{NameInPath(config->path)}, KeyOf(AddressOf(message), ""), /*repeats=*/true);
  } else if (IsState(message)) {
    if (std::holds_alternative<RemoteAvatar>(message)) {
      states_.erase(KeyOf(AddressOf(VrmFile{}), ""));
    }
    Keep(message, KeyOf(AddressOf(message), ""), /*repeats=*/true);
  }
}

void Extras::Keep(const Message& message, std::string key, bool repeats) {
  auto encoded = EncodeMessage(message);
  const bool room = states_.size() < kMostStates || states_.contains(key);
  if (!encoded.ok() || encoded->size() > kMostBytes / 2 || !room) {
    ++dropped_;
    return;
  }
  State& kept = states_[std::move(key)];
  kept.is_new = kept.is_new || !repeats || *encoded != kept.encoded;
  kept.repeats = repeats;
  kept.encoded = *std::move(encoded);
}

absl::Span<const std::string> Extras::Next(bool all, double now_s) {
  packer_.Clear();
  DropOld(now_s);
  // A message is at most half a bundle, so that one always fits, and bundles are half full or more.
  const auto room = [this] { return packer_.Datagrams().size() < kMostBundlesAFrame; };
  for (auto at = states_.begin(); at != states_.end() && room();) {
    State& state = at->second;
    const bool due = state.is_new || (all && state.repeats);
    if (due) (void)packer_.AddEncoded(state.encoded);
    state.is_new = false;
    // A device is sent when it moves, and not kept.
    at = due && !state.repeats ? states_.erase(at) : std::next(at);
  }
  while (!events_.empty() && room()) {
    (void)packer_.AddEncoded(events_.front().encoded);
    events_.pop_front();
  }
  return packer_.Datagrams();
}

}  // namespace posewire::vmc
