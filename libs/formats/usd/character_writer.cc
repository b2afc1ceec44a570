#include "libs/formats/usd/character_writer.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "libs/formats/usd/camera.h"
#include "libs/formats/usd/character_reader.h"
#include "libs/formats/usd/looks_writer.h"
#include "libs/formats/usd/scene_text.h"
#include "libs/formats/usd/usda_text.h"
#include "libs/formats/usd/written_skeletons.h"
#include "libs/mesh/extent.h"
#include "libs/mesh/influences.h"

namespace posewire::usd {
namespace {

using character::Character;
using character::CharacterMotion;
using character::SceneMember;
using mesh::BlendShape;
using mesh::Extent;
using mesh::ShapeKey;
using skel::Affine;
using skel::Trs;
using skel::Vec3;

constexpr float kConstant = 1e-6f;  // keys that differ by less are one value

class MemberText : public PrimText {
 public:
  MemberText(const SceneMember& member, std::string path, std::string in, absl::string_view stem,
             double rate_hz, PrimNames& pictures)
      : PrimText(std::move(in)),
        of_(*member.character),
        member_(member),
        motion_(member.motion),
        path_(std::move(path)),
        stem_(stem),
        rate_hz_(rate_hz),
        picture_names_(pictures),
        skeletons_(of_) {}

  absl::Status Write(std::vector<std::pair<std::string, std::string>>& pictures) {
    if (motion_ != nullptr) {
      if (absl::Status s = CheckMotion(*motion_, of_); !s.ok()) return s;
    }
    if (member_.camera != nullptr) prims_.Take(kMainCamera);
    if (member_.voice != nullptr) prims_.Take(kVoicePrim);
    bool shapes = false;
    for (size_t m = 0; m < of_.meshes.size(); ++m) {
      mesh_names_.push_back(prims_.Take(of_.meshes[m].name.empty() ? "mesh" : of_.meshes[m].name));
      shapes = shapes || !of_.meshes[m].shapes.empty();
    }
    const bool skinned = !skeletons_.all().empty();
    for (size_t s = 0; s < skeletons_.all().size(); ++s) {
      skeleton_names_.push_back(prims_.Take("Skeleton"));
    }
    NameShapes();
    Begin(skinned || shapes);
    LooksText looks(of_, absl::StrCat(path_, "/", prims_.Take("Materials")), In(1), stem_,
                    picture_names_);
    looks_ = &looks;
    if (absl::Status s = looks.Write(pictures); !s.ok()) return s;
    absl::StrAppend(&out_, "\n", looks.Take());
    for (size_t s = 0; s < skeleton_names_.size(); ++s) SkeletonPrim(s);
    for (size_t m = 0; m < of_.meshes.size(); ++m) MeshPrim(m);
    if (member_.camera != nullptr) Indented(CameraText(*member_.camera, rate_hz_));
    if (member_.voice != nullptr) Indented(VoiceText(*member_.voice, rate_hz_));
    absl::StrAppend(&out_, in_, "}\n");
    return absl::OkStatus();
  }

 private:
  void Indented(absl::string_view text) {
    bool at_start = true;
    (void)PutIndented(
        text, at_start,
        [this](absl::string_view bytes) {
          absl::StrAppend(&out_, bytes);
          return absl::OkStatus();
        },
        in_);
  }

  // One for all times, or one for each.
  void ExtentLine(int deep, const std::vector<Extent>& extents) {
    Samples(
        deep, "float3[] extent", 2,
        [&](size_t f, size_t end) {
          const Extent& e = extents[std::min(f, extents.size() - 1)];
          const Vec3 at = end == 0 ? e.low : e.high;
          return std::array<float, 3>{at.x, at.y, at.z};
        },
        [&](const auto& v) {
          Tuple({v[0], v[1], v[2]});
        });
  }

  // Shapes of several meshes that have one name have one weight, so others get names of their own.
  void NameShapes() {
    std::map<std::string, std::pair<size_t, size_t>> owner;
    for (size_t m = 0; m < of_.meshes.size(); ++m) {
      std::vector<std::string> names = character::ShapeNamesOf(of_, m);
      for (size_t s = 0; s < names.size(); ++s) {
        while (true) {
          const auto [it, fresh] = owner.try_emplace(names[s], m, s);
          if (fresh) shapes_.push_back(names[s]);
          const bool own_mesh = !fresh && it->second.first == m;
          if (fresh || (!own_mesh && SameWeights(it->second, {m, s}))) break;
          absl::StrAppend(&names[s], "_", mesh_names_[m]);
        }
      }
      shape_names_.push_back(std::move(names));
    }
    shape_owner_ = std::move(owner);
  }

  float WeightOf(std::pair<size_t, size_t> shape, size_t frame) const {
    const auto& [m, s] = shape;
    if (motion_ == nullptr || motion_->weights.empty() || motion_->weights[m].empty()) {
      return s < of_.meshes[m].shape_weights.size() ? of_.meshes[m].shape_weights[s] : 0;
    }
    return motion_->weights[m][frame * of_.meshes[m].shapes.size() + s];
  }

  const std::vector<int>& joints() const { return skeletons_.joints(); }
  size_t frames() const { return motion_ == nullptr ? 1 : motion_->times_s.size(); }

  bool SameWeights(std::pair<size_t, size_t> a, std::pair<size_t, size_t> b) const {
    for (size_t f = 0; f < frames(); ++f) {
      if (std::fabs(WeightOf(a, f) - WeightOf(b, f)) > kConstant) return false;
    }
    return true;
  }

  std::string SkeletonPath(size_t skeleton) const {
    return absl::StrCat("<", path_, "/", skeleton_names_[skeleton], ">");
  }

  void Begin(bool skel_root) {
    const std::string name = path_.substr(path_.rfind('/') + 1);
    absl::StrAppend(&out_, in_, skel_root ? "def SkelRoot \"" : "def Xform \"", name, "\" (\n");
    Line(1, "kind = \"component\"");
    if (!skeleton_names_.empty()) Line(1, "prepend apiSchemas = [\"SkelBindingAPI\"]");
    absl::StrAppend(&out_, in_, ")\n", in_, "{\n");
    if (of_.ace_mouth) Line(1, absl::StrCat("custom token ", kMouthClose, " = \"ace\""));
    if (skel_root) ExtentLine(1, skeletons_.PointExtents(motion_));
    if (!skeleton_names_.empty()) Line(1, absl::StrCat("rel skel:skeleton = ", SkeletonPath(0)));
    if (member_.prop != nullptr) return Indented(PropAttributes(*member_.prop, rate_hz_));
    const Trs& place = member_.place;
    const skel::Quat q = skel::Normalized(place.rotation);
    const Vec3 t = place.translation, s = place.scale;
    Tuple1(1, "quatf xformOp:orient", {q.w, q.x, q.y, q.z});
    Tuple1(1, "float3 xformOp:scale", {s.x, s.y, s.z});
    Tuple1(1, "double3 xformOp:translate", {t.x, t.y, t.z});
    Line(1,
         "uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\", "
         "\"xformOp:scale\"]");
  }

  void SkeletonPrim(size_t s) {
    const WrittenSkeleton& skeleton = skeletons_.all()[s];
    absl::StrAppend(&out_, "\n", In(1), "def Skeleton \"", skeleton_names_[s], "\" (\n");
    Line(2, "prepend apiSchemas = [\"SkelBindingAPI\"]");
    absl::StrAppend(&out_, In(1), ")\n", In(1), "{\n");
    Matrices(absl::StrCat(In(2), "uniform matrix4d[] bindTransforms = "), skeleton.bind);
    ExtentLine(2, skeletons_.JointExtents(motion_));
    Tokens(absl::StrCat(In(2), "uniform token[] jointNames = "), skeleton.labels);
    Tokens(absl::StrCat(In(2), "uniform token[] joints = "), skeleton.tokens);
    std::vector<Affine> rest;
    for (const Trs& local : skeleton.rest) {
      rest.push_back(skel::FromTrs(local.translation, local.rotation, local.scale));
    }
    Matrices(absl::StrCat(In(2), "uniform matrix4d[] restTransforms = "), rest);
    if (motion_ != nullptr) {
      const std::string path = absl::StrCat(path_, "/", skeleton_names_[s], "/Animation");
      Line(2, absl::StrCat("rel skel:animationSource = <", path, ">"));
      AnimationPrim(skeleton);
    }
    Line(1, "}");
  }

  // Writes an attribute with a key per frame, or one value if all are equal.
  template <typename Value, typename WriteOne>
  void Samples(int deep, absl::string_view name, size_t count, Value value, WriteOne write_one) {
    bool moves = false;
    for (size_t f = 1; f < frames() && !moves; ++f) {
      for (size_t i = 0; i < count && !moves; ++i) {
        const auto &a = value(0, i), &b = value(f, i);
        for (size_t k = 0; k < a.size(); ++k) moves = moves || std::fabs(a[k] - b[k]) > kConstant;
      }
    }
    absl::StrAppend(&out_, In(deep), name);
    if (!moves) {
      out_ += " = ";
      List(count, [&](size_t i) { write_one(value(0, i)); });
      out_ += '\n';
      return;
    }
    out_ += ".timeSamples = {\n";
    for (size_t f = 0; f < frames(); ++f) {
      out_ += In(deep + 1);
      const double code = motion_->times_s[f] * rate_hz_;
      Number(std::fabs(code - std::round(code)) < 1e-6 ? std::round(code) : code);
      out_ += ": ";
      List(count, [&](size_t i) { write_one(value(f, i)); });
      out_ += ",\n";
    }
    Line(deep, "}");
  }

  void AnimationPrim(const WrittenSkeleton& skeleton) {
    absl::StrAppend(&out_, "\n", In(2), "def SkelAnimation \"Animation\"\n", In(2), "{\n");
    std::vector<std::vector<Trs>> poses;
    for (size_t f = 0; f < frames(); ++f) {
      std::vector<Trs>& pose = poses.emplace_back();
      for (size_t j = 0; j < joints().size(); ++j) {
        const auto node = static_cast<size_t>(joints()[j]);
        pose.push_back(skeletons_.Local(node, motion_->nodes[f][node]));
        if (f == 0) continue;
        skel::Quat& q = pose.back().rotation;
        if (skel::Dot(q, poses[f - 1][j].rotation) < 0) q = -q;
      }
    }
    if (!shapes_.empty()) {
      Tokens(absl::StrCat(In(3), "uniform token[] blendShapes = "), shapes_);
      Samples(
          3, "float[] blendShapeWeights", shapes_.size(),
          [&](size_t f, size_t i) {
            return std::array<float, 1>{WeightOf(shape_owner_.at(shapes_[i]), f)};
          },
          [&](const auto& v) { Number(v[0]); });
    }
    Tokens(absl::StrCat(In(3), "uniform token[] joints = "), skeleton.tokens);
    const auto tuple3 = [&](const auto& v) { Tuple({v[0], v[1], v[2]}); };
    Samples(
        3, "quatf[] rotations", joints().size(),
        [&](size_t f, size_t j) {
          const skel::Quat q = poses[f][j].rotation;
          return std::array<float, 4>{q.w, q.x, q.y, q.z};
        },
        [&](const auto& v) {
          Tuple({v[0], v[1], v[2], v[3]});
        });
    Samples(
        3, "half3[] scales", joints().size(),
        [&](size_t f, size_t j) {
          const Vec3 s = poses[f][j].scale;
          return std::array<float, 3>{s.x, s.y, s.z};
        },
        tuple3);
    Samples(
        3, "float3[] translations", joints().size(),
        [&](size_t f, size_t j) {
          const Vec3 t = poses[f][j].translation;
          return std::array<float, 3>{t.x, t.y, t.z};
        },
        tuple3);
    Line(2, "}");
  }

  void MeshPrim(size_t m) {
    const character::Mesh& mesh = of_.meshes[m];
    const bool moved = mesh.skin >= 0 || (mesh.node >= 0 && !skeleton_names_.empty());
    const Affine place = skeletons_.PlaceOf(mesh), turn = skel::NormalTransform(place);
    std::vector<Vec3> points, normals;
    std::optional<Extent> extent;
    for (const Vec3 p : mesh.points) {
      points.push_back(skel::TransformPoint(place, p));
      mesh::Include(points.back(), extent);
    }
    for (const Vec3 n : mesh.normals) {
      const Vec3 there = skel::TransformVector(turn, n);
      normals.push_back(skel::Length(there) > 1e-9f ? skel::Normalized(there) : Vec3{0, 1, 0});
    }
    absl::StrAppend(&out_, "\n", In(1), "def Mesh \"", mesh_names_[m], "\" (\n");
    Line(2, moved || !mesh.shapes.empty()
                ? "prepend apiSchemas = [\"MaterialBindingAPI\", \"SkelBindingAPI\"]"
                : "prepend apiSchemas = [\"MaterialBindingAPI\"]");
    absl::StrAppend(&out_, In(1), ")\n", In(1), "{\n");
    const bool both = of_.materials[static_cast<size_t>(mesh.material)].double_sided;
    if (both) Line(2, "uniform bool doubleSided = true");
    if (extent) ExtentLine(2, {*extent});
    const size_t faces = mesh.triangles.size() / 3;
    Array(2, "int[] faceVertexCounts", faces, [&](size_t) { out_ += '3'; });
    Array(2, "int[] faceVertexIndices", faces * 3, [&](size_t i) { Number(mesh.triangles[i]); });
    Line(2, absl::StrCat("rel material:binding = <",
                         looks_->MaterialPath(static_cast<size_t>(mesh.material)), ">"));
    constexpr absl::string_view kByPoint = "interpolation = \"vertex\"";
    if (normals.size() == points.size()) Vectors(2, "normal3f[] normals", normals, kByPoint);
    Vectors(2, "point3f[] points", points);
    if (mesh.colors.size() == points.size()) {
      Array(
          2, "color3f[] primvars:displayColor", points.size(),
          [&](size_t i) {
            const auto& c = mesh.colors[i];
            Tuple({static_cast<float>(c[0]) / 255, static_cast<float>(c[1]) / 255,
                   static_cast<float>(c[2]) / 255});
          },
          kByPoint);
    }
    if (mesh.uv.size() == points.size()) {
      Array(
          2, "texCoord2f[] primvars:st", points.size(),
          [&](size_t i) {
            Tuple({mesh.uv[i][0], 1 - mesh.uv[i][1]});
          },
          kByPoint);
    }
    if (moved) Influences(mesh);
    std::vector<std::string> prims;
    PrimNames names;
    for (const std::string& name : shape_names_[m]) prims.push_back(names.Take(name));
    if (!prims.empty()) {
      Tokens(absl::StrCat(In(2), "uniform token[] skel:blendShapes = "), shape_names_[m]);
      Array(2, "rel skel:blendShapeTargets", prims.size(), [&](size_t i) {
        absl::StrAppend(&out_, "<", path_, "/", mesh_names_[m], "/", prims[i], ">");
      });
    }
    Line(2, "uniform token subdivisionScheme = \"none\"");
    for (size_t s = 0; s < prims.size(); ++s) ShapePrim(mesh.shapes[s], prims[s], place, turn);
    Line(1, "}");
  }

  // Each point's greatest first, with a sum of 1, and no more than some point needs.
  void Influences(const character::Mesh& mesh) {
    const bool skin = mesh.skin >= 0;
    std::vector<int> joints;
    std::vector<float> weights = {1};
    int per = 1;
    if (skin) {
      per = 0;
      for (const int joint : mesh.joints) {
        joints.push_back(skeletons_.JointOf(
            of_.skins[static_cast<size_t>(mesh.skin)].nodes[static_cast<size_t>(joint)]));
      }
      weights = mesh.weights;
      mesh::KeepGreatest(mesh.per_point, joints, weights, &per);
    } else {
      joints = {skeletons_.JointOf(mesh.node)};
      // Points are where the joint binds them.
      const auto j = static_cast<size_t>(joints[0]);
      absl::StrAppend(&out_, In(2), "matrix4d primvars:skel:geomBindTransform = ");
      Matrix(skel::Mul(skel::Inverse(skeletons_.all()[0].model[j]).value_or(Affine{}),
                       skeletons_.all()[0].bind[j]));
      out_ += '\n';
    }
    const std::string by = absl::StrCat("elementSize = ", per, "\n", In(3), "interpolation = \"",
                                        skin ? "vertex" : "constant", "\"");
    Array(
        2, "int[] primvars:skel:jointIndices", joints.size(), [&](size_t i) { Number(joints[i]); },
        by);
    Array(
        2, "float[] primvars:skel:jointWeights", weights.size(),
        [&](size_t i) { Number(weights[i]); }, by);
    if (mesh.method == mesh::SkinningMethod::kDualQuaternion) {
      Line(2, "uniform token primvars:skel:skinningMethod = \"dualQuaternion\"");
    }
    const size_t skeleton = skin ? skeletons_.OfSkin(mesh.skin) : 0;
    if (skeleton > 0) Line(2, absl::StrCat("rel skel:skeleton = ", SkeletonPath(skeleton)));
  }

  void ShapePrim(const BlendShape& shape, const std::string& name, const Affine& place,
                 const Affine& turn) {
    absl::StrAppend(&out_, "\n", In(2), "def BlendShape \"", name, "\"\n", In(2), "{\n");
    const auto carried = [](absl::Span<const Vec3> all, const Affine& by) {
      std::vector<Vec3> out;
      for (const Vec3 v : all) out.push_back(skel::TransformVector(by, v));
      return out;
    };
    PrimNames names;
    const ShapeKey* full = nullptr;
    for (const ShapeKey& key : shape.keys()) {
      if (key.weight == 1) full = &key;
      if (key.weight == 0 || key.weight == 1) continue;
      const std::string inbetween = absl::StrCat(
          "inbetweens:", names.Take(absl::StrCat("at_", std::lround(key.weight * 100))));
      absl::StrAppend(&out_, In(3), "uniform vector3f[] ", inbetween, " = ");
      const std::vector<Vec3> ways = carried(key.offsets, place);
      List(ways.size(), [&](size_t i) { Tuple(ways[i]); });
      absl::StrAppend(&out_, " (\n", In(4), "weight = ");
      Number(key.weight);
      absl::StrAppend(&out_, "\n", In(3), ")\n");
      if (key.normal_offsets.empty()) continue;
      Vectors(3, absl::StrCat("uniform vector3f[] ", inbetween, ":normalOffsets"),
              carried(key.normal_offsets, turn));
    }
    if (full != nullptr && !full->normal_offsets.empty()) {
      Vectors(3, "uniform vector3f[] normalOffsets", carried(full->normal_offsets, turn));
    }
    Vectors(3, "uniform vector3f[] offsets",
            full == nullptr ? std::vector<Vec3>() : carried(full->offsets, place));
    if (!shape.indices().empty()) {
      Array(3, "uniform int[] pointIndices", shape.indices().size(),
            [&](size_t i) { Number(shape.indices()[i]); });
    }
    Line(2, "}");
  }

  const Character& of_;
  const SceneMember& member_;
  const CharacterMotion* const motion_;
  const std::string path_;
  const absl::string_view stem_;
  const double rate_hz_;
  PrimNames& picture_names_;
  const WrittenSkeletons skeletons_;
  const LooksText* looks_ = nullptr;  // while prims are written
  PrimNames prims_;
  std::vector<std::string> skeleton_names_, mesh_names_, shapes_;
  std::vector<std::vector<std::string>> shape_names_;             // by mesh
  std::map<std::string, std::pair<size_t, size_t>> shape_owner_;  // mesh and shape
};

class UsdaHead : public PrimText {
 public:
  explicit UsdaHead(absl::string_view default_prim) : PrimText("") {
    absl::StrAppend(&out_, "#usda 1.0\n(\n    defaultPrim = \"", default_prim, "\"\n");
    tail_ = "    metersPerUnit = 1\n    upAxis = \"Y\"\n)\n";
  }
  void Times(double first, double last, double rate_hz) {
    for (const auto& [name, value] : {std::pair{"endTimeCode", std::round(last)},
                                      {"framesPerSecond", rate_hz},
                                      {"startTimeCode", std::round(first)},
                                      {"timeCodesPerSecond", rate_hz}}) {
      absl::StrAppend(&out_, In(1), name, " = ");
      Number(value);
      out_ += '\n';
    }
  }
  std::string Take() { return out_ + tail_; }

 private:
  std::string tail_;
};

}  // namespace

absl::StatusOr<WrittenStage> WriteScene(absl::Span<const SceneMember> members,
                                        absl::string_view stem, double rate_hz) {
  WrittenStage out;
  const bool several = members.size() != 1;
  PrimNames prims, pictures;
  std::string body, first;
  double last = 0;
  for (const SceneMember& member : members) {
    const std::string name = prims.Take(member.name.empty() ? "Avatar" : member.name);
    if (first.empty()) first = name;
    MemberText text(member, absl::StrCat(several ? "/World/" : "/", name), several ? "    " : "",
                    stem, rate_hz, pictures);
    if (absl::Status s = text.Write(out.pictures); !s.ok()) return s;
    absl::StrAppend(&body, "\n", text.Take());
    if (member.voice != nullptr) last = std::max(last, LastFrameOf(*member.voice, rate_hz));
  }
  UsdaHead head(several ? "World" : first);
  if (const auto span_s = character::SpanOf_s(members)) {
    head.Times(span_s->first * rate_hz, std::max(last, span_s->second * rate_hz), rate_hz);
  }
  out.usda = head.Take();
  if (several) out.usda += "\ndef Xform \"World\" (\n    kind = \"assembly\"\n)\n{";
  absl::StrAppend(&out.usda, body, several ? "}\n" : "");
  return out;
}

}  // namespace posewire::usd
