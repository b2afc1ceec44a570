// What takes all avatars of a stream: films and recordings of several.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_PULL_CAST_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_PULL_CAST_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/asset/scene.h"
#include "services/renderer_sink/session/session.h"

namespace posewire::renderer_sink {

// Takes one avatar. A Consumer's methods are called on a thread of its own, the others on that of
// the cast. What it returns from them ends the run.
class CastMember : public Consumer {
 public:
  // The avatar is elsewhere from now on.
  virtual void PlaceAt(const asset::GroundPlace& place) = 0;
  // The avatar was removed; no more comes.
  virtual void Leave() = 0;
};

// Outlives its members. One thread.
class Cast {
 public:
  // More avatars of a stream are left out.
  static constexpr size_t kMost = asset::kMostCharacters;

  virtual ~Cast() = default;
  // An avatar has come. The first one is the stream's default. `target` is empty for an avatar that
  // nobody has named yet.
  virtual absl::StatusOr<std::unique_ptr<CastMember>> Join(const std::string& target,
                                                           const asset::GroundPlace& place) = 0;
  // Called several times a second.
  virtual absl::Status Tick(double now_s) = 0;
  // After all members were closed.
  virtual absl::Status Close() = 0;
};

// The only member of a cast, for a run with one avatar.
class OnlyMember final : public Consumer {
 public:
  // Errors: those of Join.
  static absl::StatusOr<std::unique_ptr<Consumer>> Of(std::unique_ptr<Cast> cast,
                                                      const std::string& target) {
    auto member = cast->Join(target, {});
    if (!member.ok()) return member.status();
    return std::unique_ptr<Consumer>(new OnlyMember(std::move(cast), *std::move(member)));
  }

  absl::Status OnHeader(const wire::StreamHeader& header,
                        const wire::MessageBytes& bytes) override {
    return member_->OnHeader(header, bytes);
  }
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override {
    return member_->OnData(data, bytes, receive_s);
  }
  absl::Status OnStatus(const wire::StatusChunk& status, const wire::MessageBytes& bytes) override {
    return member_->OnStatus(status, bytes);
  }
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) override {
    return member_->OnFaulty(bytes, why);
  }
  absl::Status Tick(double now_s) override {
    const absl::Status status = member_->Tick(now_s);
    return status.ok() ? cast_->Tick(now_s) : status;
  }
  absl::Status Close() override {
    absl::Status status = member_->Close();
    status.Update(cast_->Close());
    return status;
  }

 private:
  OnlyMember(std::unique_ptr<Cast> cast, std::unique_ptr<CastMember> member)
      : cast_(std::move(cast)), member_(std::move(member)) {}

  const std::unique_ptr<Cast> cast_;
  const std::unique_ptr<CastMember> member_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_PULL_CAST_H_
