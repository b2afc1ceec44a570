// What clip readers share that change the messages of another one: its name, place, size and
// warnings.
#ifndef POSEWIRE_LIBS_RETARGET_CLIP_FILTER_H_
#define POSEWIRE_LIBS_RETARGET_CLIP_FILTER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/recording/clip_reader.h"
#include "libs/wire/message.h"

namespace posewire::retarget {

// A filter overrides DoNext.
class ClipFilter : public recording::ClipReader {
 public:
  std::vector<std::string> warnings() const override {
    std::vector<std::string> all = clip_->warnings();
    all.insert(all.end(), warnings_.begin(), warnings_.end());
    return all;
  }
  const std::string& name() const override { return clip_->name(); }
  absl::Status Narrow(double from_s, double to_s) override { return clip_->Narrow(from_s, to_s); }
  std::string place_of_last() const override { return clip_->place_of_last(); }
  int64_t size() const override { return clip_->size(); }

 protected:
  explicit ClipFilter(std::unique_ptr<recording::ClipReader> clip)
      : ClipReader(/*warns_of_no_frame=*/false), clip_(std::move(clip)) {}

  recording::ClipReader& clip() const { return *clip_; }

 private:
  absl::StatusOr<wire::MessageBytes> DoNextBytes() override {
    absl::StatusOr<std::optional<wire::Message>> message = DoNext();
    if (!message.ok()) return message.status();
    return *message ? (*message)->bytes : nullptr;
  }

  const std::unique_ptr<recording::ClipReader> clip_;
};

}  // namespace posewire::retarget

#endif  // POSEWIRE_LIBS_RETARGET_CLIP_FILTER_H_
