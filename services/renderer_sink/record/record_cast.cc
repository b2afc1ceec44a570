#include "services/renderer_sink/record/record_cast.h"

#include <algorithm>
#include <utility>

namespace posewire::renderer_sink {

// Passes what arrives to the recording, under its lock.
class RecordCast::Member final : public CastMember {
 public:
  Member(RecordCast& cast, std::shared_ptr<Avatar> avatar)
      : cast_(cast), avatar_(std::move(avatar)) {}

  absl::Status OnHeader(const wire::StreamHeader& header,
                        const wire::MessageBytes& bytes) override {
    std::lock_guard lock(cast_.mutex_);
    return cast_.OnHeader(*avatar_, header, bytes);
  }
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override {
    std::lock_guard lock(cast_.mutex_);
    return cast_.OnData(*avatar_, data, bytes, receive_s);
  }
  absl::Status OnStatus(const wire::StatusChunk&, const wire::MessageBytes& bytes) override {
    std::lock_guard lock(cast_.mutex_);
    const auto recorder = cast_.RecorderOf(*avatar_);
    return !recorder.ok() || *recorder == nullptr ? recorder.status()
                                                  : (*recorder)->OnStatus(bytes);
  }
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status&) override {
    std::lock_guard lock(cast_.mutex_);
    const auto recorder = cast_.RecorderOf(*avatar_);
    return !recorder.ok() || *recorder == nullptr ? recorder.status()
                                                  : (*recorder)->OnFaulty(bytes);
  }
  absl::Status Tick(double) override { return absl::OkStatus(); }
  absl::Status Close() override { return absl::OkStatus(); }
  void PlaceAt(const asset::GroundPlace& place) override {
    std::lock_guard lock(cast_.mutex_);
    avatar_->place = place;
    Recorder* const recorder =
        cast_.lead_ == avatar_.get() ? cast_.take_.get() : avatar_->recorder.get();
    // The next message reports what is wrong with the file.
    if (recorder != nullptr) recorder->PlaceAt(place).IgnoreError();
  }
  void Leave() override {
    std::lock_guard lock(cast_.mutex_);
    cast_.Leave(*avatar_);
  }

 private:
  RecordCast& cast_;
  const std::shared_ptr<Avatar> avatar_;
};

absl::StatusOr<std::unique_ptr<Cast>> RecordCast::Create(const RecordOptions& options,
                                                         service::Logger log) {
  std::unique_ptr<RecordCast> cast(new RecordCast(options, std::move(log)));
  if (absl::Status s = cast->Begin(); !s.ok()) return s;
  return cast;
}

RecordCast::~RecordCast() = default;

absl::StatusOr<std::unique_ptr<CastMember>> RecordCast::Join(const std::string&,
                                                             const asset::GroundPlace& place) {
  std::lock_guard lock(mutex_);
  avatars_.push_back(std::make_shared<Avatar>());
  avatars_.back()->place = place;
  return std::make_unique<Member>(*this, avatars_.back());
}

absl::Status RecordCast::Begin() {
  RecorderOptions options = options_.recorder;
  options.take = ++takes_;
  options.place.emplace();
  auto recorder = Recorder::Create(options);
  if (!recorder.ok()) return recorder.status();
  take_ = *std::move(recorder);
  if (take_->take() != takes_) {
    log_.Info("a file of this name exists and stays; this take gets the next free number",
              {{"asked", TakePath(options.path, takes_)}, {"file", take_->path()}});
    takes_ = take_->take();
  }
  return absl::OkStatus();
}

absl::Status RecordCast::End() {
  absl::Status status;
  for (const auto& avatar : avatars_) {
    if (avatar->recorder != nullptr) status.Update(avatar->recorder->Close());
    avatar->recorder = nullptr;
  }
  lead_ = nullptr;
  others_ = 0;
  std::erase_if(avatars_, [](const auto& avatar) { return avatar->left; });
  if (take_ == nullptr) return status;
  status.Update(take_->Close());
  if (status.ok() && options_.written) {
    for (const std::string& path : take_->Written()) options_.written(path);
  }
  if (take_->empty()) takes_ = take_->take() - 1;
  take_ = nullptr;
  return status;
}

absl::Status RecordCast::BeginNext(const absl::Status& why) {
  if (absl::Status s = End(); !s.ok()) return s;
  if (absl::Status s = Begin(); !s.ok()) return s;
  log_.Warning("going on in another take", {{"file", take_->path()}, {"why", why.message()}});
  return absl::OkStatus();
}

absl::StatusOr<Recorder*> RecordCast::RecorderOf(Avatar& avatar) {
  if (!avatar.header) return nullptr;
  if (lead_ == nullptr) {
    const auto first =
        std::find_if(avatars_.begin(), avatars_.end(), [](const auto& one) { return !one->left; });
    if (first == avatars_.end() || first->get() != &avatar) return nullptr;
    lead_ = &avatar;
    if (absl::Status s = take_->PlaceAt(avatar.place); !s.ok()) return s;
    if (absl::Status s = take_->OnHeader(*avatar.header, avatar.header_bytes); !s.ok()) return s;
  }
  if (lead_ == &avatar) return take_.get();
  if (avatar.recorder == nullptr) {
    if (!take_->began()) return nullptr;
    avatar.recorder = take_->NextTo(++others_, avatar.place);
    const absl::Status s = avatar.recorder->OnHeader(*avatar.header, avatar.header_bytes);
    if (!s.ok()) return s;
  }
  return avatar.recorder.get();
}

void RecordCast::Leave(Avatar& avatar) {
  avatar.left = true;
  // All that it has sent is written.
  avatar.recorder = nullptr;
  std::erase_if(avatars_, [&](const auto& one) { return one->left && one.get() != lead_; });
}

absl::Status RecordCast::OnHeader(Avatar& avatar, const wire::StreamHeader& header,
                                  const wire::MessageBytes& bytes) {
  avatar.header = header;
  avatar.header_bytes = bytes;
  Recorder* const recorder = lead_ == &avatar ? take_.get() : avatar.recorder.get();
  if (recorder == nullptr) return absl::OkStatus();
  const absl::Status status = recorder->OnHeader(header, bytes);
  return absl::IsFailedPrecondition(status) ? BeginNext(status) : status;
}

absl::Status RecordCast::OnData(Avatar& avatar, const wire::DataChunk& data,
                                const wire::MessageBytes& bytes, double receive_s) {
  auto recorder = RecorderOf(avatar);
  if (!recorder.ok() || *recorder == nullptr) return recorder.status();
  const absl::Status status = (*recorder)->OnData(data, bytes, receive_s);
  if (!absl::IsFailedPrecondition(status)) return status;
  if (absl::Status s = BeginNext(status); !s.ok()) return s;
  recorder = RecorderOf(avatar);
  if (!recorder.ok() || *recorder == nullptr) return recorder.status();
  return (*recorder)->OnData(data, bytes, receive_s);
}

absl::Status RecordCast::Tick(double now_s) {
  std::lock_guard lock(mutex_);
  return take_ != nullptr ? take_->Tick(now_s) : absl::OkStatus();
}

absl::Status RecordCast::Close() {
  std::lock_guard lock(mutex_);
  return End();
}

}  // namespace posewire::renderer_sink
