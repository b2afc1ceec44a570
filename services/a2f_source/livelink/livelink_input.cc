#include "services/a2f_source/livelink/livelink_input.h"

#include <string>
#include <utility>
#include <vector>

#include "libs/livelink/packet.h"
#include "services/a2f_source/live/warn_pace.h"

namespace posewire::a2f_source {
namespace {

class LivelinkInput : public LiveInput {
 public:
  explicit LivelinkInput(std::unique_ptr<LivelinkSession> session) : session_(std::move(session)) {}

  void Offer(absl::string_view datagram, VmcPort, double now_s) override {
    session_->Offer(datagram, now_s);
  }
  void Tick(double now_s) override { session_->Tick(now_s); }
  void Finish() override { session_->Finish(); }
  uint64_t datagrams() const override { return session_->counts().datagrams; }

  void Report(double now_s, const service::Logger& log) override {
    const LivelinkCounts& counts = session_->counts();
    if (session_->subject() != told_subject_) {
      told_subject_ = session_->subject();
      told_times_ = false;
      log.Info("shows a subject", {{"subject", told_subject_}});
    }
    if (session_->ignores_times() && !std::exchange(told_times_, true)) {
      log.Warning("the sender's frame times jump, so datagrams are ordered by their arrival",
                  {{"subject", told_subject_}});
    }
    if (const uint64_t more = refused_.Due(counts.refused, now_s)) {
      log.Warning("not understood", {{"count", more}, {"last", session_->last_refusal()}});
    }
    if (const uint64_t more = others_.Due(counts.other_subjects, now_s)) {
      log.Warning(
          "another subject sends here, and is left out; --subject chooses one",
          {{"count", more}, {"subject", session_->other_subject()}, {"shown", told_subject_}});
    }
  }

  std::vector<service::LogField> Counts() const override {
    const LivelinkCounts& counts = session_->counts();
    const VmcCounts& requests = session_->requests();
    return {{"datagrams", counts.datagrams},
            {"refused", counts.refused},
            {"other_subjects", counts.other_subjects},
            {"without_face", counts.without_face},
            {"without_time", counts.without_time},
            {"requests", requests.requests},
            {"frames", requests.frames},
            {"held", requests.held},
            {"gaps", requests.gaps}};
  }

 private:
  const std::unique_ptr<LivelinkSession> session_;
  std::string told_subject_;
  bool told_times_ = false;
  WarnPace refused_, others_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LiveInput>> MakeLivelinkInput(
    const LivelinkSessionSettings& settings, VmcOutput* output) {
  auto session = LivelinkSession::Make(settings, output);
  if (!session.ok()) return session.status();
  return std::make_unique<LivelinkInput>(*std::move(session));
}

}  // namespace posewire::a2f_source
