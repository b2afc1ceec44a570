#include "libs/retarget/retarget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "libs/asset/motion_reader.h"
#include "libs/retarget/change_shapes.h"
#include "libs/retarget/clip_filter.h"
#include "libs/retarget/mixamo_rest.h"
#include "libs/retarget/motion_doubts.h"
#include "libs/retarget/upright.h"
#include "libs/skel/body.h"
#include "libs/skel/foot_plant.h"
#include "libs/skel/hand_contact.h"
#include "libs/skel/model_place.h"
#include "libs/skel/path_index.h"
#include "libs/skel/pose_mapper.h"
#include "libs/skel/rig_map.h"
#include "libs/skel/shape_names.h"
#include "libs/wire/message.h"
#include "libs/wire/source_binding.h"

namespace posewire::retarget {
namespace {

using skel::kLeastBones;
// Bone lengths of the same rig differ by at most rounding in the file.
constexpr float kSameLength = 0.02f, kSame_m = 1e-3f;
constexpr double kSameShare = 0.9;
// A skeleton with fewer joints belongs to an object.
constexpr int kLeastUnknown = 4;
constexpr size_t kNamesShown = 5;
constexpr float kUnturned = 0.99999f;  // of a quaternion's real part
constexpr float kHangsAlike = 0.35f;   // radians

// Returns true for the joints and bone lengths of a rig that streams are recognised by.
bool IsKnownRig(const skel::Rig& skeleton, const skel::RigCatalog& catalog) {
  const auto known = skel::RecognizeRig(skeleton.joint_paths(), catalog);
  if (known == nullptr) return false;
  const skel::PoseMapper places = skel::PoseMapper::ToRig(skeleton.joint_paths(), *known);
  int all = 0, same = 0;
  for (int j = 0; j < skeleton.joints(); ++j) {
    const int place = places.TargetOf(j);
    if (place < 0 || skeleton.topology().parent(j) < 0) continue;
    const float is = skel::Length(skeleton.rest().translation(j));
    const float was = skel::Length(known->rest().translation(place));
    ++all;
    same += std::fabs(is - was) <= std::max(kSameLength * was, kSame_m) ? 1 : 0;
  }
  return all > 0 && same >= kSameShare * all;
}

// A rotation of an H-Anim joint means the same on every humanoid (ISO/IEC 19774). So a skeleton
// that has joints with these names, no rest rotations, and limbs that hang at rest about like the
// standard's, is treated as one with the standard's rest pose. Others are compared by the
// directions of their limbs.
std::shared_ptr<const skel::Rig> AsHAnim(std::shared_ptr<const skel::Rig> from,
                                         const skel::RigCatalog& catalog) {
  const auto known = skel::RecognizeRig(from->joint_paths(), catalog);
  if (known == nullptr || !absl::StartsWith(known->name(), "hanim_")) return from;
  skel::RigParts parts;
  for (int j = 0; j < from->joints(); ++j) {
    const skel::Quat turn = from->rest().rotation(j);
    if (std::fabs(turn.w) < kUnturned) return from;
    parts.rest_translations.push_back(from->rest().translation(j));
  }
  for (const auto& [start, end] : skel::kLimbSegments) {
    skel::Vec3 way[2];
    for (int i = 0; i < 2; ++i) {
      const skel::Rig& rig = i == 0 ? *from : *known;
      const int a = rig.humanoid().joint(start), b = rig.humanoid().joint(end);
      if (a < 0 || b < 0) return from;
      way[i] = skel::PlaceOf(rig, rig.rest(), b).at - skel::PlaceOf(rig, rig.rest(), a).at;
    }
    const float apart =
        std::atan2(skel::Length(skel::Cross(way[0], way[1])), skel::Dot(way[0], way[1]));
    if (!(apart < kHangsAlike)) return from;
  }
  parts.name = from->name();
  parts.stance = known->stance();
  parts.joint_paths.assign(from->joint_paths().begin(), from->joint_paths().end());
  parts.shapes.assign(from->shape_names().begin(), from->shape_names().end());
  auto made = skel::Rig::Make(std::move(parts));
  return made.ok() ? *std::move(made) : from;
}

bool MovesPose(const wire::DataChunk& data) {
  return std::any_of(std::begin(data.pose), std::end(data.pose),
                     [](const wire::KeyBlock& keys) { return !keys.empty(); });
}

class Retargeted : public ClipFilter {
 public:
  Retargeted(std::unique_ptr<recording::ClipReader> clip, std::shared_ptr<const skel::Rig> rig,
             skel::RigCatalog catalog, RetargetOptions options)
      : ClipFilter(std::move(clip)),
        rig_(std::move(rig)),
        catalog_(std::move(catalog)),
        options_(std::move(options)),
        pose_(rig_->joints(), rig_->shapes()) {}

 private:
  absl::StatusOr<std::optional<wire::Message>> DoNext() override {
    absl::StatusOr<std::optional<wire::Message>> message =
        ahead_ ? std::exchange(ahead_, std::nullopt) : clip().Next();
    end_of_last_ = clip().end_of_last();
    if (message.ok() && !*message) WarnAtEnd();
    if (!message.ok() || !*message) return message;
    wire::Chunk& chunk = (*message)->chunk;
    if (auto* const header = std::get_if<wire::StreamHeader>(&chunk)) {
      if (absl::Status s = Bind(*header); !s.ok()) return s;
      if (!binding_) return message;
    } else {
      auto* const data = std::get_if<wire::DataChunk>(&chunk);
      if (!binding_ || data == nullptr || !MovesPose(*data)) return message;
      Carry(*data);
    }
    return Check(wire::MakeMessage(std::move(chunk)).bytes);
  }

  void WarnAtEnd() {
    if (doubts_) Warn(doubts_->Judge());
    doubts_.reset();
  }

  absl::Status Bind(wire::StreamHeader& header) {
    if (header.joints.empty()) return absl::OkStatus();
    wire::StreamHeader said = header;
    const std::shared_ptr<const JointMap>& map = options_.map;
    std::shared_ptr<const skel::Rig> from = options_.rest;
    if (from == nullptr) {
      from = clip().skeleton();
      if (from == nullptr && clip().moves_nodes()) {
        if (absl::Status s = ReadAhead(); !s.ok()) return s;
        if (ahead_) from = MixamoRest(said.joints, PlacesIn(*ahead_));
        if (from == nullptr && BonesAmong(said.joints) >= kLeastBones) {
          return absl::InvalidArgumentError(
              "it moves a human's bones, and says nothing of how they stand at rest; give a file "
              "with its skeleton, such as its character, with --rest");
        }
      }
      if (from == nullptr && map != nullptr) {
        return absl::InvalidArgumentError(
            "it says nothing of how its joints stand at rest, which a map needs; give a file with "
            "its skeleton with --rest");
      }
      if (map == nullptr && !IsForeign(from.get(), catalog_)) {
        WarnOfUnknown(from.get());
        if (options_.upright || options_.unit_m) {
          Warn("--up and --unit are for clips on a skeleton of their own, and are ignored");
        }
        return absl::OkStatus();
      }
      if (map == nullptr) from = AsHAnim(std::move(from), catalog_);
    } else {
      const skel::PoseMapper places = skel::PoseMapper::ToRig(said.joints, *from);
      int known = 0;
      for (int i = 0; i < places.source_size(); ++i) known += places.TargetOf(i) >= 0 ? 1 : 0;
      if (known == 0) {
        return absl::InvalidArgumentError(
            absl::StrCat("the skeleton at rest has none of the clip's joints, such as \"",
                         said.joints[0], "\""));
      }
    }
    if (absl::Status s = NameBones(&from); !s.ok()) return s;
    if (from->stance() == skel::Stance::kAsItStands) {
      if (absl::Status s = PutUpright(said, &from); !s.ok()) return s;
    }
    SpellShapes(said.shapes);
    wire::BindingOptions options;
    options.all_translations = true;
    options.source_rig = from;
    auto binding = wire::SourceBinding::Make(said, rig_, catalog_, options);
    if (!binding.ok()) return binding.status();
    binding_ = *std::move(binding);
    if (absl::Status s = Stand(said, from); !s.ok()) return s;
    Name(header);
    if (binding_->ignored_shapes() > 0) {
      std::vector<std::string> lost;
      for (const std::string& shape : said.shapes) {
        if (rig_->FindShape(skel::LastPathElement(shape)) < 0) lost.push_back(shape);
      }
      Warn(absl::StrCat(binding_->ignored_shapes(), " blend shapes of the clip are none of rig ",
                        rig_->name(), " and are left out: ", Some(std::move(lost))));
    }
    if (const std::string missing = skel::MissingBones(*from); !missing.empty()) {
      Warn(absl::StrCat("no joint is known as ", missing, UnknownJoints(*from),
                        "; --map FILE says which they are"));
    }
    return absl::OkStatus();
  }

  absl::Status NameBones(std::shared_ptr<const skel::Rig>* from) const {
    if (options_.map == nullptr) return absl::OkStatus();
    auto named = options_.map->NameBones(**from, *rig_);
    if (!named.ok()) return named.status();
    *from = *std::move(named);
    return absl::OkStatus();
  }

  // Rotates the skeleton and the clip so that the skeleton is along +Y and faces +Z, and converts
  // both to metres. Uses the options if they say how, or else the skeleton's rest pose or first
  // pose.
  absl::Status PutUpright(wire::StreamHeader& said, std::shared_ptr<const skel::Rig>* from) {
    const bool lies = !skel::StandingOf(**from).known && skel::MissingBones(**from).empty();
    if (lies && !options_.upright && options_.rest == nullptr) {
      if (absl::Status s = ReadAhead(); !s.ok()) return s;
      if (auto posed = ahead_ && ahead_->data()
                           ? StandingInPose(**from, said.joints, *ahead_->data())
                           : nullptr) {
        *from = std::move(posed);
        Warn(
            "the skeleton does not stand at rest, so its first pose is taken for that; give a "
            "file in which it stands with --rest if it is no upright one");
      }
    }
    Upright upright =
        MakeUpright(*from, options_.upright, options_.unit_m, static_cast<float>(clip().unit_m()));
    for (const std::string& warning : upright.warnings) Warn(warning);
    unit_m_ = upright.unit;
    if (upright.rig == *from) return absl::OkStatus();
    for (std::string& joint : said.joints) joint = absl::StrCat(skel::kTurnedRoot, "/", joint);
    *from = std::move(upright.rig);
    return NameBones(from);
  }

  absl::Status ReadAhead() {
    if (ahead_) return absl::OkStatus();
    absl::StatusOr<std::optional<wire::Message>> first = clip().Next();
    if (!first.ok()) return first.status();
    ahead_ = *std::move(first);
    return absl::OkStatus();
  }

  // Warns about a skeleton that is passed on unchanged although it might be a person's.
  void WarnOfUnknown(const skel::Rig* skeleton) {
    if (skeleton == nullptr || skeleton->joints() < kLeastUnknown ||
        skeleton->humanoid().Count() >= kLeastBones) {
      return;
    }
    Warn(
        absl::StrCat("its ", skeleton->joints(), " joints are not known as a person's bones",
                     UnknownJoints(*skeleton),
                     ", so it is not carried over to another rig; --map FILE says which they are"));
  }

  static std::string UnknownJoints(const skel::Rig& rig) {
    std::vector<std::string> names;
    for (int j = 0; j < rig.joints(); ++j) {
      const std::string& name = rig.joint_names()[static_cast<size_t>(j)];
      if (!rig.humanoid().BoneOf(j) && name != skel::kTurnedRoot) names.push_back(name);
    }
    if (names.empty()) return "";
    return absl::StrCat(" (other joints: ", Some(std::move(names)), ")");
  }

  static std::string Some(std::vector<std::string> names) {
    const size_t more = names.size() > kNamesShown ? names.size() - kNamesShown : 0;
    names.resize(names.size() - more);
    return absl::StrCat(absl::StrJoin(names, ", "),
                        more > 0 ? absl::StrCat(" and ", more, " more") : "");
  }

  // Gives shapes that the rig spells differently ("Head.mouthSmile_L") the rig's names.
  void SpellShapes(std::vector<std::string>& shapes) const {
    absl::flat_hash_map<std::string, std::string> by_key;
    for (const std::string& name : rig_->shape_names()) by_key[skel::ShapeKeyOf(name)] = name;
    for (std::string& shape : shapes) {
      if (rig_->FindShape(skel::LastPathElement(shape)) >= 0) continue;
      const auto it = by_key.find(skel::ShapeKeyOf(skel::LastPathElement(shape)));
      if (it != by_key.end()) shape = it->second;
    }
  }

  // Prepares keeping the feet at their places in the clip, and the hands on the parts of the body
  // that they touch there. Both need the clip's own pose.
  absl::Status Stand(const wire::StreamHeader& said, const std::shared_ptr<const skel::Rig>& from) {
    if (from == rig_) return absl::OkStatus();
    auto map = skel::RigMap::Make(from, rig_);
    if (!map.ok()) return absl::OkStatus();  // a clip of shapes only
    wire::BindingOptions options;
    options.all_translations = true;
    options.source_rig = from;
    auto own = wire::SourceBinding::Make(said, from, catalog_, options);
    if (!own.ok()) return own.status();
    own_ = *std::move(own);
    doubts_.emplace(from);
    feet_.emplace(*map);
    hands_.emplace(*map);
    own_pose_ = skel::Pose(from->joints(), from->shapes());
    return absl::OkStatus();
  }

  static std::vector<float> PlacesIn(const wire::Message& message) {
    const wire::DataChunk* const data = message.data();
    if (data == nullptr || data->pose[wire::kTranslations].empty()) return {};
    const absl::Span<const float> places = data->pose[wire::kTranslations].key(0);
    return {places.begin(), places.end()};
  }

  static int BonesAmong(const std::vector<std::string>& joints) {
    skel::RigParts parts;
    parts.name = "names";
    parts.joint_paths = joints;
    parts.rest_translations.resize(joints.size());
    const auto rig = skel::Rig::Make(std::move(parts));
    return rig.ok() ? (*rig)->humanoid().Count() : 0;
  }

  // Names the joints and shapes of the rig that the clip determines.
  void Name(wire::StreamHeader& header) {
    std::array<std::vector<float>, wire::kPoseTracks> all;
    all[wire::kWeights].assign(header.shapes.size(), 0);
    all[wire::kTranslations].assign(3 * header.joints.size(), 0);
    all[wire::kRotations].assign(4 * header.joints.size(), 0);
    for (size_t at = 0; at < all[wire::kRotations].size(); at += 4) all[wire::kRotations][at] = 1;
    wire::SourceBinding::Sample sample;
    for (const auto t : {wire::kWeights, wire::kTranslations, wire::kRotations}) {
      sample.track[t] = all[t];
    }
    binding_->Apply(sample, pose_.span());
    const skel::PoseView pose = pose_.view();
    header.joints.clear();
    header.shapes.clear();
    for (int j = 0; j < pose.joints; ++j) {
      if (!pose.has_r[j] && !pose.has_t[j]) continue;
      joints_.push_back(j);
      header.joints.push_back(rig_->joint_paths()[static_cast<size_t>(j)]);
    }
    for (int s = 0; s < pose.shapes; ++s) {
      if (!pose.has_w[s]) continue;
      shapes_.push_back(s);
      header.shapes.push_back(rig_->shape_names()[static_cast<size_t>(s)]);
    }
  }

  // Takes the track's key at this time code. If there is none, keeps the last value.
  void Take(const wire::KeyBlock& keys, double time_code_s, wire::PoseTrack track) {
    const auto& codes_s = keys.time_codes_s;  // ascending
    const auto at = std::lower_bound(codes_s.begin(), codes_s.end(), time_code_s);
    if (at == codes_s.end() || *at != time_code_s) return;
    const absl::Span<const float> values = keys.key(static_cast<size_t>(at - codes_s.begin()));
    latest_[track].assign(values.begin(), values.end());
  }

  void Carry(wire::DataChunk& data) {
    std::array<wire::KeyBlock, wire::kPoseTracks> from;
    for (size_t t = 0; t < from.size(); ++t) from[t] = std::exchange(data.pose[t], {});
    for (float& place : from[wire::kTranslations].values) place *= unit_m_;
    const auto codes_of = [&](wire::PoseTrack track) { return from[track].time_codes_s; };
    std::set<double> poses, weights;
    for (const double time_code_s : codes_of(wire::kTranslations)) poses.insert(time_code_s);
    for (const double time_code_s : codes_of(wire::kRotations)) poses.insert(time_code_s);
    for (const double time_code_s : codes_of(wire::kWeights)) weights.insert(time_code_s);
    std::set<double> all = poses;
    all.insert(weights.begin(), weights.end());
    for (const double time_code_s : all) {
      wire::SourceBinding::Sample sample;
      for (const auto t : {wire::kWeights, wire::kTranslations, wire::kRotations}) {
        Take(from[t], time_code_s, t);
        sample.track[t] = latest_[t];
      }
      binding_->Apply(sample, pose_.span());
      if (feet_) {
        own_->Apply(sample, own_pose_.span());
        Warn(doubts_->Watch(own_pose_.view()));
        feet_->Apply(own_pose_.view(), pose_.span());
        hands_->Apply(own_pose_.view(), pose_.span());
      }
      if (poses.contains(time_code_s)) AddPose(time_code_s, data);
      if (weights.contains(time_code_s) && !shapes_.empty()) AddWeights(time_code_s, data);
    }
  }

  void AddPose(double time_code_s, wire::DataChunk& out) const {
    const skel::PoseView pose = pose_.view(), rest = rig_->rest();
    wire::KeyBlock& places = out.pose[wire::kTranslations];
    wire::KeyBlock& turns = out.pose[wire::kRotations];
    places.width = static_cast<int>(3 * joints_.size());
    turns.width = static_cast<int>(4 * joints_.size());
    places.time_codes_s.push_back(time_code_s);
    turns.time_codes_s.push_back(time_code_s);
    for (const int j : joints_) {
      asset::Put(pose.has_t[j] ? pose.translation(j) : rest.translation(j), places);
      asset::Put(pose.has_r[j] ? pose.rotation(j) : rest.rotation(j), turns);
    }
  }

  void AddWeights(double time_code_s, wire::DataChunk& out) const {
    wire::KeyBlock& weights = out.pose[wire::kWeights];
    weights.width = static_cast<int>(shapes_.size());
    weights.time_codes_s.push_back(time_code_s);
    for (const int s : shapes_) weights.values.push_back(pose_.view().weights[s]);
  }

  const std::shared_ptr<const skel::Rig> rig_;
  const skel::RigCatalog catalog_;
  const RetargetOptions options_;
  std::optional<wire::SourceBinding> binding_;  // none: the clip passes unchanged
  std::optional<wire::Message> ahead_;          // the message that was read ahead
  std::array<std::vector<float>, wire::kPoseTracks> latest_;
  std::vector<int> joints_, shapes_;  // the elements that the header names
  skel::Pose pose_;
  std::optional<wire::SourceBinding> own_;  // from the clip to its own skeleton
  std::optional<skel::FootPlant> feet_;
  std::optional<skel::HandContact> hands_;
  skel::Pose own_pose_;
  std::optional<MotionDoubts> doubts_;
  float unit_m_ = 1;  // by which the clip's translations are multiplied
};

}  // namespace

bool IsForeign(const skel::Rig* skeleton, const skel::RigCatalog& catalog) {
  return skeleton != nullptr && skeleton->humanoid().Count() >= kLeastBones &&
         !IsKnownRig(*skeleton, catalog);
}

std::unique_ptr<recording::ClipReader> Retarget(std::unique_ptr<recording::ClipReader> clip,
                                                std::shared_ptr<const skel::Rig> rig,
                                                skel::RigCatalog catalog, RetargetOptions options) {
  clip = ChangeShapes(std::move(clip), StreamShapes(rig));
  return std::make_unique<Retargeted>(std::move(clip), std::move(rig), std::move(catalog),
                                      std::move(options));
}

}  // namespace posewire::retarget
