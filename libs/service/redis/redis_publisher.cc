#include "libs/service/redis/redis_publisher.h"

#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <random>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/service/catch_exceptions.h"
#include "libs/service/http/http_message.h"

namespace posewire::service {
namespace {

timeval ToTimeval(double seconds) {
  timeval out{};
  out.tv_sec = static_cast<time_t>(seconds);
  out.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(out.tv_sec)) * 1e6);
  return out;
}

struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};
using Reply = std::unique_ptr<redisReply, FreeReply>;

// Answers to our commands are one line.
constexpr size_t kMostAnswerBytes = 4096;

// None of our commands returns a list, and memory is allocated for an announced list size.
void RejectLists(redisContext* context) {
  static const redisReplyObjectFunctions functions = [context] {
    redisReplyObjectFunctions out = *context->reader->fn;
    out.createArray = [](const redisReadTask*, auto) -> void* { return nullptr; };
    return out;
  }();
  context->reader->fn = const_cast<redisReplyObjectFunctions*>(&functions);
}

void SetError(redisContext* context, int code, absl::string_view text) {
  context->err = code;
  const size_t size = std::min(text.size(), sizeof(context->errstr) - 1);
  std::copy_n(text.data(), size, context->errstr);
  context->errstr[size] = '\0';
}

// Returns the answer to the appended command. Also gives up on a server that sends endlessly.
Reply Answer(redisContext* context, std::chrono::steady_clock::time_point until) {
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context, &done) != REDIS_OK) return nullptr;
  }
  while (true) {
    void* reply = nullptr;
    if (redisReaderGetReply(context->reader, &reply) != REDIS_OK) {
      SetError(context, context->reader->err, context->reader->errstr);
      return nullptr;
    }
    if (reply != nullptr) return Reply(static_cast<redisReply*>(reply));
    if (context->reader->len > kMostAnswerBytes) {
      SetError(context, REDIS_ERR_PROTOCOL, "the answer is too long");
      return nullptr;
    }
    if (std::chrono::steady_clock::now() >= until) {
      SetError(context, REDIS_ERR_OTHER, "no whole answer in time");
      return nullptr;
    }
    if (redisBufferRead(context) != REDIS_OK) return nullptr;
  }
}

template <typename... Args>
Reply Command(redisContext* context, double timeout_s, const char* format, Args... args) {
  if (redisAppendCommand(context, format, args...) != REDIS_OK) return nullptr;
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> timeout(timeout_s);
  return Answer(context, Clock::now() + std::chrono::duration_cast<Clock::duration>(timeout));
}

// Returns an empty string if the reply is not an error.
std::string ErrorOf(const redisContext& context, const redisReply* reply) {
  if (reply == nullptr) {
    return context.err == REDIS_ERR_IO && errno == EAGAIN ? "no answer in time" : context.errstr;
  }
  return reply->type == REDIS_REPLY_ERROR ? std::string(reply->str, reply->len) : "";
}

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a Redis server is given as HOST:PORT or redis://USER:PASSWORD@HOST:PORT: ", why));
}

}  // namespace

absl::StatusOr<RedisAddress> ParseRedisAddress(absl::string_view text) {
  RedisAddress out;
  if (absl::StartsWith(text, "rediss://")) return Bad("TLS is not supported");
  absl::ConsumePrefix(&text, "redis://");
  if (const size_t at = text.rfind('@'); at != absl::string_view::npos) {
    const absl::string_view login = text.substr(0, at);
    const size_t colon = login.find(':');
    if (colon == absl::string_view::npos)
      return Bad("before the @ a password must stand after a :");
    auto user = PercentDecode(login.substr(0, colon));
    auto password = PercentDecode(login.substr(colon + 1));
    if (!user.ok() || !password.ok()) return Bad("a % in user or password must be written %25");
    out.user = *std::move(user);
    out.password = *std::move(password);
    text.remove_prefix(at + 1);
  }
  absl::ConsumeSuffix(&text, "/");
  if (text.find('/') != absl::string_view::npos) return Bad("nothing may follow the port");
  absl::string_view port;
  if (absl::ConsumePrefix(&text, "[")) {
    const size_t end = text.find(']');
    if (end == absl::string_view::npos) return Bad("a [ has no ]");
    port = text.substr(end + 1);
    text = text.substr(0, end);
  } else if (const size_t colon = text.find(':'); colon != absl::string_view::npos) {
    port = text.substr(colon);
    text = text.substr(0, colon);
  }
  if (text.empty()) return Bad("the host is missing");
  out.host = std::string(text);
  if (port.empty()) return out;
  if (!absl::ConsumePrefix(&port, ":") || !absl::SimpleAtoi(port, &out.port) || out.port < 1 ||
      out.port > 65535) {
    return Bad(absl::StrCat("\"", port, "\" is no port from 1 to 65535"));
  }
  return out;
}

void RedisPublisher::Closer::operator()(redisContext* context) const { redisFree(context); }

RedisPublisher::RedisPublisher(RedisOptions options, Logger log)
    : options_(std::move(options)), log_(std::move(log)), pause_s_(options_.first_pause_s) {
  random_.seed(std::random_device{}());
  thread_ = std::thread([this] { CatchExceptionsInLoop(log_, "redis", [this] { Run(); }); });
}

RedisPublisher::~RedisPublisher() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    stop_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                  std::chrono::duration<double>(options_.timeout_s));
  }
  wake_.notify_one();
  thread_.join();
}

void RedisPublisher::Publish(std::string channel, std::string message) {
  std::optional<Message> oldest;
  {
    std::lock_guard lock(mutex_);
    queue_.push_back({std::move(channel), std::move(message), Clock::now()});
    if (queue_.size() > options_.capacity) {
      oldest = std::move(queue_.front());
      queue_.pop_front();
    }
  }
  wake_.notify_one();
  if (oldest) Drop(*oldest, "too many wait");
}

void RedisPublisher::Drop(const Message& message, absl::string_view why) {
  ++dropped_;
  log_.Warning("event not published",
               {{"why", why}, {"channel", message.channel}, {"event", message.text}});
}

void RedisPublisher::Run() {
  // hiredis writes to sockets that may be closed.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
  while (!Over()) {
    if (context_ == nullptr) {
      if (const std::string error = Connect(); !error.empty()) {
        Lose(error);
        if (!Pause()) break;
        continue;
      }
    }
    SendAll();
    if (context_ != nullptr) WaitForWork();
  }
  std::lock_guard lock(mutex_);
  for (const Message& message : queue_) Drop(message, "the process ends");
}

// Returns whether the thread must end.
bool RedisPublisher::Over() {
  std::lock_guard lock(mutex_);
  return stop_ && (queue_.empty() || Clock::now() >= stop_at_);
}

void RedisPublisher::WaitForWork() {
  std::unique_lock lock(mutex_);
  wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
}

// Waits after a failed attempt to connect. Returns false if the thread must end.
bool RedisPublisher::Pause() {
  const double jitter = std::uniform_real_distribution<double>(0.8, 1.2)(random_);
  const std::chrono::duration<double> pause(pause_s_ * jitter);
  pause_s_ = std::min(options_.longest_pause_s, pause_s_ * 1.6);
  std::unique_lock lock(mutex_);
  wake_.wait_for(lock, pause, [this] { return stop_; });
  return !stop_;
}

void RedisPublisher::DropStale() {
  const auto oldest = Clock::now() - std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(options_.keep_s));
  std::lock_guard lock(mutex_);
  while (!queue_.empty() && queue_.front().since < oldest) {
    Drop(queue_.front(), absl::StrCat("redis was away for ", options_.keep_s, " s"));
    queue_.pop_front();
  }
}

// Returns an empty string on success, otherwise the error.
std::string RedisPublisher::Connect() {
  const timeval timeout = ToTimeval(options_.timeout_s);
  context_.reset(
      redisConnectWithTimeout(options_.address.host.c_str(), options_.address.port, timeout));
  if (context_ == nullptr) return "out of memory";
  if (context_->err != 0) return context_->errstr;
  redisSetTimeout(context_.get(), timeout);
  RejectLists(context_.get());
  std::string error = Greet();
  if (!error.empty()) return error;
  connected_ = true;
  pause_s_ = options_.first_pause_s;
  complained_ = false;
  log_.Info("redis connected", {{"host", options_.address.host},
                                {"port", options_.address.port},
                                {"dropped", dropped_ - dropped_before_}});
  dropped_before_ = dropped_;
  return "";
}

// A stopped server still accepts connections, so nothing is published before it has answered.
std::string RedisPublisher::Greet() {
  const RedisAddress& to = options_.address;
  redisContext* context = context_.get();
  Reply reply;
  if (!to.password.empty()) {
    reply = to.user.empty() ? Command(context, options_.timeout_s, "AUTH %b", to.password.data(),
                                      to.password.size())
                            : Command(context, options_.timeout_s, "AUTH %b %b", to.user.data(),
                                      to.user.size(), to.password.data(), to.password.size());
    if (std::string error = ErrorOf(*context, reply.get()); !error.empty()) return error;
  }
  reply = Command(context, options_.timeout_s, "PING");
  return ErrorOf(*context, reply.get());
}

void RedisPublisher::Lose(const std::string& error) {
  context_ = nullptr;
  connected_ = false;
  DropStale();
  Complain("redis is away: events wait, then are dropped", error);
}

// Logs once per connection, and once per time without a connection.
void RedisPublisher::Complain(absl::string_view text, const std::string& error) {
  if (std::exchange(complained_, true)) return;
  log_.Warning(
      text, {{"host", options_.address.host}, {"port", options_.address.port}, {"error", error}});
}

RedisPublisher::Sent RedisPublisher::SendOne(const Message& message, std::string* error) {
  const Reply reply =
      Command(context_.get(), options_.timeout_s, "PUBLISH %b %b", message.channel.data(),
              message.channel.size(), message.text.data(), message.text.size());
  const int system_error = errno;
  *error = ErrorOf(*context_, reply.get());
  if (error->empty()) return Sent::kYes;
  if (reply != nullptr) return Sent::kRejected;
  // A connection that was already dead has delivered nothing.
  const bool died =
      context_->err == REDIS_ERR_EOF || system_error == ECONNRESET || system_error == EPIPE;
  return died ? Sent::kNotYet : Sent::kUnknown;
}

void RedisPublisher::SendAll() {
  while (true) {
    DropStale();
    Message message;
    {
      std::lock_guard lock(mutex_);
      if (queue_.empty() || (stop_ && Clock::now() >= stop_at_)) return;
      message = std::move(queue_.front());
      queue_.pop_front();
    }
    std::string error;
    const Sent sent = SendOne(message, &error);
    if (sent == Sent::kYes) continue;
    if (sent == Sent::kNotYet) {
      std::lock_guard lock(mutex_);
      queue_.push_front(std::move(message));
    } else {
      Drop(message, error);
    }
    if (sent != Sent::kRejected) return Lose(error);
    Complain("redis refuses events: they are dropped", error);
  }
}

}  // namespace posewire::service
