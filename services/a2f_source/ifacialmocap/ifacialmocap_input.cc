#include "services/a2f_source/ifacialmocap/ifacialmocap_input.h"

#include <utility>
#include <vector>

#include "services/a2f_source/live/warn_pace.h"

namespace posewire::a2f_source {
namespace {

class IfacialmocapInput : public LiveInput {
 public:
  explicit IfacialmocapInput(std::unique_ptr<IfacialmocapSession> session)
      : session_(std::move(session)) {}

  void Offer(absl::string_view datagram, VmcPort, double now_s) override {
    session_->Offer(datagram, now_s);
  }
  void Tick(double now_s) override { session_->Tick(now_s); }
  void Finish() override { session_->Finish(); }
  uint64_t datagrams() const override { return session_->counts().datagrams; }

  void Report(double now_s, const service::Logger& log) override {
    if (const uint64_t more = refused_.Due(session_->counts().refused, now_s)) {
      log.Warning("not understood", {{"count", more}, {"last", session_->last_refusal()}});
    }
  }

  std::vector<service::LogField> Counts() const override {
    const IfacialmocapCounts& counts = session_->counts();
    const VmcCounts& requests = session_->requests();
    return {{"datagrams", counts.datagrams}, {"refused", counts.refused},
            {"unknown", counts.unknown},     {"without_face", counts.without_face},
            {"requests", requests.requests}, {"frames", requests.frames},
            {"held", requests.held},         {"gaps", requests.gaps}};
  }

 private:
  const std::unique_ptr<IfacialmocapSession> session_;
  WarnPace refused_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LiveInput>> MakeIfacialmocapInput(
    const IfacialmocapSessionSettings& settings, VmcOutput* output) {
  auto session = IfacialmocapSession::Make(settings, output);
  if (!session.ok()) return session.status();
  return std::make_unique<IfacialmocapInput>(*std::move(session));
}

}  // namespace posewire::a2f_source
