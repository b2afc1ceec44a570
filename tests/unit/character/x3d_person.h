// A small H-Anim person as text: joints of hanim_loa1 in the standard's stance or in a T, and what
// a test gives it of skin and segments.
#ifndef POSEWIRE_TESTS_UNIT_CHARACTER_X3D_PERSON_H_
#define POSEWIRE_TESTS_UNIT_CHARACTER_X3D_PERSON_H_

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"

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

}  // namespace posewire::character

#endif  // POSEWIRE_TESTS_UNIT_CHARACTER_X3D_PERSON_H_
