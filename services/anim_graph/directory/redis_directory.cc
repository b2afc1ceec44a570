#include "services/anim_graph/directory/redis_directory.h"

#include <chrono>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/service/address.h"
#include "libs/service/catch_exceptions.h"
#include "libs/stream/pull_errors.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {
namespace {

absl::Status NeedsAddress(absl::string_view listen, const std::vector<std::string>& hosts) {
  return absl::InvalidArgumentError(absl::StrCat(
      "--directory-address is missing: other nodes cannot call ", listen, ", and this machine has ",
      hosts.empty() ? "no address that they can call"
                    : absl::StrCat("several addresses, ", absl::StrJoin(hosts, " and ")),
      "; give the HOST:PORT by which they reach this one"));
}

// `address`, where port 0 becomes the one of `listening`.
std::string WithPort(const std::string& address, const std::string& listening) {
  auto parsed = service::ParseListenAddress(address);
  const auto bound = service::ParseListenAddress(listening);
  if (!parsed.ok() || !bound.ok() || parsed->port != 0) return address;
  parsed->port = bound->port;
  return parsed->ToString();
}

}  // namespace

absl::StatusOr<std::unique_ptr<StreamDirectory>> OpenDirectory(const DirectoryOptions& options,
                                                               absl::string_view listen,
                                                               const service::Logger& log) {
  if (options.redis.empty()) return std::make_unique<AllHere>();
  auto redis = service::ParseRedisAddress(options.redis);
  if (!redis.ok()) return redis.status();
  std::string address = options.address;
  if (address.empty()) {
    auto parsed = service::ParseListenAddress(listen);
    if (!parsed.ok()) return parsed.status();
    if (parsed->ToString() != parsed->CallableText()) {
      const std::vector<std::string> hosts = service::MachineAddresses(*parsed);
      if (hosts.size() != 1) return NeedsAddress(listen, hosts);
      parsed->host = hosts[0];
      address = parsed->ToString();
    }
  }
  return std::make_unique<RedisDirectory>(*std::move(redis), std::move(address),
                                          options.if_lost == "pause", log);
}

RedisDirectory::RedisDirectory(service::RedisAddress redis, std::string address, bool pause,
                               const service::Logger& log)
    : address_(std::move(address)),
      log_(log),
      store_(std::move(redis)),
      keeper_(&store_, {pause, ReadClocks}, &counters_, log) {}

void RedisDirectory::Serve(const std::string& address, std::function<void(const LostLease&)> lost) {
  keeper_.Start(address_.empty() ? address : WithPort(address_, address), std::move(lost));
  thread_ =
      std::thread([this] { service::CatchExceptionsInLoop(log_, "directory", [this] { Run(); }); });
}

void RedisDirectory::Locate(absl::string_view stream_id, Done done) {
  std::string id(stream_id);
  if (keeper_.Find(id) != nullptr) return done(Location(Here{}));
  absl::Status rejected;
  {
    std::lock_guard lock(mutex_);
    if (stop_ || !claims_) {
      rejected = stream::ShuttingDown();
    } else if (questions_.size() >= kMostWaiting) {
      rejected = absl::UnavailableError(
          absl::StrCat(kMostWaiting, " calls wait for the directory already; call again"));
    } else {
      questions_.push_back({std::move(id), std::move(done)});
    }
  }
  if (!rejected.ok()) return done(rejected);
  wake_.notify_one();
}

void RedisDirectory::FindOthers(NodesDone done) {
  {
    std::lock_guard lock(mutex_);
    if (!stop_ && others_.size() < kMostWaiting) {
      others_.push_back(std::move(done));
      done = nullptr;
    }
  }
  if (done) return done(stream::ShuttingDown());
  wake_.notify_one();
}

// All get the same answer.
void RedisDirectory::AnswerAll(std::vector<NodesDone> asked) {
  const auto nodes = keeper_.FindOthers();
  for (NodesDone& done : asked) Tell(done, nodes);
}

absl::StatusOr<LeasePtr> RedisDirectory::Lease(absl::string_view stream_id) {
  LeasePtr lease = keeper_.Find(std::string(stream_id));
  if (lease != nullptr) return lease;
  return absl::UnavailableError(
      absl::StrCat("stream_id \"", stream_id, "\": this server's lease has ended; call again"));
}

void RedisDirectory::HandOver(absl::string_view stream_id, const LeasePtr& lease,
                              std::string snapshot, double end_s) {
  keeper_.HandOver(std::string(stream_id), lease, std::move(snapshot), end_s);
  {
    std::lock_guard lock(mutex_);
    leaving_ = true;
  }
  wake_.notify_one();
}

void RedisDirectory::ClaimNoMore() {
  std::lock_guard lock(mutex_);
  claims_ = false;
}

void RedisDirectory::Run() {
  using Clock = std::chrono::steady_clock;
  Clock::time_point next;
  while (true) {
    std::vector<Question> questions;
    std::vector<NodesDone> others;
    bool leaving = false;
    {
      std::unique_lock lock(mutex_);
      wake_.wait_until(lock, next, [this] {
        return stop_ || leaving_ || !questions_.empty() || !others_.empty();
      });
      if (stop_) return;
      questions.swap(questions_);
      others.swap(others_);
      leaving = std::exchange(leaving_, false);
    }
    if (leaving) keeper_.WriteLeaving();
    if (const auto now = Clock::now(); now >= next) {
      next = now + std::chrono::nanoseconds(LeaseKeeper::kRenewEvery_ns);
      keeper_.Renew();
      keeper_.WriteLeaving();
      keeper_.WriteSaves();
    }
    if (!questions.empty()) Answer(std::move(questions));
    if (!others.empty()) AnswerAll(std::move(others));
  }
}

void RedisDirectory::Answer(std::vector<Question> questions) {
  std::map<std::string, std::vector<Done>> asked;
  for (Question& question : questions) {
    // An earlier question may have claimed the stream meanwhile.
    if (keeper_.Find(question.stream_id) != nullptr) {
      Tell(question.done, Location(Here{}));
      continue;
    }
    asked[std::move(question.stream_id)].push_back(std::move(question.done));
  }
  while (!asked.empty()) {
    std::vector<std::string> ids;
    for (auto at = asked.begin(); at != asked.end() && ids.size() < LeaseKeeper::kMostClaims;
         ++at) {
      ids.push_back(at->first);
    }
    const auto answers = keeper_.Claim(ids);
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto at = asked.find(ids[i]);
      for (Done& done : at->second) Tell(done, answers[i]);
      asked.erase(at);
    }
  }
}

void RedisDirectory::Close() {
  std::vector<Question> questions;
  std::vector<NodesDone> others;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    questions.swap(questions_);
    others.swap(others_);
  }
  for (NodesDone& done : others) Tell(done, stream::ShuttingDown());
  for (Question& question : questions) Tell(question.done, stream::ShuttingDown());
  wake_.notify_one();
  if (thread_.joinable()) {
    thread_.join();
    keeper_.Close();
  }
}

}  // namespace posewire::anim_graph
