// What metadata of ours says is read or refused, whatever its bytes are, and what is read keeps to
// its bounds: contributions and their masks, gestures of speech, appearances, props. A libFuzzer
// target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses the key, then the serialized google.protobuf.Any.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "libs/skel/rig.h"
#include "libs/wire/appearance.h"
#include "libs/wire/contributions.h"
#include "libs/wire/props.h"
#include "libs/wire/speech_gesture.h"
#include "tests/fuzz/input.h"

namespace posewire {
namespace {

void Expect(bool holds) {
  if (!holds) std::abort();
}
bool IsShare(float v) { return v >= 0 && v <= 1; }

void CheckContributions(const wire::MetadataEntry& entry) {
  static const auto& rig = *new auto(*skel::RigCatalog::Builtin()->Find("hanim_loa3"));
  const auto read = wire::ReadContributions(entry);
  if (!read) return;
  Expect(read->contributions.size() <= wire::Contributions::kMost && IsShare(read->left_out));
  std::vector<float> shares(static_cast<size_t>(rig->joints()));
  for (const wire::Contribution& c : read->contributions) {
    Expect(IsShare(c.weight) && std::isfinite(c.time_s) && c.clip.size() <= 1024);
    c.Shares(*rig, absl::MakeSpan(shares));
    for (const float share : shares) Expect(IsShare(share));
  }
}

}  // namespace
}  // namespace posewire

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire;  // NOLINT: the name below is libFuzzer's
  static const std::string kKeys[] = {std::string(wire::kContributionsKey),
                                      "posewire.speech_gesture", std::string(wire::kAppearanceKey),
                                      std::string(wire::kPropsKey)};
  FuzzInput input(data, size);
  wire::MetadataEntry entry;
  entry.key = kKeys[input.Choose(std::size(kKeys))];
  entry.any = input.Rest();
  CheckContributions(entry);
  if (const auto gesture = wire::ReadSpeechGesture(entry)) Expect(IsShare(gesture->strength));
  (void)wire::AppearanceIn({entry});
  if (const auto props = wire::PropsIn({entry})) Expect(props->size() <= wire::kMostProps);
  return 0;
}
