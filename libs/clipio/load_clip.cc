#include "libs/clipio/load_clip.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/asset/motion.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/retarget/retarget.h"
#include "libs/wire/source_binding.h"

namespace posewire::clipio {
namespace {

// A key within this many frames of a tick counts as on it.
constexpr double kOnTick = 1e-3;

absl::Status WasStopped() { return absl::CancelledError("the clip was not read to its end"); }

absl::StatusOr<asset::Motion> ReadKeys(recording::ClipReader& reader, double max_duration_s,
                                       clip::StopCheck stopped) {
  asset::Motion keys;
  while (true) {
    if (stopped()) return WasStopped();
    absl::StatusOr<std::optional<wire::Message>> message = reader.Next();
    if (!message.ok()) return message.status();
    if (!*message) break;
    wire::Chunk& chunk = (*message)->chunk;
    if (auto* header = std::get_if<wire::StreamHeader>(&chunk)) keys.Start(std::move(*header));
    const wire::DataChunk* const data = (*message)->data();
    if (data == nullptr) continue;
    keys.Append(*data);
    if (keys.last_s() - keys.first_s() > max_duration_s) {
      return absl::ResourceExhaustedError(absl::StrCat(reader.name(), ": the clip is longer than ",
                                                       max_duration_s,
                                                       " s, which is held in memory at most"));
    }
  }
  if (!keys.header) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.name(), ": holds no header, and so no clip"));
  }
  if (!(keys.first_s() <= keys.last_s())) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.name(), ": holds no pose and no weights"));
  }
  return keys;
}

std::string StemOf(absl::string_view path) {
  const size_t slash = path.rfind('/');
  if (slash != absl::string_view::npos) path.remove_prefix(slash + 1);
  return std::string(path.substr(0, StemLength(path)));
}

}  // namespace

absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadClip(const std::string& path,
                                                           std::shared_ptr<const skel::Rig> rig,
                                                           const skel::RigCatalog& catalog,
                                                           const LoadOptions& options) {
  OpenOptions read;
  read.stopped = options.stopped;
  auto reader = OpenClip(path, read);
  if (!reader.ok()) return reader.status();
  return LoadClip(*std::move(reader), std::move(rig), catalog, options);
}

absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadClip(
    std::unique_ptr<recording::ClipReader> source, std::shared_ptr<const skel::Rig> rig,
    const skel::RigCatalog& catalog, const LoadOptions& options) {
  if (options.retarget) source = retarget::Retarget(std::move(source), rig, catalog);
  absl::StatusOr<asset::Motion> keys = ReadKeys(*source, options.max_duration_s, options.stopped);
  if (!keys.ok()) return keys.status();
  for (const std::string& warning : source->warnings()) {
    if (options.warn) options.warn(warning);
  }
  wire::BindingOptions binding_options;
  binding_options.translation_scale = options.translation_scale;
  binding_options.all_translations = options.all_translations;
  if (!options.retarget) binding_options.source_rig = rig;
  absl::StatusOr<wire::SourceBinding> binding =
      wire::SourceBinding::Make(*keys->header, rig, catalog, binding_options);
  if (!binding.ok()) {
    return absl::Status(binding.status().code(),
                        absl::StrCat(source->name(), ": ", binding.status().message()));
  }
  const double first_s = keys->first_s();
  if (options.first_s != nullptr) *options.first_s = first_s;
  const double ticks = (keys->last_s() - first_s) * options.rate.hz();
  const auto frames = static_cast<int64_t>(std::ceil(ticks - kOnTick)) + 1;
  std::array<std::vector<float>, wire::kPoseTracks> between;
  for (size_t t = 0; t < between.size(); ++t) {
    between[t].resize(static_cast<size_t>(keys->tracks[t].width()));
  }
  std::vector<skel::Pose> poses;
  poses.reserve(static_cast<size_t>(frames));
  std::array<float, 3> between_camera;
  skel::Vec3 camera_sum;
  for (int64_t k = 0; k < frames; ++k) {
    if (options.stopped()) return WasStopped();
    wire::SourceBinding::Sample sample;
    for (size_t t = 0; t < keys->tracks.size(); ++t) {
      sample.track[t] =
          keys->tracks[t].Sample(first_s + options.rate.SecondsAt(k), absl::MakeSpan(between[t]));
    }
    skel::Pose pose(rig->joints(), rig->shapes());
    binding->Apply(sample, pose.span());
    poses.push_back(std::move(pose));
    const absl::Span<const float> camera = keys->camera[wire::kCameraPosition].Sample(
        first_s + options.rate.SecondsAt(k), absl::MakeSpan(between_camera));
    if (!camera.empty()) camera_sum = camera_sum + skel::Vec3{camera[0], camera[1], camera[2]};
  }
  const auto count = static_cast<float>(poses.size());
  auto clip =
      std::make_shared<clip::Clip>(options.name.empty() ? StemOf(source->name()) : options.name,
                                   std::move(rig), options.rate, std::move(poses), options.loops);
  if (keys->camera[wire::kCameraPosition].ever()) {
    clip->set_camera_at(camera_sum * (options.translation_scale / count));
  }
  return clip;
}

}  // namespace posewire::clipio
