#include "tools/animclip/film_bake.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/character/film_deformer.h"
#include "libs/character/offset_points.h"
#include "libs/character/point_animation.h"
#include "libs/character_file/point_file.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/load_clip.h"
#include "libs/files/read.h"
#include "libs/gesture_loader/gestures.h"
#include "libs/mesh/offsets.h"
#include "tools/animclip/exercise.h"
#include "tools/animclip/point_match.h"
#include "tools/animclip/whole_file.h"

namespace posewire::animclip {
namespace {

using skel::Affine;
using skel::Vec3;

// Rounding errors of floats. Stored as offsets, they would cost as much as real ones.
constexpr float kRounding_m = 1e-6f;

float SizeOf(absl::Span<const Vec3> points) {
  Vec3 low = points[0], high = points[0];
  for (const Vec3 p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return std::max({high.x - low.x, high.y - low.y, high.z - low.z});
}

// A clip and the character that plays it.
struct Cast {
  std::shared_ptr<const character::Character> person;
  std::shared_ptr<const clip::Clip> clip;
};

std::shared_ptr<const clip::Clip> MakeShapesClip(const std::shared_ptr<const skel::Rig>& rig) {
  std::vector<skel::Pose> poses;
  for (int f = 0; f < character::ShapeOffsets::Frames(*rig); ++f) {
    poses.emplace_back(rig->joints(), rig->shapes());
    character::ShapeOffsets::PoseAt(*rig, f, poses.back().span());
  }
  return std::make_shared<const clip::Clip>(kShapesClip, rig, timecode::FrameRate{},
                                            std::move(poses), false);
}

absl::StatusOr<Cast> LoadCast(const std::string& clip, const std::string& who,
                              const clipio::LoadOptions& options) {
  const auto catalog = skel::RigCatalog::Builtin("arkit68");
  if (!catalog.ok()) return catalog.status();
  auto person = character_file::OpenCharacter(who, *catalog);
  if (!person.ok()) return person.status();
  const auto& rig = (*person)->rig;
  auto loaded = LoadNamed(clip, rig, *catalog, options);
  if (!loaded.ok()) return loaded.status();
  return Cast{*std::move(person), *std::move(loaded)};
}

// Fills in the complex points of one frame. Called for each frame in order.
using ComplexFrame =
    std::function<absl::Status(size_t frame, const skel::PoseView& pose, absl::Span<Vec3> out)>;

absl::StatusOr<std::shared_ptr<const character::ShapeOffsets>> ReadShapes(
    const std::string& path, const SimpleRig& rig, const character::Character& person) {
  const auto named = [&](const absl::Status& why) {
    return absl::Status(why.code(), absl::StrCat("--shapes ", path, ": ", why.message()));
  };
  auto bytes = files::ReadWhole(path, kMostOffsetsFile_bytes);
  if (!bytes.ok()) return named(bytes.status());
  const auto file = offsets::OffsetsFile::Parse(*std::move(bytes));
  if (!file.ok()) return named(file.status());
  if (absl::Status s = file->Check(character::MeshHash(rig.skin, person), 0); !s.ok()) {
    return named(s);
  }
  auto read = character::ShapeOffsets::Read(*file, *person.rig, rig.skin.points());
  return read.ok() ? read : named(read.status());
}

absl::StatusOr<FilmBake> Bake(const Cast& cast, const std::string& shapes,
                              const ComplexFrame& complex_frame, const Console& console) {
  FilmBake out;
  out.clip = cast.clip;
  out.rig = std::make_unique<SimpleRig>(cast.person);
  if (!shapes.empty()) {
    auto read = ReadShapes(shapes, *out.rig, *cast.person);
    if (!read.ok()) return read.status();
    out.rig->shapes = *std::move(read);
    out.header.shapes_hash = out.rig->shapes->hash();
  }
  const auto& rig = cast.person->rig;
  const character::PointSkin& skin = out.rig->skin;
  const size_t points = skin.points();
  const auto frames = static_cast<size_t>(out.clip->frames());
  if (points * frames > (size_t{1} << 28)) {
    return absl::ResourceExhaustedError(absl::StrCat(
        points, " points in ", frames, " frames do not fit into memory; cut the clip"));
  }
  out.header.points = static_cast<uint32_t>(points);
  out.header.frames = static_cast<uint32_t>(frames);
  out.header.rate_num = static_cast<uint32_t>(out.clip->rate().num);
  out.header.rate_den = static_cast<uint32_t>(out.clip->rate().den);
  out.header.mesh_hash = character::MeshHash(skin, *cast.person);
  out.header.clip_hash = offsets::kHashSeed;
  out.size_m = SizeOf(skin.rest());
  out.uv = character::PointUv(skin, *cast.person);
  out.offsets.resize(points * frames);
  out.complex.resize(points * frames);
  std::vector<bool> moves(points, false);
  skel::Pose pose(rig->joints(), rig->shapes());
  ProgressBar progress(console, "baking", static_cast<int64_t>(frames));
  for (size_t f = 0; f < frames; ++f) {
    out.clip->CopyFrame(static_cast<int>(f), pose.span());
    out.header.clip_hash = character::PoseHash(pose.view(), out.header.clip_hash);
    const auto complex = absl::MakeSpan(out.complex).subspan(f * points, points);
    const auto result = absl::MakeSpan(out.offsets).subspan(f * points, points);
    const SimpleRig& simple = *out.rig;
    if (absl::Status status = out.rig->Pose(pose.view()); !status.ok()) return status;
    // Points without a complex twin stay as the simple rig has them.
    std::copy(simple.points.begin(), simple.points.end(), complex.begin());
    if (absl::Status status = complex_frame(f, pose.view(), complex); !status.ok()) return status;
    out.singular = std::max(out.singular, simple.singular);
    if (absl::Status status =
            mesh::OffsetsJob{simple.transforms, simple.points, complex, result}.Run();
        !status.ok()) {
      return status;
    }
    for (Vec3& o : result) {
      if (skel::Length(o) < kRounding_m) o = {};
    }
    for (size_t i = 0; i < points; ++i) moves[i] = moves[i] || skel::Length(result[i]) > 1e-4f;
    progress.At(static_cast<int64_t>(f));
  }
  out.moving = static_cast<size_t>(std::count(moves.begin(), moves.end(), true));
  return out;
}

// Checks the units first, because wrong units would cause misleading errors later.
absl::Status CheckSizes(float simple_m, float complex_m) {
  if (complex_m > 0.25f * simple_m && complex_m < 4 * simple_m) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "in the first frame the complex meshes are ", complex_m, " m long, and the simple ones ",
      simple_m, " m; they must have the same unit, or try --scale ",
      absl::StrFormat("%.2g", simple_m / complex_m)));
}

}  // namespace

absl::Status SimpleRig::Pose(const skel::PoseView& pose) {
  if (absl::Status s = deformer.Pose(pose); !s.ok()) return s;
  transforms.resize(skin.points());
  points.resize(skin.points());
  skin.Gather(deformer, absl::MakeSpan(points), {});
  if (absl::Status s = skin.Transforms(deformer, absl::MakeSpan(transforms), &singular); !s.ok()) {
    return s;
  }
  if (shapes == nullptr) return absl::OkStatus();
  sum_.resize(skin.points());
  shapes->Sum(pose, absl::MakeSpan(sum_));
  const mesh::WeighedOffsets whole{sum_, 1};
  return mesh::ReconstructJob{transforms, points, {&whole, 1}, absl::MakeSpan(points)}.Run();
}

bool IsBuiltinClip(const std::string& clip) {
  const std::vector<std::string> names = gesture::GestureNames();
  return clip == "exercise" || clip == kShapesClip ||
         std::find(names.begin(), names.end(), clip) != names.end();
}

absl::StatusOr<std::shared_ptr<const clip::Clip>> LoadNamed(
    const std::string& clip, const std::shared_ptr<const skel::Rig>& rig,
    const skel::RigCatalog& catalog, const clipio::LoadOptions& options) {
  if (clip == "exercise") return MakeExercise(rig);
  if (clip == kShapesClip) return MakeShapesClip(rig);
  if (!IsBuiltinClip(clip)) return clipio::LoadClip(clip, rig, catalog, options);
  auto gestures = gesture::MakeGestures(rig);
  if (!gestures.ok()) return gestures.status();
  return std::shared_ptr<const clip::Clip>(*gestures, (*gestures)->Find(clip));
}

absl::StatusOr<timecode::FrameRate> RateOfMeshes(const character::PointAnimation& meshes,
                                                 const std::string& path, const std::string& fps) {
  if (!fps.empty()) return timecode::ParseFrameRate(fps);
  const double hz = meshes.natural_hz();
  if (!(hz > 0)) return timecode::FrameRate();
  auto own = timecode::ParseFrameRate(absl::StrCat(std::round(hz * 100) / 100));
  if (own.ok()) return own;
  return absl::Status(own.status().code(),
                      absl::StrCat(path, ": ", own.status().message(), "; give --fps"));
}

absl::Status WriteTake(const std::string& clip, const std::string& who, const std::string& path) {
  const auto cast = LoadCast(clip, who, {});
  if (!cast.ok()) return cast.status();
  return clipio::WriteClip(*cast->clip, path);
}

absl::StatusOr<FilmBake> BakeFilm(const std::string& clip, const std::string& who,
                                  const std::string& shapes, const Console& console) {
  const auto cast = LoadCast(clip, who, {});
  if (!cast.ok()) return cast.status();
  auto film = character::FilmDeformer::Make(cast->person);
  if (!film.ok()) return film.status();
  const double period_s = cast->clip->rate().period_s();
  return Bake(
      *cast, shapes,
      [&](size_t, const skel::PoseView& pose, absl::Span<Vec3> out) {
        return (*film)->Pose(pose, period_s, out);
      },
      console);
}

absl::StatusOr<FilmBake> BakeMeshes(const MeshBakeOptions& options, const Console& console) {
  auto animation = character_file::OpenPointAnimation(options.complex);
  if (!animation.ok()) return animation.status();
  const auto given = RateOfMeshes(**animation, options.complex, options.fps);
  if (!given.ok()) return given.status();
  const timecode::FrameRate rate = *given;
  clipio::LoadOptions load;
  load.rate = rate;
  const auto cast = LoadCast(options.clip, options.who, load);
  if (!cast.ok()) return cast.status();
  const SimpleRig rig(cast->person);
  auto match = MatchPoints((*animation)->parts(), rig.skin, *cast->person);
  if (!match.ok()) {
    return absl::Status(match.status().code(),
                        absl::StrCat(options.complex, ": ", match.status().message()));
  }
  const auto frames = static_cast<size_t>(cast->clip->frames());
  if (const size_t has = (*animation)->frames(rate.hz()); has != frames) {
    return absl::InvalidArgumentError(absl::StrCat(
        options.complex, " has ", has, " frames at ", timecode::ToString(rate),
        " a second, and the clip ", frames, "; they must be of the same time, or give --fps"));
  }
  const character::CharacterNode& root = cast->person->root;
  const Affine place = skel::FromTrs(root.translation, root.rotation, root.scale);
  std::vector<Vec3> from((*animation)->points());
  auto out = Bake(
      *cast, options.shapes,
      [&](size_t frame, const skel::PoseView&, absl::Span<Vec3> complex) -> absl::Status {
        if (absl::Status s = (*animation)->Frame(frame, rate.hz(), absl::MakeSpan(from)); !s.ok())
          return s;
        for (Vec3& p : from) p = skel::TransformPoint(place, p * options.scale);
        if (frame == 0) {
          std::vector<Vec3> simple;
          for (size_t i = 0; i < complex.size(); ++i) {
            if (match->point_of[i] >= 0) simple.push_back(complex[i]);
          }
          if (absl::Status s = CheckSizes(SizeOf(simple), SizeOf(from)); !s.ok()) return s;
        }
        for (size_t i = 0; i < complex.size(); ++i) {
          if (match->point_of[i] >= 0) {
            complex[i] = from[static_cast<size_t>(match->point_of[i])];
          }
        }
        return absl::OkStatus();
      },
      console);
  if (out.ok()) out->notes = std::move(match->notes);
  return out;
}

std::string SummaryOf(const FilmBake& bake) {
  return absl::StrFormat(
      "%s: %d points, %d frames at %.4g a second, %.1f MB as 32-bit floats; %d points are ever "
      "more than 0.1 mm off their simple rig; at most %d in a frame needed the fallback for a "
      "blend that cannot be inverted",
      bake.clip->name(), bake.header.points, bake.header.frames, bake.clip->rate().hz(),
      bake.raw_bytes() / 1e6, bake.moving, bake.singular);
}

std::string Millimetres(double metres) { return absl::StrFormat("%.4f", metres * 1000); }

absl::StatusOr<FilmBake> BakeAsAsked(const BakeOptions& options, const Console& console) {
  const bool makes_set = options.clip == kShapesClip;
  if (makes_set && !options.shapes.empty()) {
    return absl::InvalidArgumentError(
        "--shapes names the set that a clip is baked on top of, and this makes a set: leave it "
        "out");
  }
  auto bake = [&]() -> absl::StatusOr<FilmBake> {
    if (options.complex.empty()) {
      return BakeFilm(options.clip, options.character, options.shapes, console);
    }
    if (!(options.scale > 0) || options.scale > 1e6) {
      return absl::InvalidArgumentError(
          absl::StrCat("--scale is ", options.scale, ", expected above 0 and at most 1e6"));
    }
    MeshBakeOptions with;
    with.complex = options.complex;
    with.clip = options.clip;
    with.who = options.character;
    with.shapes = options.shapes;
    with.scale = static_cast<float>(options.scale);
    with.fps = options.fps;
    return BakeMeshes(with, console);
  }();
  if (bake.ok() && makes_set) bake->header.content = offsets::Content::kShapes;
  return bake;
}

absl::StatusOr<std::vector<Distance>> DistancesFrom(
    FilmBake& bake, const std::vector<const offsets::OffsetsFile*>& files) {
  const size_t points = bake.header.points;
  std::vector<Distance> out(files.size());
  std::vector<std::unique_ptr<offsets::Chunk>> chunks(files.size());
  std::vector<Vec3> o(points), back(points);
  const auto& rig = bake.clip->rig();
  skel::Pose pose(rig->joints(), rig->shapes());
  for (size_t f = 0; f < bake.header.frames; ++f) {
    bake.clip->CopyFrame(static_cast<int>(f), pose.span());
    if (absl::Status status = bake.rig->Pose(pose.view()); !status.ok()) return status;
    for (size_t k = 0; k < files.size(); ++k) {
      std::vector<mesh::WeighedOffsets> clips;
      if (files[k] != nullptr) {
        if (f % offsets::kChunkFrames == 0) {
          auto chunk = files[k]->Open(f / offsets::kChunkFrames);
          if (!chunk.ok()) return chunk.status();
          chunks[k] = *std::move(chunk);
        }
        chunks[k]->Frame(f % offsets::kChunkFrames, absl::MakeSpan(o));
        clips.push_back({o, 1});
      }
      const SimpleRig& simple = *bake.rig;
      if (absl::Status status =
              mesh::ReconstructJob{simple.transforms, simple.points, clips, absl::MakeSpan(back)}
                  .Run();
          !status.ok()) {
        return status;
      }
      for (size_t i = 0; i < points; ++i) {
        const double away = skel::Length(back[i] - bake.complex[f * points + i]);
        out[k].worst_m = std::max(out[k].worst_m, away);
        out[k].mean_m += away;
      }
    }
  }
  for (Distance& d : out) d.mean_m /= static_cast<double>(bake.offsets.size());
  return out;
}

}  // namespace posewire::animclip
