// posewire.contributions.v1.Contributions between plain values and a metadata entry: which clips a
// frame was made of.
//
// A mask is written as the joints at which it changes on the way down the tree: most masks are
// whole limbs, so a few names say the weights of a hundred joints.
#ifndef POSEWIRE_LIBS_WIRE_CONTRIBUTIONS_H_
#define POSEWIRE_LIBS_WIRE_CONTRIBUTIONS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

inline constexpr absl::string_view kContributionsKey = "posewire.contributions";

// Fields as in posewire.contributions.v1.Contribution, but the mask.
struct ContributionFields {
  absl::string_view clip;  // empty: a live source
  uint64_t clip_hash = 0;
  double time_s = 0;
  float weight = 0;
  bool additive = false, mirrored = false, frozen = false;
  absl::string_view source_service_id = {};
};

// Writes one message after the other, all of one rig. Does not allocate once its buffers have
// grown. One thread.
class ContributionsWriter {
 public:
  explicit ContributionsWriter(std::shared_ptr<const skel::Rig> rig);

  void Begin() { message_.clear(); }
  // `row`: the share of each joint of the rig, then that of the shapes; fields.weight is its
  // largest.
  void Add(const ContributionFields& fields, absl::Span<const float> row);
  // `left_out`: the weight of the heaviest that is not among them. The entry may be moved from
  // until the next Finish, if it is moved back.
  MetadataEntry& Finish(float left_out);

 private:
  void WriteMask(float weight, absl::Span<const float> row);

  std::shared_ptr<const skel::Rig> rig_;
  std::vector<std::string> names_;
  std::string message_, item_, mask_, weights_;
  MetadataEntry entry_;
};

struct Contribution {
  std::string clip = {};
  uint64_t clip_hash = 0;
  double time_s = 0;
  float weight = 0;
  bool additive = false, mirrored = false, frozen = false;
  std::string source_service_id = {};
  // The factor on `weight` of a joint and all below it, up to the next one that is named; 1 above.
  std::vector<std::pair<std::string, float>> mask = {};

  // The share of each joint of a rig: `weight` times the mask. Names that the rig does not have
  // are left out.
  void Shares(const skel::Rig& rig, absl::Span<float> out) const;
};
struct Contributions {
  static constexpr size_t kMost = 8;
  std::vector<Contribution> contributions = {};
  float left_out = 0;
};

// Nothing if the entry is something else, cannot be read, or has more contributions, longer names
// or other numbers than the .proto file allows.
std::optional<Contributions> ReadContributions(const MetadataEntry& entry);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_CONTRIBUTIONS_H_
