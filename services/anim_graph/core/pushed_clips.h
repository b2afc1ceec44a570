// Which clips a source says that its frames are made of (wire::Contributions in the metadata of a
// push), by time code.
//
// An entry holds from its message on until the next one; meanwhile the times in its clips advance.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSHED_CLIPS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSHED_CLIPS_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "libs/graph/node.h"
#include "libs/skel/rig.h"
#include "libs/wire/contributions.h"

namespace posewire::anim_graph {

// Append allocates; Advance does not. One thread.
class PushedClips {
 public:
  PushedClips();

  // Masks are resolved for the rig.
  void Append(double time_code_s, const wire::Contributions& said, const skel::Rig& rig);
  // Moves to a time code: what is due by then replaces what was shown. The times of clips are those
  // at `shown_s`, which is before it while no pose has come.
  void Advance(double time_code_s, double shown_s);
  // At that time code; valid until the next call.
  absl::Span<const graph::PushedClip> shown() const { return shown_; }

  // Memory used.
  size_t bytes() const { return bytes_; }

 private:
  struct Clip {
    std::string name;
    uint64_t hash = 0;
    double time_s = 0;
    float weight = 0;
    bool additive = false, mirrored = false, frozen = false;
    std::vector<float> joints;  // empty: `weight` for all
  };
  struct Entry {
    double time_code_s = 0;
    std::vector<Clip> clips;
  };
  static size_t BytesOf(const Entry& entry);
  void FindPartners(const skel::Rig& rig);

  std::deque<Entry> pending_;  // by time code
  Entry now_;
  std::vector<graph::PushedClip> shown_;
  std::vector<int> partners_;  // made for the first mirrored clip
  size_t bytes_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_CORE_PUSHED_CLIPS_H_
