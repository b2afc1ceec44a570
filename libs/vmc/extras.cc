#include "libs/vmc/extras.h"

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

void Extras::Take(const Message& message) {
  if (IsEvent(message)) {
    auto encoded = EncodeMessage(message);
    if (!encoded.ok() || encoded->size() > kMostBytes / 2 || events_.size() >= kMostEvents) {
      ++dropped_;
    } else {
      events_.push_back(*std::move(encoded));
    }
  } else if (const auto* device = std::get_if<DevicePose>(&message)) {
    Keep(message, KeyOf(AddressOf(message), device->serial), /*repeats=*/false);
  } else if (const auto* light = std::get_if<Light>(&message)) {
    Keep(message, KeyOf(AddressOf(message), light->name), /*repeats=*/true);
  } else if (const auto* ok = std::get_if<Ok>(&message)) {
    if (ok->calibration_state) Keep(message, KeyOf(AddressOf(message), ""), /*repeats=*/true);
  } else if (const auto* vrm = std::get_if<VrmFile>(&message)) {
    Keep(VrmFile{NameInPath(vrm->path), vrm->title, vrm->hash}, KeyOf(AddressOf(message), ""),
         /*repeats=*/true);
  } else if (const auto* config = std::get_if<ConfigFile>(&message)) {
    Keep(ConfigFile{NameInPath(config->path)}, KeyOf(AddressOf(message), ""), /*repeats=*/true);
  } else if (IsState(message)) {
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

absl::Span<const std::string> Extras::Next(bool all) {
  packer_.Clear();
  // A message is at most half a bundle, so that one always fits, and bundles are half full or more.
  const auto room = [this] { return packer_.Datagrams().size() < kMostBundlesAFrame; };
  for (auto& [key, state] : states_) {
    if (!room()) break;
    if (!state.is_new && !(all && state.repeats)) continue;
    (void)packer_.AddEncoded(state.encoded);
    state.is_new = false;
  }
  while (!events_.empty() && room()) {
    (void)packer_.AddEncoded(events_.front());
    events_.pop_front();
  }
  return packer_.Datagrams();
}

}  // namespace posewire::vmc
