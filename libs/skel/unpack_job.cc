#include "libs/skel/unpack_job.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "libs/skel/kernels/kernels.h"

namespace posewire::skel {
namespace {

constexpr size_t kSparse = 8;  // sparse: at most one element in this many

absl::Status CheckSize(absl::string_view field, const UnpackJob::Track& track, int size) {
  if (track.places == nullptr || track.places->size() == size) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(field, " has places for ", track.places->size(), " elements, expected ", size));
}

}  // namespace

KeyPlaces::KeyPlaces(std::vector<int32_t> from, int key_size)
    : key_size_(key_size), from_(std::move(from)), has_(from_.size(), 0) {
  identity_ = size() == key_size_;
  for (size_t i = 0; i < from_.size(); ++i) {
    const auto at = static_cast<int32_t>(i);
    identity_ = identity_ && from_[i] == at;
    has_[i] = from_[i] >= 0 && from_[i] < key_size_;
    if (has_[i]) {
      placed_.push_back(at);
    } else {
      from_[i] = 0;
    }
  }
  sparse_ = placed_.size() * kSparse <= from_.size();
}

absl::Status UnpackJob::Validate() const {
  if (absl::Status s = CheckSize("translations", translations, out.joints); !s.ok()) return s;
  if (absl::Status s = CheckSize("rotations", rotations, out.joints); !s.ok()) return s;
  if (absl::Status s = CheckSize("scales", scales, out.joints); !s.ok()) return s;
  return CheckSize("weights", weights, out.shapes);
}

bool UnpackJob::Run() const {
  if (!Validate().ok()) return false;
  kernels::Unpack(*this);
  return true;
}

}  // namespace posewire::skel
