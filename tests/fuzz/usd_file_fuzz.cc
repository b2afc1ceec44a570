// Whatever a USD layer holds, reading it ends in a layer whose text reads again and is written the
// same, or in a refusal that names the line; and what it says of skeletons can be asked for. A
// libFuzzer target in the fuzz preset; elsewhere its corpus is replayed as a test.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "libs/formats/usd/camera.h"
#include "libs/formats/usd/compose.h"
#include "libs/formats/usd/read_layer.h"
#include "libs/formats/usd/skeleton.h"
#include "libs/formats/usd/sound.h"
#include "tests/support/write_layer.h"

namespace {

void Check(bool holds, const char* what, const std::string& text) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n%s\n", what, text.c_str());
  std::abort();
}

// As a stage, with whatever moves in it. Files that it names are itself.
void Play(const std::string& text) {
  auto layer =
      posewire::usd::Compose(text, [&](const std::string& path) -> absl::StatusOr<std::string> {
        if (path != "self.usda") return absl::NotFoundError("is not there");
        return text;
      });
  if (!layer.ok()) return;
  const posewire::usd::Stage stage(*std::move(layer));
  posewire::usd::FindSound(stage);
  if (const int camera = posewire::usd::FindCamera(stage); camera >= 0) {
    const posewire::usd::CameraMotion motion(stage, camera);
    for (const double time : motion.TimesOfPlace()) motion.PlaceAt(time);
    for (const double time : motion.TimesOfFocalLength()) motion.FocalLengthAt(time);
  }
  const auto skeletons = posewire::usd::ReadSkeletons(stage);
  if (!skeletons.ok()) return;
  for (const posewire::usd::Skeleton& skeleton : skeletons->all) {
    posewire::usd::SkeletonMotion motion(stage, skeleton);
    for (const double time : motion.Times("rotations")) {
      Check(motion.PoseAt(time).size() == skeleton.joints.size(), "a pose has all joints", text);
      motion.WeightsAt(time);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto layer = posewire::usd::ReadLayer({reinterpret_cast<const char*>(data), size});
  if (!layer.ok()) {
    const std::string why(layer.status().message());
    Check(absl::StartsWith(why, "line "), "a refusal names the line", why);
    return 0;
  }
  const std::string text = posewire::usd::WriteLayer(*layer);
  const auto again = posewire::usd::ReadLayer(text);
  Check(again.ok(), "what was written can be read",
        std::string(again.status().message()) + "\n" + text);
  Check(posewire::usd::WriteLayer(*again) == text, "it is written the same again", text);
  Play(text);
  return 0;
}
