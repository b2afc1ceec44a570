// Matches the names of a pushed stream to the rig of the avatar that plays it.
#ifndef POSEWIRE_LIBS_WIRE_SOURCE_BINDING_H_
#define POSEWIRE_LIBS_WIRE_SOURCE_BINDING_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "libs/skel/pose.h"
#include "libs/skel/rig.h"
#include "libs/wire/chunk.h"

namespace posewire::wire {

struct BindingOptions {
  // Multiplies incoming translations (0.01 for a source in centimetres).
  float translation_scale = 1;
  // Use the translations of all joints; otherwise only those of roots and hips.
  bool all_translations = false;
  // The skeleton of the stream's joints, if the source is configured with one. Null: the catalog's
  // rig with these names.
  std::shared_ptr<const skel::Rig> source_rig = nullptr;

  bool operator==(const BindingOptions&) const = default;
};

class BindingCache;

// Matches joints by path, or by as much of its end as is unambiguous (skel::PoseMapper::ToRig), and
// shapes by last path element ignoring case. A stream with the names of ACE, H-Anim (V1, V2) or
// Unity is recognised by them, and retargeted with the rest corrections of the rig map. Names that
// the rig lacks are ignored and counted.
//
// Immutable after Make, and cheap to copy: copies share their tables. Any thread.
class SourceBinding {
 public:
  // `catalog` has the rigs that can be recognised by their names. INVALID_ARGUMENT with examples of
  // both if the header names joints or shapes and none of them is known. With a `cache`, reuses the
  // tables of an earlier header with the same names.
  static absl::StatusOr<SourceBinding> Make(const StreamHeader& header,
                                            std::shared_ptr<const skel::Rig> rig,
                                            const skel::RigCatalog& catalog,
                                            const BindingOptions& options = {},
                                            BindingCache* cache = nullptr);

  // Sampled values in the header's order, one span per track; an empty span means absent.
  struct Sample {
    absl::Span<const float> track[kPoseTracks];
  };
  // Writes the sample into `out` (of the rig's size) and sets which elements are present. Rotations
  // whose squared length is within 2e-6 of 1 are copied bit for bit; others are normalised. Does
  // not allocate; uses up to 60 KB of stack.
  void Apply(const Sample& sample, const skel::PoseSpan& out) const;

  int ignored_joints() const;
  int ignored_shapes() const;
  // Up to 5 ignored names, quoted and shortened.
  const std::vector<std::string>& ignored_examples() const;
  // The rig whose names were recognised ("ace_biped"), or "" if matched name by name.
  const std::string& recognized_rig() const;
  // Returns true if any mapped shape or joint belongs to the mouth (jaw, lips, tongue).
  bool owns_mouth() const;

 private:
  friend class BindingCache;
  struct Tables;
  explicit SourceBinding(std::shared_ptr<const Tables> tables) : tables_(std::move(tables)) {}

  std::shared_ptr<const Tables> tables_;
};

// Tables of the most recently bound headers. Streams with the same names share them, which keeps
// the tables in the CPU caches and saves looking up names. For one catalog. One thread.
class BindingCache {
 public:
  // Beyond `most` headers, drops the least recently used. Headers with more than 64 KiB of names
  // are not kept.
  explicit BindingCache(size_t most = 16) : most_(most) {}

  size_t size() const { return entries_.size(); }

 private:
  friend class SourceBinding;
  struct Entry {
    std::vector<std::string> joints, shapes;
    std::shared_ptr<const SourceBinding::Tables> tables;
  };

  // Returns null if there is no entry.
  std::shared_ptr<const SourceBinding::Tables> Find(const StreamHeader& header,
                                                    const skel::Rig* rig,
                                                    const BindingOptions& options);
  void Keep(const StreamHeader& header, std::shared_ptr<const SourceBinding::Tables> tables);

  size_t most_;
  std::vector<Entry> entries_;  // most recently used first
};

}  // namespace posewire::wire

#endif  // POSEWIRE_LIBS_WIRE_SOURCE_BINDING_H_
