#include "libs/clip/clip_library.h"

#include <algorithm>
#include <utility>

namespace posewire::clip {

ClipLibrary::ClipLibrary(std::vector<std::shared_ptr<const Clip>> clips) {
  for (std::shared_ptr<const Clip>& clip : clips) {
    std::string name = clip->name();
    clips_.insert_or_assign(std::move(name), std::move(clip));
  }
}

const Clip* ClipLibrary::Find(absl::string_view name) const {
  const auto it = clips_.find(name);
  return it == clips_.end() ? nullptr : it->second.get();
}

std::vector<std::shared_ptr<const Clip>> ClipLibrary::clips() const {
  std::vector<std::shared_ptr<const Clip>> out;
  out.reserve(clips_.size());
  for (const auto& [name, clip] : clips_) out.push_back(clip);
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a->name() < b->name(); });
  return out;
}

}  // namespace posewire::clip
