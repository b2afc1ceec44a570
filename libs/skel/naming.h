// How tools name the bones of a human (data/rigs/conventions.bones), and which joints of a skeleton
// are its bones by that.
//
// One word means different bones to different tools: "LeftShoulder" is a collar bone in Mixamo's
// files and an upper arm in classic BVH, "LeftLeg" is a shank there and a thigh in ACE. So a
// skeleton is never read name by name: the convention that finds most of its bones names them all.
#ifndef POSEWIRE_LIBS_SKEL_NAMING_H_
#define POSEWIRE_LIBS_SKEL_NAMING_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/humanoid.h"

namespace posewire::skel {

struct NamingConvention {
  struct Name {
    HumanBone bone = HumanBone::kHips;
    std::string text;  // as the tool writes it
    std::string key;   // KeyOfName(text)
  };

  std::string id;           // "mixamo"
  std::vector<Name> names;  // by bone; of one bone's spellings, the likelier first

  // The first spelling of a bone; "" if the convention does not name it.
  absl::string_view NameOf(HumanBone bone) const;
};

// Lower-case letters and digits alone: "upper_arm.L" and "Upper Arm L" are both "upperarml". Bytes
// outside ASCII stay.
std::string KeyOfName(absl::string_view name);

// The format is described in data/rigs/conventions.bones. INVALID_ARGUMENT names the line.
absl::StatusOr<std::vector<NamingConvention>> ParseNamings(absl::string_view text);
// Those that are compiled in; parsed once.
const absl::StatusOr<std::vector<NamingConvention>>& BuiltinNamings();

// What a convention finds in a skeleton.
struct NamedBones {
  const NamingConvention* convention = nullptr;  // none: no bone was found
  std::array<int16_t, kHumanBones> joints;       // -1 for none
  int count = 0;
};

// By the convention that finds the most bones; of equals, the first. A prefix or suffix that the
// names share, and numbers that end most of them, are seen through.
NamedBones NameBones(const Rig& rig, absl::Span<const NamingConvention> conventions);
// What each of them finds by itself, in their order.
std::vector<NamedBones> NameBonesByEach(const Rig& rig,
                                        absl::Span<const NamingConvention> conventions);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_NAMING_H_
