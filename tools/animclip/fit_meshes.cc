// Scenes of meshes without weights: their faces and points, and a skeleton that a clip moves.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "libs/character/shown_parts.h"
#include "libs/character/smooth_normals.h"
#include "libs/character_file/point_file.h"
#include "libs/character_file/read_character.h"
#include "libs/clipio/open_clip.h"
#include "libs/clipio/skeleton_file.h"
#include "libs/mesh/blend_shapes.h"
#include "libs/retarget/upright.h"
#include "libs/skel/body.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig_map.h"
#include "tools/animclip/fit_scene.h"
#include "tools/animclip/point_match.h"

namespace posewire::animclip {
namespace {

using skel::Affine;
using skel::Quat;
using skel::Vec3;

// Rates of files that do not say theirs.
constexpr const char* kRates[] = {"30", "24", "25", "60", "50", "48", "90", "100", "120", "29.97"};
// Frames by which the length of a clip may differ from that of the meshes.
constexpr double kMostSlip = 0.05;

// What moves the meshes.
struct Mover {
  std::shared_ptr<const skel::Rig> rig;
  std::string from;  // for messages
  bool own = false;  // the clip's, in its axes and unit
  Quat upright;      // from its axes to ours
  float unit_m = 1;
};

absl::StatusOr<std::shared_ptr<const skel::Rig>> RigOfNames(const std::string& clip,
                                                            const skel::RigCatalog& catalog) {
  auto open = clipio::OpenClip(clip);
  if (!open.ok()) return open.status();
  const auto first = (*open)->Next();
  if (!first.ok()) return first.status();
  if (*first) {
    const auto* const header = std::get_if<wire::StreamHeader>(&(*first)->chunk);
    if (auto rig = header == nullptr ? nullptr : skel::RecognizeRig(header->joints, catalog)) {
      return rig;
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat(clip,
                   ": has no skeleton at rest, and its joints are those of no built-in rig; "
                   "give --skeleton, a file that has one or a built-in rig: ",
                   absl::StrJoin(catalog.names(), ", ")));
}

absl::StatusOr<Mover> FindMover(const FitOptions& options, const skel::RigCatalog& catalog) {
  Mover out;
  const std::string& clip = options.film.clip;
  const bool builtin = options.skeleton.empty() && IsBuiltinClip(clip);
  if (auto named = catalog.Find(builtin ? "hanim_loa3" : options.skeleton); named.ok()) {
    out.rig = *std::move(named);
    out.from = absl::StrCat("rig ", out.rig->name());
    return out;
  }
  const std::string& file = options.skeleton.empty() ? clip : options.skeleton;
  auto rig = clipio::ReadSkeleton(file);
  out.own = rig.ok();
  if (!rig.ok() && absl::IsInvalidArgument(rig.status()) && options.skeleton.empty()) {
    rig = RigOfNames(clip, catalog);
  }
  if (!rig.ok()) return rig.status();
  out.rig = *std::move(rig);
  out.from =
      out.own ? absl::StrCat("the skeleton of ", file) : absl::StrCat("rig ", out.rig->name());
  if (out.own) {
    out.unit_m = retarget::MakeUpright(out.rig, std::nullopt, std::nullopt, 1).unit;
    out.upright = skel::StandingOf(*out.rig).upright;
  }
  return out;
}

// Returns the time from a clip's first key to its last.
absl::StatusOr<double> LengthOf(const std::string& clip) {
  if (IsBuiltinClip(clip)) {
    const auto catalog = skel::RigCatalog::Builtin("arkit68");
    if (!catalog.ok()) return catalog.status();
    const auto rig = catalog->Find("hanim_loa3");
    if (!rig.ok()) return rig.status();
    const auto loaded = LoadNamed(clip, *rig, *catalog, {});
    if (!loaded.ok()) return loaded.status();
    return ((*loaded)->frames() - 1) * (*loaded)->rate().period_s();
  }
  auto open = clipio::OpenClip(clip);
  if (!open.ok()) return open.status();
  double first = 0, last = 0;
  for (bool any = false;;) {
    const auto message = (*open)->Next();
    if (!message.ok()) return message.status();
    if (!*message) return last - first;
    const wire::DataChunk* const data = (*message)->data();
    if (data == nullptr) continue;
    for (const wire::KeyBlock& keys : data->pose) {
      for (const double code : keys.time_codes_s) {
        first = any ? std::min(first, code) : code;
        last = any ? std::max(last, code) : code;
        any = true;
      }
    }
  }
}

// Where the joints are in a pose, in metres and our axes.
std::vector<Affine> PlacesOf(const Mover& mover, const skel::PoseView& pose) {
  std::vector<Affine> out(static_cast<size_t>(mover.rig->joints()));
  skel::LocalToModelJob walk;
  walk.rig = mover.rig.get();
  walk.local = pose;
  walk.matrices = absl::MakeSpan(out);
  walk.Run();
  for (Affine& m : out) {
    for (Vec3& row : m.row) row = skel::Rotate(mover.upright, row);
    m.row[3] = m.row[3] * mover.unit_m;
  }
  return out;
}

struct Box {
  Vec3 low{1e30f, 1e30f, 1e30f}, high{-1e30f, -1e30f, -1e30f};

  void Add(Vec3 p) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  Vec3 size() const { return high - low; }
  float longest() const { return std::max({size().x, size().y, size().z}); }
};

// How meshes come into the skeleton's space.
struct Fitting {
  float scale = 1;
  Quat turn;
  const char* unit = "";  // "": metres
  bool turned = false;
};

// Of the usual units and up axes, returns those with which the meshes cover the skeleton best.
absl::StatusOr<Fitting> FindFitting(absl::Span<const Vec3> points, const Box& joints,
                                    const Mover& mover, double given_scale) {
  struct Unit {
    float metres;
    const char* name;
  };
  std::vector<Unit> units = {{1, ""}};
  if (given_scale != 1) units = {{static_cast<float>(given_scale), ""}};
  if (given_scale == 1) {
    units.insert(
        units.end(),
        {{0.01f, "centimetres"}, {0.001f, "millimetres"}, {0.0254f, "inches"}, {0.3048f, "feet"}});
    if (mover.unit_m != 1) units.push_back({mover.unit_m, "the skeleton's unit"});
  }
  const std::vector<Quat> turns = {{}, *skel::UprightFrom("z"), mover.upright};
  std::optional<Fitting> best;
  float least = 0;
  float longest = 0;
  for (const Unit& unit : units) {
    for (size_t t = 0; t < turns.size(); ++t) {
      Box box;
      for (const Vec3 p : points) box.Add(skel::Rotate(turns[t], p) * unit.metres);
      if (unit.metres == units[0].metres && t == 0) longest = box.longest();
      const float ratio = box.longest() / joints.longest();
      if (!(ratio > 0.7f && ratio < 2)) continue;
      // The plain reading wins unless another is clearly better.
      const float apart =
          (skel::Length(box.low - joints.low) + skel::Length(box.high - joints.high)) *
          (best ? 1.15f : 1.0f);
      if (best && apart >= least) continue;
      best = Fitting{unit.metres, turns[t], unit.name, std::fabs(turns[t].w) < 0.9999f};
      least = apart;
    }
  }
  if (best) return *best;
  return absl::InvalidArgumentError(absl::StrFormat(
      "the meshes are %.4g long, and %s %.4g m; no usual unit makes them alike, so give the metres "
      "of their unit with --scale",
      longest, mover.from, joints.longest()));
}

// Rotates the file's normals as those of the triangles rotate between two sets of points.
void TurnNormals(absl::Span<const Vec3> from, character::Mesh& mesh) {
  const std::vector<uint32_t> twins = character::TwinsOf(from, {});
  const std::vector<Vec3> was = character::SmoothNormals(from, mesh.triangles, twins);
  const std::vector<Vec3> is = character::SmoothNormals(mesh.points, mesh.triangles, twins);
  for (size_t i = 0; i < mesh.normals.size(); ++i) {
    mesh.normals[i] = skel::Length(was[i]) > 0.5f && skel::Length(is[i]) > 0.5f
                          ? skel::Rotate(skel::BetweenDirections(was[i], is[i]), mesh.normals[i])
                          : is[i];
  }
}

// Keeps the shapes that streams know, under their names, with offsets in the character's space.
absl::Status TakeShapes(const character::Character& from, size_t place,
                        absl::Span<const Affine> to_space, character::Mesh& mesh) {
  std::vector<mesh::BlendShape> kept;
  for (const character::Drive& drive : from.drives) {
    if (drive.mesh != static_cast<int>(place) || drive.kind != character::Drive::Kind::kMean ||
        drive.sources.size() != 1) {
      continue;
    }
    const mesh::BlendShape& shape = mesh.shapes[static_cast<size_t>(drive.shape)];
    const mesh::BlendShape::Blend blend = shape.Find(1);
    mesh::BlendShapeParts parts;
    parts.name = from.rig->shape_names()[static_cast<size_t>(drive.sources[0])];
    parts.offsets.resize(mesh.points.size());
    for (const auto& [key, share] :
         {std::pair{blend.low, blend.low_part}, std::pair{blend.high, blend.high_part}}) {
      if (key == nullptr) continue;
      for (size_t i = 0; i < key->offsets.size(); ++i) {
        const size_t p = shape.indices().empty() ? i : static_cast<size_t>(shape.indices()[i]);
        parts.offsets[p] =
            parts.offsets[p] + skel::TransformVector(to_space[p], key->offsets[i] * share);
      }
    }
    auto made = mesh::BlendShape::Make(std::move(parts));
    if (!made.ok()) return made.status();
    kept.push_back(*std::move(made));
  }
  mesh.shapes = std::move(kept);
  mesh.shape_weights.assign(mesh.shapes.size(), 0);
  return absl::OkStatus();
}

class MeshScene {
 public:
  MeshScene(const FitOptions& options, const Console& console)
      : options_(options), console_(console), path_(options.film.complex) {}

  absl::StatusOr<FitScene> Make() {
    auto catalog = skel::RigCatalog::Builtin("arkit68");
    if (!catalog.ok()) return catalog.status();
    catalog_ = *std::move(catalog);
    auto animation = character_file::OpenPointAnimation(path_);
    if (!animation.ok()) return animation.status();
    animation_ = *std::move(animation);
    const auto file = character_file::FirstPointFile(path_);
    if (!file.ok()) return file.status();
    auto still = character_file::OpenCharacter(*file, catalog_);
    if (!still.ok()) return still.status();
    still_ = *std::move(still);
    auto mover = FindMover(options_, catalog_);
    if (!mover.ok()) return mover.status();
    mover_ = *std::move(mover);
    for (const auto step : {&MeshScene::Load, &MeshScene::Bind, &MeshScene::Place,
                            &MeshScene::AddMeshes, &MeshScene::AddFrames}) {
      if (absl::Status s = (this->*step)(); !s.ok()) return s;
    }
    Note();
    return std::move(out_);
  }

 private:
  absl::Status At(const absl::Status& s) const {
    return absl::Status(s.code(), absl::StrCat(path_, ": ", s.message()));
  }

  // Reads the clip at the meshes' rate, or at that with which they are as long as the clip.
  absl::Status Load() {
    const auto given = RateOfMeshes(*animation_, path_, options_.film.fps);
    if (!given.ok()) return given.status();
    out_.rate = *given;
    if (options_.film.fps.empty() && !(animation_->natural_hz() > 0)) {
      const auto length_s = LengthOf(options_.film.clip);
      if (!length_s.ok()) return length_s.status();
      out_.rate = RateWithin(*length_s).value_or(*given);
    }
    clipio::LoadOptions load;
    load.rate = out_.rate;
    load.retarget = !mover_.own || !options_.skeleton.empty();
    auto clip = LoadNamed(options_.film.clip, mover_.rig, catalog_, load);
    if (!clip.ok()) return clip.status();
    clip_ = *std::move(clip);
    const size_t has = animation_->frames(out_.rate.hz());
    if (has == frames()) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat(
        path_, " has ", has, " frames at ", timecode::ToString(out_.rate),
        " a second, and the clip ", frames(), "; they must be of the same time, or give --fps"));
  }

  // Of files that do not say their rate, returns a usual or whole one.
  std::optional<timecode::FrameRate> RateWithin(double length_s) {
    const auto steps = static_cast<double>(animation_->frames(30) - 1);
    std::vector<std::string> rates(std::begin(kRates), std::end(kRates));
    if (length_s > 0) rates.push_back(absl::StrCat(std::round(steps / length_s)));
    for (const std::string& text : rates) {
      const auto rate = timecode::ParseFrameRate(text);
      if (!rate.ok() || std::fabs(length_s * rate->hz() - steps) > kMostSlip) continue;
      rate_assumed_ = true;
      return *rate;
    }
    return std::nullopt;
  }

  size_t frames() const { return static_cast<size_t>(clip_->frames()); }

  // Poses the joints, and makes nodes and a skin of them.
  absl::Status Bind() {
    if (frames() > 100000) return At(absl::ResourceExhaustedError("over 100000 frames"));
    if (options_.rest_frame < 0 || static_cast<size_t>(options_.rest_frame) >= frames()) {
      return absl::InvalidArgumentError(
          absl::StrCat("--rest-frame is ", options_.rest_frame, ", expected 0 to ", frames() - 1));
    }
    rest_ = static_cast<size_t>(options_.rest_frame);
    out_.rest_frame = options_.rest_frame;
    out_.weighted = false;
    const skel::Rig& rig = *mover_.rig;
    const std::vector<Affine> at_rest = PlacesOf(mover_, rig.rest());
    skel::Pose pose(rig.joints(), rig.shapes());
    out_.shape_names.assign(rig.shape_names().begin(), rig.shape_names().end());
    for (size_t f = 0; f < frames(); ++f) {
      clip_->CopyFrame(static_cast<int>(f), pose.span());
      out_.nodes.push_back(PlacesOf(mover_, pose.view()));
      for (int k = 0; k < rig.shapes(); ++k) {
        out_.shapes.push_back(pose.view().has_w[k] ? pose.view().weights[k] : 0.0f);
      }
    }
    character::Skin& skin = out_.person.skins.emplace_back();
    out_.person.name = path_;
    for (int j = 0; j < rig.joints(); ++j) {
      const auto i = static_cast<size_t>(j);
      const int parent = rig.topology().parent(j);
      const skel::Trs local = skel::Decompose(
          parent < 0
              ? at_rest[i]
              : skel::Mul(at_rest[i],
                          skel::Inverse(at_rest[static_cast<size_t>(parent)]).value_or(Affine{})));
      out_.person.nodes.push_back({std::string(skel::LastPathElement(rig.joint_paths()[i])), parent,
                                   local.translation, local.rotation, local.scale});
      out_.person.order.push_back(j);
      skin.nodes.push_back(j);
      const auto inverse = skel::Inverse(out_.nodes[rest_][i]);
      if (!inverse) {
        return absl::InvalidArgumentError(
            absl::StrCat("joint \"", rig.joint_paths()[i], "\" has no size in frame ", rest_));
      }
      skin.inverse_bind.push_back(*inverse);
    }
    return absl::OkStatus();
  }

  // Takes the meshes that have points in the animation.
  absl::Status AddMeshes() {
    SimpleRig rig(still_);
    auto match = MatchPoints(animation_->parts(), rig.skin, *still_);
    if (!match.ok()) return At(match.status());
    out_.notes = std::move(match->notes);
    // Of the points of the file, whose root may be scaled for pictures.
    skel::Pose pose(still_->rig->joints(), still_->rig->shapes());
    pose.span().CopyFrom(still_->rig->rest());
    if (absl::Status s = rig.Pose(pose.view()); !s.ok()) return s;
    std::vector<Affine> to_space = rig.transforms;
    const character::CharacterNode& root = still_->root;
    const auto back = skel::Inverse(skel::FromTrs(root.translation, root.rotation, root.scale));
    const float by = fitting_.scale;
    for (Affine& m : to_space) {
      m = skel::Mul(skel::Mul(m, back.value_or(Affine{})),
                    skel::FromTrs({}, fitting_.turn, {by, by, by}));
    }
    out_.person.textures = still_->textures;
    out_.person.materials = still_->materials;
    for (size_t k = 0; k < rig.skin.meshes().size(); ++k) {
      const size_t place = rig.skin.meshes()[k], from = rig.skin.first()[k];
      character::Mesh mesh = still_->meshes[place];
      if (match->point_of[from] < 0) continue;
      out_.first.push_back(point_of_.size());
      for (size_t i = 0; i < mesh.points.size(); ++i) {
        point_of_.push_back(static_cast<size_t>(match->point_of[from + i]));
      }
      if (absl::Status s = TakeShapes(*still_, place, absl::MakeSpan(to_space).subspan(from), mesh);
          !s.ok()) {
        return s;
      }
      mesh.node = 0;
      mesh.skin = 0;
      mesh.per_point = 1;
      mesh.joints.assign(mesh.points.size(), 0);
      mesh.weights.assign(mesh.points.size(), 1);
      mesh.method = mesh::SkinningMethod::kClassicLinear;
      out_.person.meshes.push_back(std::move(mesh));
    }
    character::KeepMeshes(std::vector<bool>(out_.person.meshes.size(), true), out_.person);
    out_.points = point_of_.size();
    if (out_.points * frames() > (size_t{1} << 28)) {
      return At(absl::ResourceExhaustedError(absl::StrCat(
          out_.points, " points in ", frames(), " frames do not fit into memory; cut the clip")));
    }
    return absl::OkStatus();
  }

  // Brings the meshes to the skeleton.
  absl::Status Place() {
    std::vector<Vec3> all(animation_->points());
    if (absl::Status s = animation_->Frame(rest_, out_.rate.hz(), absl::MakeSpan(all)); !s.ok()) {
      return s;
    }
    Box joints;
    for (const Affine& m : out_.nodes[rest_]) joints.Add(m.row[3]);
    auto fitting = FindFitting(all, joints, mover_, options_.film.scale);
    if (!fitting.ok()) return At(fitting.status());
    fitting_ = *fitting;
    return absl::OkStatus();
  }

  absl::Status AddFrames() {
    std::vector<Vec3> all(animation_->points());
    const double hz = out_.rate.hz();
    ProgressBar progress(console_, "reading meshes", static_cast<int64_t>(frames()));
    for (size_t f = 0; f < frames(); ++f) {
      if (absl::Status s = animation_->Frame(f, hz, absl::MakeSpan(all)); !s.ok()) return s;
      for (Vec3& p : all) p = skel::Rotate(fitting_.turn, p) * fitting_.scale;
      for (const size_t i : point_of_) out_.complex.push_back(all[i]);
      progress.At(static_cast<int64_t>(f));
    }
    const absl::Span<const Vec3> bound = out_.Complex(rest_);
    for (size_t m = 0; m < out_.person.meshes.size(); ++m) {
      character::Mesh& mesh = out_.person.meshes[m];
      const std::vector<Vec3> was = mesh.points;
      const auto own = bound.subspan(out_.first[m], was.size());
      mesh.points.assign(own.begin(), own.end());
      TurnNormals(was, mesh);
    }
    return absl::OkStatus();
  }

  void Note() {
    std::vector<std::string> said = {
        absl::StrCat("the meshes of frame ", rest_, " are at rest (--rest-frame)"),
        absl::StrCat(mover_.from, " moves them (--skeleton)")};
    if (*fitting_.unit != '\0') {
      said.push_back(
          absl::StrFormat("their lengths are in %s (--scale %.5g)", fitting_.unit, fitting_.scale));
    }
    if (fitting_.turned) said.emplace_back("they are turned to Y up, as the skeleton is");
    if (rate_assumed_) {
      said.push_back(
          absl::StrCat("they have ", timecode::ToString(out_.rate), " frames a second (--fps)"));
    }
    out_.notes.push_back(absl::StrCat("assumed: ", absl::StrJoin(said, "; ")));
  }

  const FitOptions& options_;
  const Console& console_;
  const std::string path_;
  skel::RigCatalog catalog_;
  std::unique_ptr<character::PointAnimation> animation_;
  std::shared_ptr<const character::Character> still_;
  std::shared_ptr<const clip::Clip> clip_;
  Mover mover_;
  Fitting fitting_;
  bool rate_assumed_ = false;
  size_t rest_ = 0;
  std::vector<size_t> point_of_;  // of the animation, for each point of the scene
  FitScene out_;
};

}  // namespace

absl::StatusOr<FitScene> SceneOfMeshes(const FitOptions& options, const Console& console) {
  return MeshScene(options, console).Make();
}

}  // namespace posewire::animclip
