// Converts posewire.contributions.v1.Contributions, the list of clips that a frame was made from,
// between plain values and a metadata entry.
//
// A mask is written as the joints at which it changes on the way down the tree. Most masks are
// whole limbs, so a few names describe the weights of a hundred joints.
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

// Fields as in posewire.contributions.v1.Contribution, except the mask.
struct ContributionFields {
  absl::string_view clip;  // empty: a live source
  uint64_t clip_hash = 0;
  double time_s = 0;
  float weight = 0;
  bool additive = false, mirrored = false, frozen = false;
  absl::string_view source_service_id = {};
};

// Writes a sequence of messages, all for one rig. Does not allocate once its buffers have grown.
// One thread.
class ContributionsWriter {
 public:
  explicit ContributionsWriter(std::shared_ptr<const skel::Rig> rig);

  void Begin() { message_.clear(); }
  // `row`: the share of each joint of the rig, then that of the shapes. fields.weight is the
  // largest of them.
  void Add(const ContributionFields& fields, absl::Span<const float> row);
  // `left_out`: the largest weight among clips that were not added. The entry may be moved away
  // until the next Finish, if it is moved back before that.
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
  // Factors on `weight`: each applies to the named joint and all below it, down to the next named
  // joint. Joints above have 1.
  std::vector<std::pair<std::string, float>> mask = {};

  // Writes the share of each joint of a rig: `weight` times the mask. Ignores names that the rig
  // does not have.
  void Shares(const skel::Rig& rig, absl::Span<float> out) const;
};
struct Contributions {
  static constexpr size_t kMost = 8;
  std::vector<Contribution> contributions = {};
  float left_out = 0;
};

// Returns nothing if the entry has another key, cannot be parsed, or has more contributions, longer
// names or other numbers than the .proto file allows.
std::optional<Contributions> ReadContributions(const MetadataEntry& entry);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_CONTRIBUTIONS_H_
