#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/clipio/motion_skeleton.h"
#include "libs/clipio/usda.h"
#include "libs/skel/affine.h"
#include "libs/skel/path_index.h"
#include "libs/usd/write_layer.h"

namespace posewire::clipio {
namespace {

using skel::Affine;
using skel::Vec3;

constexpr size_t kBlockBytes = 64 << 10;
// A power of two divides every number exactly.
constexpr double kExactRate = 64;

// The time code that divides back to these seconds.
std::optional<double> TimeCode(double code_s, double rate) {
  const double product = code_s * rate;
  const double down = std::nextafter(product, 0.0);
  const double up = std::nextafter(product, HUGE_VAL);
  for (const double code : {std::round(product), product, down, up}) {
    if (code / rate == code_s) return code;
  }
  return std::nullopt;
}

// A name as an element of a prim's path.
std::string Identifier(absl::string_view name) {
  std::string out;
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name[0]))) out += '_';
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    out += absl::ascii_isalnum(byte) || c == '_' ? c : '_';
  }
  return out;
}

class Writer {
 public:
  Writer(const Motion& motion, PutBytes put) : motion_(motion), put_(put) {}

  absl::Status Write() {
    const bool joints = !motion_.tracks[wire::kTranslations].empty() ||
                        !motion_.tracks[wire::kRotations].empty() ||
                        !motion_.tracks[wire::kScales].empty();
    if (joints) {
      absl::StatusOr<MotionSkeleton> skeleton = MotionSkeleton::Of(motion_);
      if (!skeleton.ok()) return skeleton.status();
      skeleton_ = *std::move(skeleton);
      NameJoints();
    } else if (motion_.tracks[wire::kWeights].empty()) {
      return absl::InvalidArgumentError("the clip has neither poses nor weights");
    }
    FindRate();
    Head();
    if (joints) Bones();
    out_ += "\n        def SkelAnimation \"Animation\"\n        {\n";
    if (joints) {
      if (absl::Status s = Poses(); !s.ok()) return s;
    }
    if (absl::Status s = Weights(); !s.ok()) return s;
    out_ += "        }\n    }\n}\n";
    return Flush(0);
  }

 private:
  void NameJoints() {
    absl::flat_hash_set<std::string> taken;
    for (const MotionSkeleton::Joint& joint : skeleton_.joints) {
      const std::string label(skel::LastPathElement(joint.path));
      const std::string above =
          joint.parent < 0 ? "" : absl::StrCat(tokens_[static_cast<size_t>(joint.parent)], "/");
      std::string token = above + Identifier(label);
      while (!taken.insert(token).second) token += '_';
      renamed_ = renamed_ || token != joint.path;
      tokens_.push_back(std::move(token));
      labels_.push_back(label);
    }
  }

  void FindRate() {
    std::vector<double> all;
    for (const std::vector<double>& codes : motion_.codes_s) {
      if (codes.size() > all.size()) all = codes;
    }
    const double frame_s = EvenKeysOf(all).clock.frame_s();
    const double rate = 1 / frame_s;
    rate_ = std::abs(rate - std::round(rate)) < 1e-6 ? std::round(rate) : rate;
    for (const std::vector<double>& codes : motion_.codes_s) {
      for (const double code_s : codes) {
        if (!TimeCode(code_s, rate_)) rate_ = kExactRate;
      }
    }
  }

  void Head() {
    out_ = "#usda 1.0\n(\n    defaultPrim = \"Avatar\"\n    endTimeCode = ";
    Number(TimeCode(motion_.last_s(), rate_).value_or(0));
    out_ += "\n    framesPerSecond = ";
    Number(rate_);
    out_ += "\n    metersPerUnit = 1\n    startTimeCode = ";
    Number(TimeCode(motion_.first_s(), rate_).value_or(0));
    out_ += "\n    timeCodesPerSecond = ";
    Number(rate_);
    out_ +=
        "\n    upAxis = \"Y\"\n)\n\n"
        "def SkelRoot \"Avatar\" (\n    prepend apiSchemas = [\"SkelBindingAPI\"]\n)\n{\n"
        "    rel skel:animationSource = </Avatar/Skeleton/Animation>\n"
        "    rel skel:skeleton = </Avatar/Skeleton>\n\n"
        "    def Skeleton \"Skeleton\" (\n        prepend apiSchemas = [\"SkelBindingAPI\"]\n"
        "    )\n    {\n";
    if (skeleton_.joints.empty()) {
      out_ += "        rel skel:animationSource = </Avatar/Skeleton/Animation>\n";
    }
  }

  void Bones() {
    std::vector<Affine> rest, bind;
    for (const MotionSkeleton::Joint& joint : skeleton_.joints) {
      rest.push_back(skel::FromTrs(joint.translation, joint.rotation, {1, 1, 1}));
      bind.push_back(joint.parent < 0
                         ? rest.back()
                         : skel::Mul(rest.back(), bind[static_cast<size_t>(joint.parent)]));
    }
    Matrices("bindTransforms", bind);
    if (renamed_) Tokens("        uniform token[] jointNames = ", labels_);
    Tokens("        uniform token[] joints = ", tokens_);
    Matrices("restTransforms", rest);
    out_ += "        rel skel:animationSource = </Avatar/Skeleton/Animation>\n";
  }

  absl::Status Poses() {
    Tokens("            uniform token[] joints = ", tokens_);
    MotionPose pose(motion_, skeleton_);
    const auto rotations = [&](double code_s) {
      pose.Sample(code_s);
      List(pose.rotations().size(), [&](size_t j) {
        const skel::Quat q = pose.rotations()[j];
        Tuple({q.w, q.x, q.y, q.z});
      });
    };
    if (absl::Status s = Samples("quatf[] rotations", wire::kRotations, rotations); !s.ok())
      return s;
    std::vector<float> between(static_cast<size_t>(motion_.tracks[wire::kScales].width()));
    const auto scales = [&](double code_s) {
      const absl::Span<const float> all =
          motion_.tracks[wire::kScales].Sample(code_s, absl::MakeSpan(between));
      List(skeleton_.joints.size(), [&](size_t j) {
        const int source = skeleton_.joints[j].source;
        const auto at = 3 * static_cast<size_t>(source);
        if (source < 0 || all.empty()) return Tuple({1, 1, 1});
        Tuple({all[at], all[at + 1], all[at + 2]});
      });
    };
    if (absl::Status s = Samples("half3[] scales", wire::kScales, scales); !s.ok()) return s;
    const auto translations = [&](double code_s) {
      pose.Sample(code_s);
      List(pose.translations().size(), [&](size_t j) {
        const Vec3 t = pose.translations()[j];
        Tuple({t.x, t.y, t.z});
      });
    };
    return Samples("float3[] translations", wire::kTranslations, translations);
  }

  absl::Status Weights() {
    const skel::KeyTrack& weights = motion_.tracks[wire::kWeights];
    if (weights.empty()) return absl::OkStatus();
    Tokens("            uniform token[] blendShapes = ", motion_.header->shapes);
    std::vector<float> between(static_cast<size_t>(weights.width()));
    return Samples("float[] blendShapeWeights", wire::kWeights, [&](double code_s) {
      const absl::Span<const float> all = weights.Sample(code_s, absl::MakeSpan(between));
      List(all.size(), [&](size_t i) { Number(all[i]); });
    });
  }

  // An attribute with its keys; the same at all times where it has none.
  template <typename WriteAt>
  absl::Status Samples(absl::string_view attribute, wire::PoseTrack track, WriteAt write_at) {
    absl::StrAppend(&out_, "            ", std::string(attribute));
    if (motion_.codes_s[track].empty()) {
      out_ += " = ";
      write_at(motion_.first_s());
      out_ += '\n';
      return absl::OkStatus();
    }
    out_ += ".timeSamples = {\n";
    for (const double code_s : motion_.codes_s[track]) {
      out_ += "                ";
      Number(TimeCode(code_s, rate_).value_or(0));
      out_ += ": ";
      write_at(code_s);
      out_ += ",\n";
      if (absl::Status s = Flush(kBlockBytes); !s.ok()) return s;
    }
    out_ += "            }\n";
    return absl::OkStatus();
  }

  void Matrices(absl::string_view name, const std::vector<Affine>& all) {
    absl::StrAppend(&out_, "        uniform matrix4d[] ", std::string(name), " = ");
    List(all.size(), [&](size_t j) {
      out_ += '(';
      for (size_t r = 0; r < 4; ++r) {
        const Vec3 row = all[j].row[r];
        if (r > 0) out_ += ", ";
        Tuple({row.x, row.y, row.z, r == 3 ? 1.0f : 0.0f});
      }
      out_ += ')';
    });
    out_ += '\n';
  }

  void Tokens(absl::string_view begin, const std::vector<std::string>& names) {
    out_.append(begin.data(), begin.size());
    List(names.size(), [&](size_t i) { out_ += usd::Quoted(names[i]); });
    out_ += '\n';
  }

  template <typename WriteOne>
  void List(size_t count, WriteOne write_one) {
    out_ += '[';
    for (size_t i = 0; i < count; ++i) {
      if (i > 0) out_ += ", ";
      write_one(i);
    }
    out_ += ']';
  }

  void Tuple(std::initializer_list<float> parts) {
    out_ += '(';
    for (const float& part : parts) {
      if (&part != parts.begin()) out_ += ", ";
      Number(part);
    }
    out_ += ')';
  }

  // The fewest digits that read back.
  template <typename T>
  void Number(T number) {
    char digits[32];
    const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
    out_.append(digits, end.ptr);
  }

  absl::Status Flush(size_t least) {
    if (out_.size() < least) return absl::OkStatus();
    const absl::Status s = put_(out_);
    out_.clear();
    return s;
  }

  const Motion& motion_;
  const PutBytes put_;
  MotionSkeleton skeleton_;
  std::vector<std::string> tokens_, labels_;  // of the joints: paths, and last elements
  bool renamed_ = false;
  double rate_ = kExactRate;
  std::string out_;
};

}  // namespace

absl::Status WriteUsda(const Motion& motion, PutBytes put) {
  if (!motion.header) return absl::InvalidArgumentError("the clip has no header");
  return Writer(motion, put).Write();
}

}  // namespace posewire::clipio
