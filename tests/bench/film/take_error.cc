#include "tests/bench/film/take_error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/character/film_deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character_file/read_character.h"
#include "libs/skel/humanoid.h"
#include "libs/skel/mask.h"
#include "services/renderer_sink/draw/offset_files.h"
#include "services/renderer_sink/render/clip_offsets.h"
#include "services/renderer_sink/render/clip_source.h"

namespace posewire {
namespace {

using skel::Vec3;

struct Error {
  double worst_m = 0, squares = 0;
  int64_t points = 0;

  void Add(double away_m) {
    worst_m = std::max(worst_m, away_m);
    squares += away_m * away_m;
    ++points;
  }
  double rms_m() const { return points > 0 ? std::sqrt(squares / static_cast<double>(points)) : 0; }
};

// Points that mostly follow the head.
absl::StatusOr<std::vector<bool>> FaceOf(const character::PointSkin& skin,
                                         const character::Character& person) {
  const skel::Rig& rig = *person.rig;
  const int head = rig.humanoid().joint(skel::HumanBone::kHead);
  skel::Mask mask(rig, 0);
  const std::string& path = rig.joint_paths()[static_cast<size_t>(head)];
  if (absl::Status s = mask.SetSubtree(rig, path, 1); !s.ok()) return s;
  std::vector<float> shares(skin.points());
  const absl::Span<const float> joints(mask.joint_row(), static_cast<size_t>(rig.joints()));
  if (absl::Status s = skin.Shares(person, joints, absl::MakeSpan(shares)); !s.ok()) return s;
  std::vector<bool> face;
  for (const float share : shares) face.push_back(share > 0.5f);
  return face;
}

absl::Status Measure(const std::string& take, const std::string& where, double from_s,
                     double to_s) {
  const auto rigs = skel::RigCatalog::Builtin("arkit68");
  if (!rigs.ok()) return rigs.status();
  auto woman = character_file::OpenCharacter("woman", *rigs);
  if (!woman.ok()) return woman.status();
  const timecode::FrameRate rate;
  const auto source = renderer_sink::ReadClipSource(take, (*woman)->rig, *rigs, rate);
  if (!source.ok()) return source.status();
  const auto files = renderer_sink::FindOffsets(where);
  if (!files.ok()) return files.status();
  const auto own = renderer_sink::FilesOf(*woman, *files);
  if (!own.ok()) return own.status();
  auto offsets = renderer_sink::ClipOffsets::Open(*own);
  if (!offsets.ok()) return offsets.status();
  auto film = character::FilmDeformer::Make(*woman);
  if (!film.ok()) return film.status();
  character::Deformer deformer(*woman);
  auto drawn = character::OffsetPoints::Make(deformer);
  if (!drawn.ok()) return drawn.status();
  const character::PointSkin& skin = (*drawn)->skin();
  const auto face = FaceOf(skin, **woman);
  if (!face.ok()) return face.status();
  std::vector<Vec3> complex(skin.points());
  skel::Pose pose((*woman)->rig->joints(), (*woman)->rig->shapes());
  Error errors[2][2];  // without and with offsets; body and face
  int frames = 0;
  for (int f = 0; f < source->clip->frames(); ++f) {
    const double t_s = rate.SecondsAt(f);
    source->clip->Sample(t_s, pose.span());
    if (absl::Status s = (*film)->Pose(pose.view(), rate.period_s(), absl::MakeSpan(complex));
        !s.ok()) {
      return s;
    }
    if (t_s < from_s || t_s > to_s) continue;
    ++frames;
    if (absl::Status s = deformer.Pose(pose.view()); !s.ok()) return s;
    const wire::Contributions* const seen = renderer_sink::LastBy(t_s, rate, source->contributions);
    const auto mix = (*offsets)->Of(pose.view(), seen == nullptr ? wire::Contributions() : *seen);
    if (!mix.ok()) return mix.status();
    for (const bool with : {false, true}) {
      using Mix = absl::Span<const mesh::WeighedOffsets>;
      if (absl::Status s = (*drawn)->Pose(deformer, with ? *mix : Mix()); !s.ok()) return s;
      for (size_t k = 0; k < skin.meshes().size(); ++k) {
        const auto points = (*drawn)->points(skin.meshes()[k]);
        for (size_t p = 0; p < points.size(); ++p) {
          const size_t i = skin.first()[k] + p;
          errors[with][(*face)[i]].Add(skel::Length(points[p] - complex[i]));
        }
      }
    }
  }
  std::printf("%d frames\n\n| drawn | part | rms, mm | worst, mm |\n| --- | --- | --- | --- |\n",
              frames);
  for (const bool with : {false, true}) {
    for (const bool of_face : {false, true}) {
      const Error& error = errors[with][of_face];
      std::printf("| %s | %s | %.4f | %.4f |\n", with ? "with offsets" : "without",
                  of_face ? "face" : "body", error.rms_m() * 1000, error.worst_m * 1000);
    }
  }
  for (const auto& [clip, missing] : (*offsets)->missing()) {
    std::printf("\nwithout offsets: %s, in %d frames\n", clip.c_str(), missing);
  }
  return absl::OkStatus();
}

}  // namespace

int RunTakeError(const std::string& take, const std::string& offsets, double from_s, double to_s) {
  const absl::Status done = Measure(take, offsets, from_s, to_s);
  if (done.ok()) return 0;
  std::fprintf(stderr, "posewire_film: %s\n", done.ToString().c_str());
  return 1;
}

}  // namespace posewire
