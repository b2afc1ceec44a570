// Converts posewire.contributions.v1.Contributions, the list of clips that a frame was made from,
// between plain values and a metadata entry.
//
// A mask lists only the joints whose weight differs from that of their parent. Most masks cover
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
  // `row` has the weight of the clip at each joint of the rig, then one weight for all shapes.
  // fields.weight must be the largest of them.
  void Add(const ContributionFields& fields, absl::Span<const float> row);
  // `left_out` is the largest weight among the clips that were not added. The writer owns the entry
  // and reuses its buffers: a caller that moves it out must move it back before the next Finish.
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

// Writes those of a source. Names and masks are taken as they are.
MetadataEntry ToMetadata(const Contributions& contributions);

// Returns nothing if the entry has a different key, cannot be parsed, or exceeds a limit of the
// .proto file: the number of contributions, the length of a name, or the range of a value.
std::optional<Contributions> ReadContributions(const MetadataEntry& entry);

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_CONTRIBUTIONS_H_
