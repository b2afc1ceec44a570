// A small H-Anim person as text: joints of hanim_loa1 in the standard's stance or in a T, and what
// a test gives it of skin and segments.
#ifndef POSEWIRE_TESTS_UNIT_CHARACTER_X3D_PERSON_H_
#define POSEWIRE_TESTS_UNIT_CHARACTER_X3D_PERSON_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/character/deformer.h"
#include "tests/unit/character/reading.h"

namespace posewire::character {

struct X3dPerson {
  bool t_pose = false;
  float unit = 1;                                      // of the file, to a metre
  std::map<std::string, std::string> attributes = {};  // of joints by name
  std::map<std::string, std::string> inside = {};      // of joints by name: segments
  std::string more = {};                               // of the humanoid: skinCoord, skin
  std::string head = {}, above = {}, below = {}, fields = {}, version = "4.0";

  std::string Joint(const std::string& name, float x, float y, float z,
                    const std::string& below_it = "") const {
    const auto of = [&](const std::map<std::string, std::string>& all) {
      const auto at = all.find(name);
      return at == all.end() ? std::string() : at->second;
    };
    return absl::StrCat("<HAnimJoint name='", name, "' center='", x * unit, " ", y * unit, " ",
                        z * unit, "' ", of(attributes), ">\n", of(inside), below_it,
                        "</HAnimJoint>\n");
  }

  std::string Arm(const std::string& side, float x) const {
    const std::string p = side + "_";
    const auto at = [&](float along) {
      return t_pose ? std::pair(x + (x > 0 ? along : -along), 1.4f) : std::pair(x, 1.4f - along);
    };
    const auto [ex, ey] = at(0.3f);
    const auto [wx, wy] = at(0.55f);
    return Joint(p + "shoulder", x, 1.4f, 0,
                 Joint(p + "elbow", ex, ey, 0, Joint(p + "wrist", wx, wy, 0)));
  }

  std::string Leg(const std::string& side, float x) const {
    const std::string p = side + "_";
    return Joint(p + "hip", x, 0.9f, 0,
                 Joint(p + "knee", x, 0.5f, 0,
                       Joint(p + "ankle", x, 0.1f, 0, Joint(p + "midtarsal", x, 0.05f, 0.1f))));
  }

  std::string Text() const {
    std::string root = Joint(
        "humanoid_root", 0, 0.9f, 0,
        absl::StrCat(
            Joint("sacroiliac", 0, 0.95f, 0, absl::StrCat(Leg("l", 0.1f), Leg("r", -0.1f))),
            Joint("vl5", 0, 1.0f, 0,
                  absl::StrCat(Joint("skullbase", 0, 1.6f, 0), Arm("l", 0.2f), Arm("r", -0.2f)))));
    root.insert(root.find(' '), " containerField='skeleton'");
    return absl::StrCat("<?xml version='1.0'?>\n<X3D profile='Immersive' version='", version,
                        "'><head>", head, "</head>\n<Scene>", above,
                        "<HAnimHumanoid DEF='h' name='Ann' version='2.0' ", fields, ">\n", root,
                        more, "</HAnimHumanoid>", below, "</Scene></X3D>\n");
  }
};

// The same joints without centers, each with the translation from its parent's place.
inline std::string PlacedByTranslations(const std::string& text) {
  std::string out;
  std::vector<skel::Vec3> places = {{}};
  size_t at = 0;
  while (true) {
    const size_t next = std::min(text.find("center='", at), text.find("</HAnimJoint>", at));
    if (next == std::string::npos) return out + text.substr(at);
    out += text.substr(at, next - at);
    if (text[next] == '<') {
      places.pop_back();
      out += text[next];
      at = next + 1;
      continue;
    }
    const size_t from = next + std::string("center='").size(), to = text.find('\'', from);
    std::istringstream numbers(text.substr(from, to - from));
    skel::Vec3 place;
    numbers >> place.x >> place.y >> place.z;
    const skel::Vec3 way = place - places.back();
    places.push_back(place);
    absl::StrAppend(&out, "translation='", way.x, " ", way.y, " ", way.z);
    at = to;
  }
}

// A square of skin at the left forearm, in the order of its points: two at the elbow, two at the
// wrist. By default it is the whole skin.
inline std::string Skin(const std::string& geometry, const std::string& appearance = "") {
  return absl::StrCat(
      "<Coordinate DEF='c' containerField='skinCoord' point='.15 1.1 0, .25 1.1 0, "
      ".25 .85 0, .15 .85 0'/>\n<Shape DEF='arm' containerField='skin'>",
      appearance, geometry, "</Shape>\n");
}
inline constexpr char kSquare[] =
    "<IndexedFaceSet coordIndex='3 2 1 0 -1'><Coordinate USE='c'/></IndexedFaceSet>";

inline X3dPerson Skinned() {
  X3dPerson person;
  person.attributes["l_elbow"] = "skinCoordIndex='0 1 2 3' skinCoordWeight='.5 .5 1 1'";
  person.attributes["l_shoulder"] = "skinCoordIndex='0 1' skinCoordWeight='.5 .5'";
  person.more = Skin(kSquare);
  return person;
}

inline void Near(skel::Vec3 a, skel::Vec3 b, float most = 1e-4f) {
  EXPECT_LT(skel::Length(a - b), most)
      << a.x << " " << a.y << " " << a.z << " is not " << b.x << " " << b.y << " " << b.z;
}

// Where the file's points of a mesh are in a pose; the person stands where its file has it.
inline std::vector<skel::Vec3> PointsIn(const Character& c, const skel::Pose& pose,
                                        size_t mesh = 0) {
  Deformer deformer(std::shared_ptr<const Character>(std::shared_ptr<void>(), &c));
  EXPECT_TRUE(deformer.Pose(pose.view()).ok());
  std::vector<skel::Vec3> out(c.meshes[mesh].file_points);
  for (size_t i = 0; i < c.meshes[mesh].points.size(); ++i) {
    out[c.meshes[mesh].point_of[i]] = deformer.points(mesh)[i] - c.root.translation;
  }
  return out;
}

inline skel::Pose RestOf(const Character& c) {
  skel::Pose pose(c.rig->joints(), c.rig->shapes());
  pose.span().CopyFrom(c.rig->rest());
  return pose;
}

inline void Turn(const Character& c, const std::string& joint, skel::Vec3 axis, float angle,
                 skel::Pose& pose) {
  const int j = c.rig->FindJoint(joint);
  ASSERT_GE(j, 0) << joint;
  pose.span().SetRotation(j,
                          skel::Mul(c.rig->rest().rotation(j), skel::FromAxisAngle(axis, angle)));
}

// The extent of a mesh in a pose.
inline std::pair<skel::Vec3, skel::Vec3> ExtentOf(const std::vector<skel::Vec3>& points) {
  skel::Vec3 low = points[0], high = points[0];
  for (const skel::Vec3 p : points) {
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  return {low, high};
}

}  // namespace posewire::character

#endif  // POSEWIRE_TESTS_UNIT_CHARACTER_X3D_PERSON_H_
