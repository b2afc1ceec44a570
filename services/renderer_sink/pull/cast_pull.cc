#include "services/renderer_sink/pull/cast_pull.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/service/catch_exceptions.h"
#include "services/renderer_sink/core/stream_stats.h"

namespace posewire::renderer_sink {
namespace {

using client::SteadySeconds;

// Pulls that are over, of which the last are summarised.
constexpr size_t kMostEnded = 64;
constexpr double kLookPeriod_s = 1, kLookAgain_s = 0.2;
constexpr std::chrono::milliseconds kTick{50};

}  // namespace

// Notes how a session has ended.
class CastPull::NotingEnd final : public Consumer {
 public:
  explicit NotingEnd(std::unique_ptr<CastMember> to) : to_(std::move(to)) {}

  absl::Status OnHeader(const wire::StreamHeader& header,
                        const wire::MessageBytes& bytes) override {
    return to_->OnHeader(header, bytes);
  }
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s) override {
    return to_->OnData(data, bytes, receive_s);
  }
  absl::Status OnStatus(const wire::StatusChunk& status, const wire::MessageBytes& bytes) override {
    return to_->OnStatus(status, bytes);
  }
  absl::Status OnFaulty(const wire::MessageBytes& bytes, const absl::Status& why) override {
    return to_->OnFaulty(bytes, why);
  }
  void OnLost(const absl::Status& why) override { to_->OnLost(why); }
  void OnEnd(const absl::Status& why) override {
    ended_ = true;
    to_->OnEnd(why);
  }
  absl::Status Tick(double now_s) override { return to_->Tick(now_s); }
  absl::Status Close() override { return to_->Close(); }

  CastMember& member() { return *to_; }
  // After the session: whether the server has ended the pull.
  bool ended() const { return ended_; }

 private:
  const std::unique_ptr<CastMember> to_;
  bool ended_ = false;
};

// An avatar, and the thread of its session.
struct CastPull::Pull {
  Pull(AvatarThere there, const Options& options, std::unique_ptr<CastMember> member)
      : avatar(std::move(there)),
        consumer(std::make_unique<NotingEnd>(std::move(member))),
        stats(/*pushed=*/false, options.pull.connection.traffic.get()) {
    client::PullOptions pull = options.pull;
    pull.ids.target_object_id = avatar.target;
    client = std::make_shared<client::PullClient>(std::move(pull));
  }
  void Begin(const Options& options, const service::Logger& log) {
    thread = std::thread([this, &options, &log] {
      const absl::Status thrown = service::CatchExceptions(log, "pull of an avatar", [&] {
        status = RunSession(options.session,
                            {.open = [this]() -> NextEvent {
                               return [this](double timeout_s, auto* event) {
                                 return client->Next(timeout_s, event);
                               };
                             },
                             .now_s = SteadySeconds,
                             .stopped = [&] { return stop || options.stopped(); },
                             .log = log},
                            *consumer, stats);
      });
      status.Update(thrown);
      done = true;
    });
  }
  void Cancel() {
    stop = true;
    client->Cancel();
  }

  AvatarThere avatar;
  std::unique_ptr<NotingEnd> consumer;  // null once the avatar has left
  StreamStats stats;
  std::shared_ptr<client::PullClient> client;
  std::atomic<bool> stop = false, done = false;
  absl::Status status;  // once it is done
  std::thread thread;
};

CastPull::CastPull(Options options, service::Logger log)
    : options_(std::move(options)), log_(std::move(log)), probe_(options_.pull.connection) {}

CastPull::~CastPull() { Stop().IgnoreError(); }

std::string CastPull::FirstTarget() {
  auto avatars = probe_.Avatars(options_.pull.ids.stream_id);
  return avatars.ok() && !avatars->empty() ? avatars->front().target : "";
}

absl::Status CastPull::Open(Cast& cast, const AvatarThere& avatar) {
  auto member = cast.Join(avatar.target, avatar.place);
  if (!member.ok()) return member.status();
  log_.Info("an avatar is pulled",
            {{"stream_id", options_.pull.ids.stream_id}, {"target_object_id", avatar.target}});
  pulls_.push_back(std::make_unique<Pull>(avatar, options_, *std::move(member)));
  pulls_.back()->Begin(options_, log_);
  return absl::OkStatus();
}

void CastPull::Look(Cast& cast, double now_s) {
  next_look_s_ = now_s + kLookPeriod_s;
  if (lists_) {
    auto avatars = probe_.Avatars(options_.pull.ids.stream_id);
    const absl::Status& s = avatars.status();
    if (s.ok()) listed_ = *std::move(avatars);
    if (!s.ok() && !absl::IsUnavailable(s) && !absl::IsDeadlineExceeded(s)) {
      lists_ = false;
      log_.Warning("the server does not say which avatars there are; one is pulled",
                   {{"why", s.message()}});
    }
  }
  const auto open = [&](const AvatarThere& avatar) { failure_.Update(Open(cast, avatar)); };
  if (listed_.empty() && pulls_.empty()) return open({});
  for (size_t i = 0; i < listed_.size(); ++i) {
    const AvatarThere& there = listed_[i];
    const auto is_it = [&](const auto& pull) { return pull->avatar.target == there.target; };
    auto pull = std::find_if(pulls_.begin(), pulls_.end(), is_it);
    if (pull == pulls_.end() && i == 0) {
      // The first one was pulled before it had a name.
      pull = std::find_if(pulls_.begin(), pulls_.end(),
                          [](const auto& one) { return one->avatar.target.empty(); });
    }
    if (pull != pulls_.end()) {
      if (!((*pull)->avatar.place == there.place)) (*pull)->consumer->member().PlaceAt(there.place);
      (*pull)->avatar = there;
    } else if (pulls_.size() < Cast::kMost) {
      open(there);
    } else if (!std::exchange(too_many_, true)) {
      log_.Warning("the stream has more avatars than can be taken", {{"most", Cast::kMost}});
    }
  }
}

absl::StatusOr<bool> CastPull::TakeEnded() {
  bool enough = false;
  for (size_t i = 0; i < pulls_.size();) {
    if (!pulls_[i]->done) {
      ++i;
      continue;
    }
    std::unique_ptr<Pull> pull = std::move(pulls_[i]);
    pulls_.erase(pulls_.begin() + static_cast<std::ptrdiff_t>(i));
    pull->thread.join();
    const absl::Status status = pull->status;
    const std::string target = pull->avatar.target;
    const bool ended = pull->consumer->ended();
    pull->consumer->member().Leave();
    pull->consumer = nullptr;
    if (ended_.size() == kMostEnded) ended_.erase(ended_.begin());
    ended_.push_back(std::move(pull));
    if (!ended && !status.ok()) return status;
    enough = enough || !ended;
    if (!ended || status.ok()) continue;
    // A pull without a name is rejected as soon as there are two avatars.
    if (target.empty() && lists_ && absl::IsInvalidArgument(status)) {
      const auto avatars = probe_.Avatars(options_.pull.ids.stream_id);
      if (avatars.ok() && avatars->size() > 1) {
        next_look_s_ = std::min(next_look_s_, SteadySeconds() + kLookAgain_s);
        continue;
      }
    }
    if (pulls_.empty()) return status;
    if (refused_.insert(target).second) {
      log_.Warning("the pull of an avatar has failed, trying again",
                   {{"target_object_id", target}, {"why", status.ToString()}});
    }
  }
  return enough;
}

absl::Status CastPull::Follow(Cast& cast) {
  while (!options_.stopped()) {
    const double now_s = SteadySeconds();
    if (now_s >= next_look_s_) Look(cast, now_s);
    if (!failure_.ok()) return failure_;
    if (absl::Status s = cast.Tick(now_s); !s.ok()) return s;
    const absl::StatusOr<bool> enough = TakeEnded();
    if (!enough.ok() || *enough) return enough.status();
    if (pulls_.empty() && options_.until_end) return absl::OkStatus();
    std::this_thread::sleep_for(kTick);
  }
  return absl::OkStatus();
}

absl::Status CastPull::Stop() {
  absl::Status status;
  for (const auto& pull : pulls_) pull->Cancel();
  for (auto& pull : pulls_) {
    pull->thread.join();
    if (!pull->consumer->ended()) status.Update(pull->status);
    ended_.push_back(std::move(pull));
  }
  pulls_.clear();
  return status;
}

absl::Status CastPull::Run(Cast& cast) {
  absl::Status status = Follow(cast);
  status.Update(Stop());
  status.Update(cast.Close());
  return status;
}

bool CastPull::began() const {
  return std::any_of(ended_.begin(), ended_.end(), [](const auto& p) { return p->stats.began(); });
}

std::vector<std::string> CastPull::Summaries(double late_s) const {
  std::vector<std::string> out;
  for (const auto& pull : ended_) {
    if (!pull->stats.began()) continue;
    out.push_back(
        absl::StrCat("avatar \"", pull->avatar.target, "\": ", pull->stats.Summary(late_s)));
  }
  return out;
}

}  // namespace posewire::renderer_sink
