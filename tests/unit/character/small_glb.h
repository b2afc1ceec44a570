// Small characters as GLB files, made in the test: a person of boxes with a humanoid's bones, or
// with the joints of hanim_loa3.
#ifndef POSEWIRE_TESTS_UNIT_CHARACTER_SMALL_GLB_H_
#define POSEWIRE_TESTS_UNIT_CHARACTER_SMALL_GLB_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/skel/affine.h"
#include "libs/skel/local_to_model_job.h"
#include "libs/skel/rig.h"

namespace posewire::character {

// Bytes with their views and accessors.
class GlbBytes {
 public:
  template <typename T>
  int View(const std::vector<T>& values) {
    bytes_.resize((bytes_.size() + 3) / 4 * 4);
    views_.push_back(absl::StrCat(R"({"buffer":0,"byteOffset":)", bytes_.size(),
                                  R"(,"byteLength":)", values.size() * sizeof(T), "}"));
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
    return static_cast<int>(views_.size()) - 1;
  }
  int Accessor(const std::string& json) {
    accessors_.push_back(json);
    return static_cast<int>(accessors_.size()) - 1;
  }
  template <typename T>
  int Accessor(const std::vector<T>& values, int component, const char* type, size_t count) {
    return Accessor(absl::StrCat(R"({"bufferView":)", View(values), R"(,"componentType":)",
                                 component, R"(,"type":")", type, R"(","count":)", count, "}"));
  }
  int Points(const std::vector<float>& values) {
    return Accessor(values, 5126, "VEC3", values.size() / 3);
  }
  void RawView(const std::string& json) { views_.push_back(json); }
  size_t size() const { return bytes_.size(); }

  // `members` of the file beside buffers, bufferViews, accessors and asset.
  std::string Glb(const std::string& members) const {
    std::string json =
        absl::StrCat(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":)", bytes_.size(),
                     R"(}],"bufferViews":[)", absl::StrJoin(views_, ","), R"(],"accessors":[)",
                     absl::StrJoin(accessors_, ","), "],", members, "}");
    json.resize((json.size() + 3) / 4 * 4, ' ');
    std::string bytes = bytes_;
    bytes.resize((bytes.size() + 3) / 4 * 4);
    const auto word = [](size_t v) {
      std::string out(4, '\0');
      const auto w = static_cast<uint32_t>(v);
      std::memcpy(out.data(), &w, 4);
      return out;
    };
    return absl::StrCat("glTF", word(2), word(28 + json.size() + bytes.size()), word(json.size()),
                        "JSON", json, word(bytes.size()), std::string("BIN\0", 4), bytes);
  }

 private:
  std::string bytes_;
  std::vector<std::string> views_, accessors_;
};

struct SmallPerson {
  float scale = 1;          // of lengths: 100 for centimetres
  bool faces_back = false;  // looks along -Z
  bool a_pose = false;
  std::string extras;      // of the file: {"posewire": ...}
  std::string extensions;  // of the file: a VRM's
  std::string required;    // a name in extensionsRequired
  std::vector<std::string> targets = {"jawOpen", "mouthClose", "eyeBlink_L", "half"};
  std::string name_prefix = "mixamorig:";

  // Twenty boxes on as many bones; the box of the head has the targets, which move its points by
  // 1, 2, 3, ... centimetres along Y.
  std::string Glb() const {
    struct Bone {
      const char* name;
      int parent;
      float x, y, z;
    };
    const float arm = 0.26f, drop = a_pose ? 0.707f : 0.0f, out = a_pose ? 0.707f : 1.0f;
    const std::vector<Bone> bones = {
        {"Hips", -1, 0, 1, 0},
        {"Spine", 0, 0, 0.1f, 0},
        {"Spine1", 1, 0, 0.1f, 0},
        {"Neck", 2, 0, 0.3f, 0},
        {"Head", 3, 0, 0.1f, 0},
        {"LeftShoulder", 2, 0.05f, 0.25f, 0},
        {"LeftArm", 5, 0.12f, 0, 0},
        {"LeftForeArm", 6, arm * out, -arm * drop, 0},
        {"LeftHand", 7, arm * out, -arm * drop, 0},
        {"RightShoulder", 2, -0.05f, 0.25f, 0},
        {"RightArm", 9, -0.12f, 0, 0},
        {"RightForeArm", 10, -arm * out, -arm * drop, 0},
        {"RightHand", 11, -arm * out, -arm * drop, 0},
        {"LeftUpLeg", 0, 0.1f, -0.05f, 0},
        {"LeftLeg", 13, 0, -0.45f, 0},
        {"LeftFoot", 14, 0, -0.42f, 0},
        {"RightUpLeg", 0, -0.1f, -0.05f, 0},
        {"RightLeg", 16, 0, -0.45f, 0},
        {"RightFoot", 17, 0, -0.42f, 0},
    };
    std::vector<std::string> nodes;
    std::vector<float> places;
    const float turn = faces_back ? -1.0f : 1.0f;
    for (size_t b = 0; b < bones.size(); ++b) {
      std::vector<size_t> children;
      for (size_t c = 0; c < bones.size(); ++c) {
        if (bones[c].parent == static_cast<int>(b)) children.push_back(c);
      }
      const Bone& bone = bones[b];
      const float x = bone.x * scale * turn, y = bone.y * scale, z = bone.z * scale * turn;
      nodes.push_back(absl::StrCat(
          R"({"name":")", name_prefix, bone.name, R"(","translation":[)", x, ",", y, ",", z, "]",
          children.empty() ? ""
                           : absl::StrCat(R"(,"children":[)", absl::StrJoin(children, ","), "]"),
          "}"));
      const size_t p = static_cast<size_t>(bone.parent) * 3;
      for (const float v : {x, y, z}) {
        const size_t k = places.size() % 3;
        places.push_back(v + (bone.parent < 0 ? 0 : places[p + k]));
      }
    }
    GlbBytes bytes;
    std::vector<float> points, weights, inverse;
    std::vector<uint16_t> triangles;
    std::vector<uint8_t> joints;
    for (size_t b = 0; b < bones.size(); ++b) {
      const float half = 0.04f * scale;
      const auto first = static_cast<uint16_t>(points.size() / 3);
      for (int corner = 0; corner < 8; ++corner) {
        for (int k = 0; k < 3; ++k) {
          points.push_back(places[b * 3 + static_cast<size_t>(k)] +
                           ((corner >> k & 1) != 0 ? half : -half));
        }
        joints.insert(joints.end(), {static_cast<uint8_t>(b), 0, 0, 0});
        weights.insert(weights.end(), {2, 0, 0, 0});
      }
      for (const int i : {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5}) {
        triangles.push_back(static_cast<uint16_t>(first + i));
      }
      inverse.insert(inverse.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -places[b * 3],
                                     -places[b * 3 + 1], -places[b * 3 + 2], 1});
    }
    const size_t count = points.size() / 3;
    const int position = bytes.Points(points);
    const int index = bytes.Accessor(triangles, 5123, "SCALAR", triangles.size());
    const int joint = bytes.Accessor(joints, 5121, "VEC4", count);
    const int weight = bytes.Accessor(weights, 5126, "VEC4", count);
    const int bind = bytes.Accessor(inverse, 5126, "MAT4", bones.size());
    // Sparse: the eight points of the head.
    std::vector<uint16_t> head;
    for (uint16_t i = 0; i < 8; ++i) head.push_back(static_cast<uint16_t>(4 * 8 + i));
    const int at = bytes.View(head);
    std::vector<std::string> target_json;
    for (size_t t = 0; t < targets.size(); ++t) {
      std::vector<float> offsets;
      for (int i = 0; i < 8; ++i) {
        offsets.insert(offsets.end(), {0, 0.01f * static_cast<float>(t + 1) * scale, 0});
      }
      const int values = bytes.View(offsets);
      const int accessor = bytes.Accessor(
          absl::StrCat(R"({"componentType":5126,"type":"VEC3","count":)", count,
                       R"(,"sparse":{"count":8,"indices":{"bufferView":)", at,
                       R"(,"componentType":5123},"values":{"bufferView":)", values, "}}}"));
      target_json.push_back(absl::StrCat(R"({"POSITION":)", accessor, "}"));
    }
    const size_t body = nodes.size();
    nodes.push_back(R"({"name":"body","mesh":0,"skin":0})");
    std::vector<std::string> names;
    for (const std::string& target : targets) names.push_back(absl::StrCat("\"", target, "\""));
    std::vector<size_t> skin(bones.size());
    for (size_t b = 0; b < skin.size(); ++b) skin[b] = b;
    std::string members = absl::StrCat(
        R"("scene":0,"scenes":[{"nodes":[0,)", body, R"(]}],"nodes":[)", absl::StrJoin(nodes, ","),
        R"(],"skins":[{"joints":[)", absl::StrJoin(skin, ","), R"(],"inverseBindMatrices":)", bind,
        R"(}],"materials":[{"name":"skin"},{"name":"cloth","alphaMode":"BLEND"}],)",
        R"("meshes":[{"name":"body","primitives":[{"attributes":{"POSITION":)", position,
        R"(,"JOINTS_0":)", joint, R"(,"WEIGHTS_0":)", weight, R"(},"indices":)", index,
        R"(,"material":0,"targets":[)", absl::StrJoin(target_json, ","),
        R"(]}],"extras":{"targetNames":[)", absl::StrJoin(names, ","), "]}}]");
    if (!extras.empty()) absl::StrAppend(&members, ",\"extras\":", extras);
    if (!extensions.empty()) absl::StrAppend(&members, ",\"extensions\":", extensions);
    if (!required.empty())
      absl::StrAppend(&members, ",\"extensionsRequired\":[\"", required, "\"]");
    return bytes.Glb(members);
  }
};

// Two triangles on the joints of hanim_loa3, at its rest times `scale`, with these extras.
inline std::string LoaGlb(const skel::Rig& rig, const std::string& extras, float scale = 1) {
  GlbBytes bytes;
  std::vector<std::string> nodes;
  std::vector<size_t> all;
  for (int j = 0; j < rig.joints(); ++j) {
    std::vector<int> children;
    for (int c = j + 1; c < rig.joints(); ++c) {
      if (rig.topology().parent(c) == j) children.push_back(c);
    }
    const skel::Vec3 t = rig.rest().translation(j) * scale;
    nodes.push_back(absl::StrCat(
        R"({"name":")", rig.joint_names()[static_cast<size_t>(j)], R"(","translation":[)", t.x, ",",
        t.y, ",", t.z, "]",
        children.empty() ? "" : absl::StrCat(R"(,"children":[)", absl::StrJoin(children, ","), "]"),
        "}"));
    all.push_back(static_cast<size_t>(j));
  }
  std::vector<skel::Affine> places(all.size());
  skel::LocalToModelJob walk;
  walk.rig = &rig;
  walk.local = rig.rest();
  walk.matrices = absl::MakeSpan(places);
  walk.Run();
  std::vector<float> inverse;
  for (const skel::Affine& place : places) {
    const skel::Vec3 p = place.row[3] * scale;
    inverse.insert(inverse.end(), {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -p.x, -p.y, -p.z, 1});
  }
  const float tall = 1.75f * scale;
  const int position = bytes.Points({0, 0, 0, 0.1f * scale, 0, 0, 0, tall, 0});
  const int offsets = bytes.Points({0, 0, 0.1f * scale, 0, 0, 0, 0, 0, 0});
  const int half = bytes.Points({0, 0, 0.08f * scale, 0, 0, 0, 0, 0, 0});
  const auto elbow = static_cast<uint8_t>(rig.FindJoint("l_elbow"));
  const auto skull = static_cast<uint8_t>(rig.FindJoint("skullbase"));
  const std::vector<uint8_t> joints = {0, 0, 0, 0, elbow, 0, 0, 0, skull, 0, 0, 0};
  const int joint = bytes.Accessor(joints, 5121, "VEC4", 3);
  const int weight =
      bytes.Accessor(std::vector<float>{1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, 5126, "VEC4", 3);
  const int bind = bytes.Accessor(inverse, 5126, "MAT4", all.size());
  const size_t body = nodes.size();
  nodes.push_back(R"({"name":"short","mesh":0,"skin":0})");
  nodes.push_back(R"({"name":"long","mesh":0,"skin":0})");
  const std::string target = absl::StrCat(R"({"POSITION":)", offsets, "}");
  const std::string between = absl::StrCat(R"({"POSITION":)", half, "}");
  return bytes.Glb(absl::StrCat(
      R"("scene":0,"scenes":[{"nodes":[0,)", body, ",", body + 1, R"(]}],"nodes":[)",
      absl::StrJoin(nodes, ","), R"(],"skins":[{"joints":[)", absl::StrJoin(all, ","),
      R"(],"inverseBindMatrices":)", bind, R"(}],"materials":[{"name":"skin"}],)",
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":)", position, R"(,"JOINTS_0":)", joint,
      R"(,"WEIGHTS_0":)", weight, R"(},"material":0,"targets":[)", target, ",", between, ",",
      target, R"(]}],"extras":{"targetNames":["jawOpen","jawOpen_50","bend"]}}])",
      extras.empty() ? "" : absl::StrCat(",\"extras\":", extras)));
}

}  // namespace posewire::character

#endif  // POSEWIRE_TESTS_UNIT_CHARACTER_SMALL_GLB_H_
