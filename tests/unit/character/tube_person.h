// People of other builds as GLB files: an elliptic tube for a trunk, another one for a head, and
// bones of any maker's names, axes and stance.
#ifndef POSEWIRE_TESTS_UNIT_CHARACTER_TUBE_PERSON_H_
#define POSEWIRE_TESTS_UNIT_CHARACTER_TUBE_PERSON_H_

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/skel/affine.h"
#include "libs/skel/hand_touch.h"
#include "libs/skel/math.h"
#include "tests/unit/character/small_glb.h"
#include "tests/unit/skel/foreign_body.h"

namespace posewire::character {

struct TubePerson {
  const char* name;
  size_t convention;                          // of skel::kConventions
  float shoulder_m, upper_m, fore_m, hand_m;  // half the shoulders' width; the arm; to the knuckles
  float hip_m, neck_m;                        // how high hip joints and neck are
  skel::HandTouch::Ring trunk, head;
  float chin_m, top_m;  // how high they are
  float below_deg;      // of its arms at rest, below a T

  // Where its bones are at rest, as skel::kBody.
  std::vector<skel::Vec3> Places() const {
    std::vector<skel::Vec3> at;
    for (const skel::Part& part : skel::kBody) at.push_back(part.at);
    const float shoulders = neck_m - 0.05f;
    const auto put = [&](size_t i, float x, float y, float z = 0) { at[i] = {x, y, z}; };
    put(0, 0, hip_m + 0.03f);
    put(1, 0, hip_m + 0.12f);
    put(2, 0, hip_m + (shoulders - hip_m) * 0.6f);
    put(3, 0, neck_m);
    put(4, 0, chin_m + 0.02f);
    for (const float side : {1.0f, -1.0f}) {
      const size_t arm = side > 0 ? 5 : 12, leg = side > 0 ? 19 : 23;
      const float c = std::cos(below_deg * skel::kDegree), s = std::sin(below_deg * skel::kDegree);
      const auto along = [&](size_t i, float far, float z) {
        put(i, side * (shoulder_m + far * c), shoulders - far * s, z);
      };
      put(arm, side * 0.03f, shoulders);
      along(arm + 1, 0, 0);
      along(arm + 2, upper_m, 0);
      along(arm + 3, upper_m + fore_m, 0);
      along(arm + 4, upper_m + fore_m + hand_m, 0.03f);
      along(arm + 5, upper_m + fore_m + hand_m, 0);
      along(arm + 6, upper_m + fore_m + hand_m, -0.04f);
      put(leg, side * 0.09f, hip_m);
      put(leg + 1, side * 0.09f, hip_m * 0.55f);
      put(leg + 2, side * 0.09f, 0.08f);
      put(leg + 3, side * 0.09f, 0.02f, 0.12f);
    }
    return at;
  }

  std::string Glb() const {
    using skel::Affine;
    using skel::Quat;
    using skel::Vec3;
    std::mt19937 random(static_cast<unsigned>(convention) + 1);
    std::normal_distribution<float> any;
    std::vector<Vec3> at = Places();
    std::vector<std::string> names;
    std::vector<int> parents;
    for (size_t b = 0; b < skel::kParts; ++b) {
      names.emplace_back(skel::kConventions[convention].joints[b]);
      parents.push_back(skel::kBody[b].parent);
    }
    // The other joints of index and middle fingers, called as the first ones.
    for (const size_t knuckle : {9, 10, 16, 17}) {
      const Vec3 way = skel::Normalized(at[knuckle == 9 || knuckle == 10 ? 10 : 17] -
                                        at[knuckle == 9 || knuckle == 10 ? 8 : 15]);
      for (const char number : {'2', '3'}) {
        std::string name = names[knuckle];
        name[name.rfind('1')] = number;
        parents.push_back(number == '2' ? static_cast<int>(knuckle)
                                        : static_cast<int>(names.size()) - 1);
        names.push_back(name);
        at.push_back(at[knuckle] + way * (hand_m * (number == '2' ? 0.5f : 0.8f)));
      }
    }
    std::vector<Quat> turn;
    std::vector<std::string> nodes;
    std::vector<float> inverse;
    for (size_t b = 0; b < names.size(); ++b) {
      turn.push_back(skel::Normalized(Quat{any(random), any(random), any(random), any(random)}));
      const int parent = parents[b];
      const auto above = static_cast<size_t>(std::max(parent, 0));
      const Quat back = parent < 0 ? Quat{} : skel::Conjugate(turn[above]);
      const Vec3 t = skel::Rotate(back, parent < 0 ? at[b] : at[b] - at[above]);
      const Quat r = skel::Mul(back, turn[b]);
      std::vector<size_t> children;
      for (size_t c = 0; c < names.size(); ++c) {
        if (parents[c] == static_cast<int>(b)) children.push_back(c);
      }
      nodes.push_back(absl::StrCat(
          R"({"name":")", names[b], R"(","translation":[)", t.x, ",", t.y, ",", t.z,
          R"(],"rotation":[)", r.x, ",", r.y, ",", r.z, ",", r.w, "]",
          children.empty() ? ""
                           : absl::StrCat(R"(,"children":[)", absl::StrJoin(children, ","), "]"),
          "}"));
      const Affine m = *skel::Inverse(skel::FromTrs(at[b], turn[b], {1, 1, 1}));
      for (size_t row = 0; row < 4; ++row) {
        const Vec3 v = m.row[row];
        inverse.insert(inverse.end(), {v.x, v.y, v.z, row == 3 ? 1.0f : 0.0f});
      }
    }
    std::vector<float> points, weights;
    std::vector<uint8_t> joints;
    std::vector<uint16_t> triangles;
    const auto tube = [&](float low, float high, skel::HandTouch::Ring ring, float z, auto bone) {
      constexpr int kAround = 16, kUp = 14;
      for (int up = 0; up <= kUp; ++up) {
        for (int round = 0; round < kAround; ++round) {
          const float angle = 2 * skel::kPi * static_cast<float>(round) / kAround;
          const float y = low + (high - low) * static_cast<float>(up) / kUp;
          const float x = ring.side_m * std::sin(angle), c = std::cos(angle);
          points.insert(points.end(), {x, y, z + (c > 0 ? ring.front_m : ring.back_m) * c});
          joints.insert(joints.end(), {static_cast<uint8_t>(bone(x, y)), 0, 0, 0});
          weights.insert(weights.end(), {1, 0, 0, 0});
          triangles.push_back(static_cast<uint16_t>(triangles.size()));
        }
      }
    };
    tube(hip_m * 0.6f, neck_m - 0.02f, trunk, 0, [&](float x, float y) {
      return y < hip_m - 0.05f ? (x > 0 ? 19 : 23) : y < hip_m + 0.12f ? 0 : y < at[2].y ? 1 : 2;
    });
    tube(0, 0.1f, {0.1f, 0.1f, 0.1f}, 0, [](float x, float) { return x > 0 ? 21 : 25; });
    tube(chin_m, top_m, head, 0, [](float, float) { return 4; });
    while (triangles.size() % 3 != 0) triangles.push_back(0);
    GlbBytes bytes;
    const size_t count = points.size() / 3;
    const int position = bytes.Points(points);
    const int index = bytes.Accessor(triangles, 5123, "SCALAR", triangles.size());
    const int joint = bytes.Accessor(joints, 5121, "VEC4", count);
    const int weight = bytes.Accessor(weights, 5126, "VEC4", count);
    const int bind = bytes.Accessor(inverse, 5126, "MAT4", names.size());
    std::vector<size_t> skin(names.size());
    for (size_t b = 0; b < skin.size(); ++b) skin[b] = b;
    nodes.push_back(R"({"name":"body","mesh":0,"skin":0})");
    return bytes.Glb(absl::StrCat(
        R"("scene":0,"scenes":[{"nodes":[0,)", nodes.size() - 1, R"(]}],"nodes":[)",
        absl::StrJoin(nodes, ","), R"(],"skins":[{"joints":[)", absl::StrJoin(skin, ","),
        R"(],"inverseBindMatrices":)", bind, R"(}],"materials":[{"name":"skin"}],)",
        R"("meshes":[{"name":"body","primitives":[{"attributes":{"POSITION":)", position,
        R"(,"JOINTS_0":)", joint, R"(,"WEIGHTS_0":)", weight, R"(},"indices":)", index,
        R"(,"material":0}]}])"));
  }
};

// Narrow shoulders and short arms; broad ones; a large head on a small body; long arms on a thin
// one.
inline constexpr TubePerson kTubePeople[] = {
    {"slim",
     1,
     0.125f,
     0.265f,
     0.255f,
     0.08f,
     0.95f,
     1.43f,
     {0.13f, 0.12f, 0.1f},
     {0.08f, 0.09f, 0.09f},
     1.5f,
     1.74f,
     0},
    {"broad",
     2,
     0.24f,
     0.33f,
     0.29f,
     0.1f,
     0.98f,
     1.56f,
     {0.21f, 0.16f, 0.15f},
     {0.09f, 0.1f, 0.1f},
     1.63f,
     1.88f,
     40},
    {"big head",
     3,
     0.11f,
     0.23f,
     0.22f,
     0.065f,
     0.78f,
     1.16f,
     {0.13f, 0.11f, 0.1f},
     {0.12f, 0.12f, 0.12f},
     1.19f,
     1.5f,
     0},
    {"long arms",
     0,
     0.17f,
     0.36f,
     0.34f,
     0.1f,
     1,
     1.5f,
     {0.14f, 0.11f, 0.1f},
     {0.08f, 0.1f, 0.1f},
     1.58f,
     1.81f,
     30},
};

}  // namespace posewire::character

#endif  // POSEWIRE_TESTS_UNIT_CHARACTER_TUBE_PERSON_H_
