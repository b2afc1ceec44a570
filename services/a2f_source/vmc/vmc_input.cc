#include "services/a2f_source/vmc/vmc_input.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "libs/names/nearest_names.h"
#include "libs/service/udp_socket.h"
#include "libs/vmc/bones.h"
#include "libs/vmc/expressions.h"
#include "services/a2f_source/live/warn_pace.h"

namespace posewire::a2f_source {
namespace {

constexpr int kPerformerPort = 39540;
constexpr double kPresent_s = 5;  // without a datagram, after which a performer appears anew

// Warns of datagrams that were not understood, at a limited rate.
class RejectionLog {
 public:
  void Look(const VmcSession& session, double now_s, const service::Logger& log) {
    if (const uint64_t more = pace_.Due(session.reader().counts().rejected_in_all(), now_s)) {
      log.Warning("not understood", {{"count", more}, {"last", session.reader().LastRejection()}});
    }
  }
  // Logs each shape set once, after the first request has begun: before, not all names may be
  // there.
  void LookForSet(const VmcSession& session, const service::Logger& log) {
    const shapes::Detected& detected = session.shape_set();
    if (session.counts().requests == 0 || detected.set == nullptr) return;
    if (!told_sets_.insert(detected.set->id()).second) return;
    log.Info("expressions recognised", {{"shapes", detected.set->id()},
                                        {"names", detected.matched},
                                        {"of", detected.set->size()}});
  }
  // Warns of names that a sender misspelt. Expressions of its model's own do not count, nor those
  // of its shape set.
  void LookForNames(const vmc::Performer& performer, const shapes::ShapeSet* set,
                    const service::Logger& log) {
    const auto tell = [&](const char* what, const std::string& name,
                          absl::Span<const absl::string_view> known, bool only_near, bool& told) {
      if (told || name.empty()) return;
      told = true;
      const std::vector<std::string> names(known.begin(), known.end());
      const std::vector<std::string> near = NearestNames(name, names);
      if (near.empty() && only_near) return;
      log.Warning(what, {{"name", name}, {"did_you_mean", absl::StrJoin(near, " ")}});
    };
    LookForBones(performer, log);
    if (set != nullptr && set->Find(performer.unknown_shape()) >= 0) return;
    tell("the sender has an expression that is not known", performer.unknown_shape(),
         vmc::ArkitNames(), true, told_shape_);
  }

 private:
  // Warns of all new ones together.
  void LookForBones(const vmc::Performer& performer, const service::Logger& log) {
    if (performer.names().vrm1() && !std::exchange(told_vrm1_, true)) {
      log.Warning("the sender names thumbs as VRM 1.0 does; VMC has Unity's names",
                  {{"taken_as", "leftThumbMetacarpal is Unity's LeftThumbProximal, and so on"}});
    }
    const absl::Span<const std::string> names =
        performer.unknown_bones().subspan(std::min(told_bones_, performer.unknown_bones().size()));
    if (names.empty()) return;
    told_bones_ += names.size();
    const std::vector<std::string> known(vmc::BoneNames().begin(), vmc::BoneNames().end());
    std::vector<std::string> near;
    for (const std::string& name : names) {
      for (const std::string& n : NearestNames(name, known)) near.push_back(n);
    }
    log.Warning(
        "the sender has bones that VMC does not have, which are left out",
        {{"names", absl::StrJoin(names, " ")},
         {"did_you_mean", near.empty() ? "Unity's HumanBodyBones" : absl::StrJoin(near, " ")}});
  }

  size_t told_bones_ = 0;
  bool told_vrm1_ = false, told_shape_ = false;
  std::set<std::string> told_sets_;
  WarnPace pace_;
};

class VmcInput : public LiveInput {
 public:
  explicit VmcInput(std::unique_ptr<VmcSession> session) : session_(std::move(session)) {}

  void Ask(VmcAsker asker, service::UdpSender performer) {
    asker_ = std::move(asker);
    performer_ = std::move(performer);
  }

  void Offer(absl::string_view datagram, VmcPort port, double now_s) override {
    session_->Offer(datagram, port, now_s);
  }
  void Tick(double now_s) override {
    session_->Tick(now_s);
    if (!asker_) return;
    if (session_->reader().counts().datagrams != heard_) {
      heard_ = session_->reader().counts().datagrams;
      last_heard_s_ = now_s;
    }
    const bool present = heard_ > 0 && now_s - last_heard_s_ < kPresent_s;
    for (const std::string& datagram : asker_->Due(present, now_s)) performer_->Send(datagram);
  }
  void Finish() override { session_->Finish(); }
  uint64_t datagrams() const override { return session_->reader().counts().datagrams; }
  void Report(double now_s, const service::Logger& log) override {
    rejections_.Look(*session_, now_s, log);
    rejections_.LookForSet(*session_, log);
    rejections_.LookForNames(session_->performer(), session_->shape_set().set, log);
    if (const bool lost = session_->tracking_lost(); lost != lost_) {
      lost_ = lost;
      if (lost) {
        log.Info("the sender has lost its performer: the pose holds, then the graph idles");
      } else if (session_->present()) {
        log.Info("the sender tracks its performer again");
      }
    }
  }
  std::vector<service::LogField> Counts() const override {
    const vmc::ReadCounts& read = session_->reader().counts();
    const VmcCounts& counts = session_->counts();
    return {{"datagrams", read.datagrams},
            {"messages", read.messages},
            {"unknown", read.unknown},
            {"refused", read.rejected_in_all()},
            {"unknown_bones", session_->performer().counts().unknown_bones},
            {"requests", counts.requests},
            {"frames", counts.frames},
            {"held", counts.held},
            {"gaps", counts.gaps},
            {"events", counts.events},
            {"extras_dropped", counts.extras_dropped}};
  }

 private:
  const std::unique_ptr<VmcSession> session_;
  RejectionLog rejections_;
  std::optional<VmcAsker> asker_;
  std::optional<service::UdpSender> performer_;  // together with asker_
  bool lost_ = false;
  uint64_t heard_ = 0;
  double last_heard_s_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LiveInput>> MakeVmcInput(const VmcSessionSettings& settings,
                                                        const AskedPerformer& performer,
                                                        VmcOutput* output) {
  auto session = VmcSession::Make(settings, output);
  if (!session.ok()) return session.status();
  auto input = std::make_unique<VmcInput>(*std::move(session));
  if (performer.address.empty()) return input;
  auto asker = VmcAsker::Make(performer.asker);
  if (!asker.ok()) return asker.status();
  auto sender = service::UdpSender::To(performer.address, kPerformerPort);
  if (!sender.ok()) return sender.status();
  input->Ask(*std::move(asker), *std::move(sender));
  return input;
}

}  // namespace posewire::a2f_source
