#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/asset/motion_skeleton.h"
#include "libs/formats/usd/layer.h"
#include "libs/formats/usd/scene_text.h"
#include "libs/formats/usd/stage_scene.h"
#include "libs/formats/usd/usda.h"
#include "libs/formats/usd/usda_text.h"
#include "libs/mesh/extent.h"
#include "libs/skel/affine.h"
#include "libs/skel/path_index.h"

namespace posewire::usd {
namespace {

using skel::Affine;
using skel::Vec3;

// Dividing by a power of two is exact.
constexpr double kExactRate = 64;
// Share of a value clip by which one may begin early.
constexpr double kSameStart = 1e-3;
constexpr char kSceneRoot[] = "Scene";

// A character's place in a scene, and the names that it is written under.
struct InScene {
  std::string prim;
  asset::GroundPlace place;
  double rate = 0;  // common to all of them
};

class UsdaWriter : private UsdaText {
 public:
  explicit UsdaWriter(const asset::Motion& motion) : motion_(motion) {}

  // Of a scene: first Prepare, then the members of its root.
  absl::Status PrepareInScene() { return Prepare(); }
  double rate() const { return rate_; }
  double start_code() const { return start_code_; }
  double end_code() const { return end_code_; }
  absl::Status WriteInScene(const InScene& scene, asset::PutBytes put) {
    prim_ = scene.prim;
    path_ = absl::StrCat("/", kSceneRoot, "/", prim_);
    rate_ = scene.rate;
    place_ = scene.place;
    put_ = &put;
    return Avatar();
  }

  absl::Status WriteWhole(asset::PutBytes put) {
    if (absl::Status s = Prepare(); !s.ok()) return s;
    put_ = &put;
    Head("Avatar");
    return Avatar();
  }

  absl::Status WriteSplit(absl::string_view stem, const UsdaFiles& files) {
    if (absl::Status s = Prepare(); !s.ok()) return s;
    put_ = &files.rig;
    Head("Avatar");
    absl::Status status = BeginAvatar("", /*animated=*/false);
    BeginSkeleton("def Skeleton");
    Bones();
    status.Update(Extent("        ", /*animated=*/false));
    out_ += "    }\n}\n";
    status.Update(Flush(0));
    if (!status.ok()) return status;

    put_ = &files.clip;
    Head("Animation");
    out_ += "def SkelAnimation \"Animation\"\n{\n";
    in_animation_ = "    ";
    if (absl::Status s = Animation(); !s.ok()) return s;
    out_ += "}\n";
    if (absl::Status s = Flush(0); !s.ok()) return s;

    put_ = &files.take;
    Head("Avatar");
    status = BeginAvatar(AssetOf(absl::StrCat(stem, kRigEnding)));
    BeginSkeleton("over");
    status.Update(Extent("        ", /*animated=*/true));
    if (!status.ok()) return status;
    AnimationSource("        ");
    absl::StrAppend(&out_,
                    "\n        def SkelAnimation \"Animation\" (\n"
                    "            prepend references = ",
                    AssetOf(absl::StrCat(stem, kClipEnding)),
                    "\n        )\n        {\n        }\n    }\n");
    return Rest();
  }

  absl::Status WriteClipped(absl::string_view stem, double clip_s, PutFile put_file,
                            asset::PutBytes put) {
    if (absl::Status s = Prepare(); !s.ok()) return s;
    if (absl::Status s = FindStarts(clip_s); !s.ok()) return s;
    const auto animation = [&](absl::string_view ending, Part part) {
      part_ = part;
      return put_file(ending, [&](asset::PutBytes bytes) {
        put_ = &bytes;
        Head("Animation");
        out_ += "def SkelAnimation \"Animation\"\n{\n";
        in_animation_ = "    ";
        absl::Status s = Animation();
        out_ += "}\n";
        s.Update(Flush(0));
        return s;
      });
    };
    std::vector<std::string> files;
    for (clip_ = 0; clip_ < starts_s_.size(); ++clip_) {
      const std::string ending = absl::StrFormat(".clip%03d.usda", clip_ + 1);
      if (absl::Status s = animation(ending, Part::kClip); !s.ok()) return s;
      files.push_back(AssetOf(absl::StrCat(stem, ending)));
    }
    if (absl::Status s = animation(kManifestEnding, Part::kManifest); !s.ok()) return s;
    part_ = Part::kConstants;
    put_ = &put;
    std::vector<double> codes;
    for (const double start_s : starts_s_) codes.push_back(CodeOf(start_s));
    clips_ = ClipsMetadata(codes, files, AssetOf(absl::StrCat(stem, kManifestEnding)), start_code_,
                           end_code_);
    Head("Avatar");
    return Avatar();
  }

 private:
  // What is written of the animation.
  enum class Part {
    kAll,
    kConstants,  // names, and what has no keys
    kManifest,   // names, and the attributes that have keys
    kClip,       // names, and the keys of one value clip
  };

  // Divides the keys at those of the track that has most, at least `clip_s` apart.
  absl::Status FindStarts(double clip_s) {
    std::vector<double> most;
    for (const std::vector<double>& codes : motion_.time_codes_s) {
      if (codes.size() > most.size()) most = codes;
    }
    starts_s_ = {std::min(motion_.first_s(), most.empty() ? 0 : most.front())};
    for (const double time_s : most) {
      if (time_s >= starts_s_.back() + clip_s * (1 - kSameStart) && time_s < most.back()) {
        starts_s_.push_back(time_s);
      }
    }
    if (starts_s_.size() <= kMostValueClips) return absl::OkStatus();
    return absl::InvalidArgumentError(absl::StrCat("clips of ", clip_s, " s would be ",
                                                   starts_s_.size(), ", over ", kMostValueClips));
  }

  // Returns the keys of one clip: its own, and the values at both its ends, so that the values
  // between the keys of two clips are those of the whole.
  std::vector<double> InClip(const std::vector<double>& time_codes_s) const {
    const double from = starts_s_[clip_];
    const bool last = clip_ + 1 == starts_s_.size();
    const double to = last ? HUGE_VAL : starts_s_[clip_ + 1];
    std::vector<double> out;
    if (from > time_codes_s.front()) out.push_back(from);
    for (const double time_s : time_codes_s) {
      if (time_s >= from && time_s <= to && (out.empty() || time_s > out.back())) {
        out.push_back(time_s);
      }
    }
    if (out.empty()) out.push_back(from);
    if (!last && out.back() < to) out.push_back(to);
    return out;
  }

  absl::Status Avatar() {
    absl::Status status = BeginAvatar("");
    BeginSkeleton("def Skeleton");
    Bones();
    status.Update(Extent("        ", /*animated=*/true));
    if (!status.ok()) return status;
    AnimationSource("        ");
    absl::StrAppend(&out_, "\n        def SkelAnimation \"Animation\"",
                    clips_.empty() ? "" : absl::StrCat(" (\n", clips_, "        )"),
                    "\n        {\n");
    in_animation_ = "            ";
    if (absl::Status s = Animation(); !s.ok()) return s;
    part_ = Part::kAll;
    out_ += "        }\n    }\n";
    return Rest();
  }

  absl::Status Prepare() {
    if (!motion_.header) return absl::InvalidArgumentError("the clip has no header");
    const bool joints = !motion_.tracks[wire::kTranslations].empty() ||
                        !motion_.tracks[wire::kRotations].empty() ||
                        !motion_.tracks[wire::kScales].empty();
    if (joints) {
      absl::StatusOr<asset::MotionSkeleton> skeleton = asset::MotionSkeleton::Of(motion_);
      if (!skeleton.ok()) return skeleton.status();
      skeleton_ = *std::move(skeleton);
      NameJoints();
    } else if (motion_.tracks[wire::kWeights].empty()) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    FindTimes();
    return absl::OkStatus();
  }

  absl::Status Animation() {
    if (!skeleton_.joints.empty()) {
      if (absl::Status s = Poses(); !s.ok()) return s;
    }
    return Weights();
  }

  // Writes the prims next to the skeleton.
  absl::Status Rest() {
    out_ += CameraText(motion_, rate_);
    if (motion_.voice) out_ += VoiceText(*motion_.voice, rate_);
    out_ += "}\n";
    return Flush(0);
  }

  void NameJoints() {
    absl::flat_hash_set<std::string> taken;
    for (size_t j = 0; j < skeleton_.joints.size(); ++j) {
      const asset::MotionSkeleton::Joint& joint = skeleton_.joints[j];
      const std::string label(skel::LastPathElement(joint.path));
      const std::string above =
          joint.parent < 0 ? "" : absl::StrCat(tokens_[static_cast<size_t>(joint.parent)], "/");
      std::string token = above + Identifier(label);
      if (taken.contains(token)) absl::StrAppend(&token, "_", j);
      while (!taken.insert(token).second) token += '_';
      renamed_ = renamed_ || token != joint.path;
      tokens_.push_back(std::move(token));
      labels_.push_back(label);
    }
  }

  // Includes those of the camera.
  std::vector<const std::vector<double>*> AllCodes() const {
    std::vector<const std::vector<double>*> out;
    for (const std::vector<double>& codes : motion_.time_codes_s) out.push_back(&codes);
    for (const std::vector<double>& codes : motion_.camera_time_codes_s) out.push_back(&codes);
    return out;
  }

  void FindTimes() {
    std::vector<double> most;
    for (const std::vector<double>& codes : motion_.time_codes_s) {
      if (codes.size() > most.size()) most = codes;
    }
    const double frame_s = asset::EvenKeysOf(most).clock.frame_s();
    const double rate = 1 / frame_s;
    rate_ = std::abs(rate - std::round(rate)) < 1e-6 ? std::round(rate) : rate;
    for (const std::vector<double>* codes : AllCodes()) {
      for (const double time_code_s : *codes) {
        if (!TimeCode(time_code_s, rate_)) rate_ = kExactRate;
      }
    }
    double first_s = motion_.first_s(), last_s = motion_.last_s();
    for (const std::vector<double>* codes : AllCodes()) {
      if (codes->empty()) continue;
      first_s = std::min(first_s, codes->front());
      last_s = std::max(last_s, codes->back());
    }
    start_code_ = CodeOf(first_s);
    end_code_ = CodeOf(last_s);
    if (!motion_.voice) return;
    start_code_ = std::min(start_code_, CodeOf(motion_.voice->start_s));
    end_code_ = std::max(end_code_, LastFrameOf(*motion_.voice, rate_));
  }

  double CodeOf(double time_code_s) const { return usd::CodeOf(time_code_s, rate_); }

  void Head(absl::string_view default_prim) {
    out_ =
        absl::StrCat("#usda 1.0\n(\n    defaultPrim = \"", default_prim, "\"\n    endTimeCode = ");
    Number(end_code_);
    out_ += "\n    framesPerSecond = ";
    Number(rate_);
    out_ += "\n    metersPerUnit = 1\n    startTimeCode = ";
    Number(start_code_);
    out_ += "\n    timeCodesPerSecond = ";
    Number(rate_);
    out_ += "\n    upAxis = \"Y\"\n)\n\n";
  }

  absl::Status BeginAvatar(absl::string_view reference, bool animated = true) {
    absl::StrAppend(&out_, "def SkelRoot \"", prim_,
                    "\" (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n");
    if (!reference.empty()) {
      absl::StrAppend(&out_, "    prepend references = ", reference, "\n");
    }
    out_ += ")\n{\n";
    if (absl::Status s = Extent("    ", animated); !s.ok()) return s;
    if (animated) AnimationSource("    ");
    absl::StrAppend(&out_, "    rel skel:skeleton = <", path_, "/Skeleton>\n");
    if (place_) {
      out_ += "    float xformOp:rotateY = ";
      Number(place_->turn_deg);
      out_ += "\n    double3 xformOp:translate = ";
      Tuple({place_->x_m, 0, place_->z_m});
      out_ += "\n    uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:rotateY\"]\n";
    }
    out_ += '\n';
    return absl::OkStatus();
  }

  void BeginSkeleton(absl::string_view how) {
    absl::StrAppend(&out_, "    ", how,
                    " \"Skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n"
                    "    )\n    {\n");
  }

  void AnimationSource(absl::string_view in) {
    absl::StrAppend(&out_, in, "rel skel:animationSource = <", path_, "/Skeleton/Animation>\n");
  }

  void Bones() {
    if (skeleton_.joints.empty()) return;
    std::vector<Affine> rest, bind;
    for (const asset::MotionSkeleton::Joint& joint : skeleton_.joints) {
      rest.push_back(skel::FromTrs(joint.translation, joint.rotation, {1, 1, 1}));
      bind.push_back(joint.parent < 0
                         ? rest.back()
                         : skel::Mul(rest.back(), bind[static_cast<size_t>(joint.parent)]));
    }
    Matrices("        uniform matrix4d[] bindTransforms = ", bind);
    if (renamed_) Tokens("        uniform token[] jointNames = ", labels_);
    Tokens("        uniform token[] joints = ", tokens_);
    Matrices("        uniform matrix4d[] restTransforms = ", rest);
  }

  // Writes the box around the joints at each of their keys, or at rest.
  absl::Status Extent(absl::string_view in, bool animated) {
    if (skeleton_.joints.empty()) return absl::OkStatus();
    std::vector<double> times_s;
    for (const wire::PoseTrack track : {wire::kTranslations, wire::kRotations, wire::kScales}) {
      const std::vector<double>& own = motion_.time_codes_s[track];
      if (animated) times_s.insert(times_s.end(), own.begin(), own.end());
    }
    std::sort(times_s.begin(), times_s.end());
    times_s.erase(std::unique(times_s.begin(), times_s.end()), times_s.end());
    asset::MotionPose pose(motion_, skeleton_);
    const skel::KeyTrack& scales = motion_.tracks[wire::kScales];
    std::vector<float> between(static_cast<size_t>(scales.width()));
    std::vector<Affine> models(skeleton_.joints.size());
    return Samples(in, "float3[] extent", times_s, [&](double time_code_s) {
      if (animated) pose.Sample(time_code_s);
      const absl::Span<const float> all = scales.empty()
                                              ? absl::Span<const float>()
                                              : scales.Sample(time_code_s, absl::MakeSpan(between));
      for (size_t j = 0; j < models.size(); ++j) {
        const asset::MotionSkeleton::Joint& joint = skeleton_.joints[j];
        const auto at = 3 * static_cast<size_t>(joint.source);
        const bool scaled = animated && joint.source >= 0 && !all.empty();
        const Affine own =
            skel::FromTrs(animated ? pose.translations()[j] : joint.translation,
                          animated ? pose.rotations()[j] : joint.rotation,
                          scaled ? Vec3{all[at], all[at + 1], all[at + 2]} : Vec3{1, 1, 1});
        models[j] =
            joint.parent < 0 ? own : skel::Mul(own, models[static_cast<size_t>(joint.parent)]);
      }
      const mesh::Extent box = mesh::JointExtent(models);
      List(2, [&](size_t end) { Tuple(end == 0 ? box.low : box.high); });
    });
  }

  absl::Status Poses() {
    Tokens(absl::StrCat(in_animation_, "uniform token[] joints = "), tokens_);
    asset::MotionPose pose(motion_, skeleton_);
    const auto rotations = [&](double time_code_s) {
      pose.Sample(time_code_s);
      List(pose.rotations().size(), [&](size_t j) {
        const skel::Quat q = pose.rotations()[j];
        Tuple({q.w, q.x, q.y, q.z});
      });
    };
    const auto& time_codes_s = motion_.time_codes_s;
    if (absl::Status s =
            AnimationSamples("quatf[] rotations", time_codes_s[wire::kRotations], rotations);
        !s.ok()) {
      return s;
    }
    std::vector<float> between(static_cast<size_t>(motion_.tracks[wire::kScales].width()));
    const auto scales = [&](double time_code_s) {
      const absl::Span<const float> all =
          motion_.tracks[wire::kScales].Sample(time_code_s, absl::MakeSpan(between));
      List(skeleton_.joints.size(), [&](size_t j) {
        const int source = skeleton_.joints[j].source;
        const auto at = 3 * static_cast<size_t>(source);
        if (source < 0 || all.empty()) return Tuple({1, 1, 1});
        Tuple({all[at], all[at + 1], all[at + 2]});
      });
    };
    if (absl::Status s = AnimationSamples("half3[] scales", time_codes_s[wire::kScales], scales);
        !s.ok()) {
      return s;
    }
    const auto translations = [&](double time_code_s) {
      pose.Sample(time_code_s);
      List(pose.translations().size(), [&](size_t j) {
        const Vec3 t = pose.translations()[j];
        Tuple({t.x, t.y, t.z});
      });
    };
    return AnimationSamples("float3[] translations", time_codes_s[wire::kTranslations],
                            translations);
  }

  absl::Status Weights() {
    const skel::KeyTrack& weights = motion_.tracks[wire::kWeights];
    if (weights.empty()) return absl::OkStatus();
    Tokens(absl::StrCat(in_animation_, "uniform token[] blendShapes = "), motion_.header->shapes);
    std::vector<float> between(static_cast<size_t>(weights.width()));
    return AnimationSamples(
        "float[] blendShapeWeights", motion_.time_codes_s[wire::kWeights], [&](double time_code_s) {
          const absl::Span<const float> all = weights.Sample(time_code_s, absl::MakeSpan(between));
          List(all.size(), [&](size_t i) { Number(all[i]); });
        });
  }

  // Writes what part_ has of an attribute of the animation.
  template <typename WriteAt>
  absl::Status AnimationSamples(absl::string_view attribute, const std::vector<double>& codes_s,
                                WriteAt write_at) {
    return Samples(in_animation_, attribute, codes_s, write_at, part_);
  }

  // Writes an attribute with its keys, or with one value if it has none.
  template <typename WriteAt>
  absl::Status Samples(absl::string_view in, absl::string_view attribute,
                       const std::vector<double>& all_codes_s, WriteAt write_at,
                       Part part = Part::kAll) {
    if (part != Part::kAll && all_codes_s.empty() != (part == Part::kConstants)) {
      return absl::OkStatus();
    }
    const std::vector<double> time_codes_s =
        part == Part::kClip ? InClip(all_codes_s) : all_codes_s;
    absl::StrAppend(&out_, in, attribute);
    if (part == Part::kManifest) {
      out_ += '\n';
      return absl::OkStatus();
    }
    if (time_codes_s.empty()) {
      out_ += " = ";
      write_at(motion_.first_s());
      out_ += '\n';
      return absl::OkStatus();
    }
    out_ += ".timeSamples = {\n";
    for (const double time_code_s : time_codes_s) {
      absl::StrAppend(&out_, in, "    ");
      Number(CodeOf(time_code_s));
      out_ += ": ";
      write_at(time_code_s);
      out_ += ",\n";
      if (absl::Status s = Flush(asset::kPutBytes); !s.ok()) return s;
    }
    absl::StrAppend(&out_, in, "}\n");
    return absl::OkStatus();
  }

  absl::Status Flush(size_t least) {
    if (out_.size() < least) return absl::OkStatus();
    const absl::Status s = (*put_)(out_);
    out_.clear();
    return s;
  }

  const asset::Motion& motion_;
  const asset::PutBytes* put_ = nullptr;
  absl::string_view in_animation_;  // indentation of its attributes
  Part part_ = Part::kAll;
  std::vector<double> starts_s_;  // of the value clips
  size_t clip_ = 0;
  std::string clips_;  // metadata of the animation
  std::string prim_ = "Avatar", path_ = "/Avatar";
  std::optional<asset::GroundPlace> place_;  // in a scene
  asset::MotionSkeleton skeleton_;
  std::vector<std::string> tokens_, labels_;  // the joints' paths, and their last elements
  bool renamed_ = false;
  double rate_ = kExactRate;
  double start_code_ = 0, end_code_ = 0;
};

}  // namespace

absl::Status WriteUsdaScene(const std::vector<asset::SceneClip>& clips,
                            const std::vector<asset::SceneProp>& props, asset::PutBytes put) {
  std::vector<UsdaWriter> writers;
  double rate = 0, start = HUGE_VAL, end = 0;
  for (const asset::SceneClip& clip : clips) {
    UsdaWriter& writer = writers.emplace_back(clip.motion);
    if (absl::Status s = writer.PrepareInScene(); !s.ok()) {
      return absl::Status(s.code(), absl::StrCat(clip.character.name, ": ", s.message()));
    }
    // Time codes of any rate are exact at kExactRate, or nearly.
    rate = rate == 0 || rate == writer.rate() ? writer.rate() : kExactRate;
  }
  if (writers.empty()) return absl::InvalidArgumentError("the scene has no characters");
  for (const UsdaWriter& writer : writers) {
    start = std::min(start, writer.start_code() / writer.rate() * rate);
    end = std::max(end, writer.end_code() / writer.rate() * rate);
  }
  absl::Status status = put(absl::StrCat(
      "#usda 1.0\n(\n    defaultPrim = \"", kSceneRoot, "\"\n    endTimeCode = ", NumberText(end),
      "\n    framesPerSecond = ", NumberText(rate), "\n    metersPerUnit = 1\n    startTimeCode = ",
      NumberText(start), "\n    timeCodesPerSecond = ", NumberText(rate),
      "\n    upAxis = \"Y\"\n)\n\ndef Xform \"", kSceneRoot, "\"\n{\n"));
  bool at_start = true;
  const auto indented = [&](absl::string_view text) { return PutIndented(text, at_start, put); };
  PrimNames names;
  for (size_t i = 0; i < writers.size() && status.ok(); ++i) {
    const asset::SceneCharacter& character = clips[i].character;
    if (i > 0) status = indented("\n");
    if (!status.ok()) break;
    status = writers[i].WriteInScene({names.Take(character.name), character.place, rate}, indented);
  }
  for (const asset::SceneProp& prop : props) {
    if (status.ok()) status = indented(PropText(prop, names.Take(prop.name), rate));
  }
  return status.ok() ? put("}\n") : status;
}

absl::Status WriteUsda(const asset::Motion& motion, asset::PutBytes put) {
  return UsdaWriter(motion).WriteWhole(put);
}

absl::Status WriteClippedUsda(const asset::Motion& motion, absl::string_view stem, double clip_s,
                              PutFile put_file, asset::PutBytes put) {
  return UsdaWriter(motion).WriteClipped(stem, clip_s, put_file, put);
}

absl::Status WriteSplitUsda(const asset::Motion& motion, absl::string_view stem,
                            const UsdaFiles& files) {
  return UsdaWriter(motion).WriteSplit(stem, files);
}

}  // namespace posewire::usd
