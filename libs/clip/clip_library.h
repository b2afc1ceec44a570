// The clips that a graph may play: an immutable snapshot, replaced as a whole and shared by
// readers.
#ifndef POSEWIRE_LIBS_CLIP_CLIP_LIBRARY_H_
#define POSEWIRE_LIBS_CLIP_CLIP_LIBRARY_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "libs/clip/clip.h"

namespace posewire::clip {

class ClipLibrary {
 public:
  ClipLibrary() = default;
  explicit ClipLibrary(std::vector<std::shared_ptr<const Clip>> clips);

  // Returns null if there is no clip with that name.
  const Clip* Find(absl::string_view name) const;
  // Ordered by name.
  std::vector<std::shared_ptr<const Clip>> clips() const;

 private:
  absl::flat_hash_map<std::string, std::shared_ptr<const Clip>> clips_;
};

}  // namespace posewire::clip

#endif  // POSEWIRE_LIBS_CLIP_CLIP_LIBRARY_H_
