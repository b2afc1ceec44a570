// Naming conventions: how tools name the bones of a human (data/rigs/conventions.bones), and which
// joints of a skeleton are its bones according to them.
//
// The same word means different bones in different tools: "LeftShoulder" is a collar bone in
// Mixamo's files and an upper arm in classic BVH, and "LeftLeg" is a shank in
// Mixamo's files and a thigh in ACE. Therefore a skeleton is never read name by name: the
// convention that finds most of its bones names all of them.
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
  std::vector<Name> names;  // ordered by bone; likelier spellings of a bone come first

  // Returns the first spelling of a bone; "" if the convention does not name it.
  absl::string_view NameOf(HumanBone bone) const;
};

// Returns only lower-case letters and digits: "upper_arm.L" and "Upper Arm L" both become
// "upperarml". Bytes outside ASCII are kept.
std::string KeyOfName(absl::string_view name);

// data/rigs/conventions.bones describes the format. INVALID_ARGUMENT names the line.
absl::StatusOr<std::vector<NamingConvention>> ParseNamings(absl::string_view text);
// The conventions compiled into the library; parsed once.
const absl::StatusOr<std::vector<NamingConvention>>& BuiltinNamings();

// The bones that a convention finds in a skeleton.
struct NamedBones {
  const NamingConvention* convention = nullptr;  // none: no bone was found
  std::array<int16_t, kHumanBones> joints;       // -1 for none
  int count = 0;
};

// Uses the convention that finds the most bones; of equals, the first. Ignores a prefix or suffix
// that the names share, and numbers at the end of most of them.
NamedBones NameBones(const Rig& rig, absl::Span<const NamingConvention> conventions);
// Returns the bones that each convention finds, in their order.
std::vector<NamedBones> NameBonesByEach(const Rig& rig,
                                        absl::Span<const NamingConvention> conventions);

}  // namespace posewire::skel

#endif  // POSEWIRE_LIBS_SKEL_NAMING_H_
