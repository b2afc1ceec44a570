#include "libs/service/redis/redis_connection.h"

#include <hiredis/hiredis.h>
#include <signal.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "libs/service/http/http_message.h"

namespace posewire::service {
namespace {

using Clock = std::chrono::steady_clock;

timeval ToTimeval(double seconds) {
  timeval out{};
  out.tv_sec = static_cast<time_t>(seconds);
  out.tv_usec = static_cast<suseconds_t>((seconds - static_cast<double>(out.tv_sec)) * 1e6);
  return out;
}

void RejectLists(redisContext* context) {
  static const redisReplyObjectFunctions functions = [context] {
    redisReplyObjectFunctions out = *context->reader->fn;
    out.createArray = [](const redisReadTask*, auto) -> void* { return nullptr; };
    return out;
  }();
  context->reader->fn = const_cast<redisReplyObjectFunctions*>(&functions);
}

RedisConnection::Answer ToAnswer(const redisReply& reply) {
  std::string text(reply.str == nullptr ? "" : std::string(reply.str, reply.len));
  if (reply.type == REDIS_REPLY_ERROR) return absl::FailedPreconditionError(text);
  return reply.type == REDIS_REPLY_INTEGER ? absl::StrCat(reply.integer) : text;
}

// The error of the last operation on the connection.
absl::Status ErrorOf(const redisContext& context) {
  const int system_error = errno;
  if (context.err == REDIS_ERR_IO && system_error == EAGAIN) {
    return absl::DeadlineExceededError("no answer in time");
  }
  const bool closed =
      context.err == REDIS_ERR_EOF ||
      (context.err == REDIS_ERR_IO && (system_error == ECONNRESET || system_error == EPIPE));
  return closed ? absl::AbortedError(context.errstr) : absl::UnavailableError(context.errstr);
}

// Reads the next answer. Also gives up on a server that sends endlessly.
absl::Status ReadAnswer(redisContext* context, Clock::time_point until, size_t most_bytes,
                        RedisConnection::Answer* answer) {
  while (true) {
    void* got = nullptr;
    if (redisReaderGetReply(context->reader, &got) != REDIS_OK) {
      return absl::UnavailableError(context->reader->errstr);
    }
    if (got != nullptr) {
      *answer = ToAnswer(*static_cast<redisReply*>(got));
      freeReplyObject(got);
      return absl::OkStatus();
    }
    if (context->reader->len - context->reader->pos > most_bytes) {
      return absl::UnavailableError("the answer is too long");
    }
    if (Clock::now() >= until) return absl::DeadlineExceededError("no whole answer in time");
    if (redisBufferRead(context) != REDIS_OK) return ErrorOf(*context);
  }
}

absl::Status Bad(absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      "a Redis server is given as HOST:PORT or redis://USER:PASSWORD@HOST:PORT/DATABASE: ", why));
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
  if (const size_t at = text.find('/'); at != absl::string_view::npos) {
    const absl::string_view database = text.substr(at + 1);
    text = text.substr(0, at);
    if (!database.empty() && (!absl::SimpleAtoi(database, &out.database) || out.database < 0)) {
      return Bad("after the port, only /NUMBER of a database may follow");
    }
  }
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

void RedisConnection::Closer::operator()(redisContext* context) const { redisFree(context); }

RedisConnection::RedisConnection(redisContext* context, double timeout_s, size_t most_answer_bytes)
    : context_(context), timeout_s_(timeout_s), most_answer_bytes_(most_answer_bytes) {
  // hiredis writes to sockets that may be closed.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);
}

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnection::Open(const RedisAddress& to,
                                                                       double timeout_s,
                                                                       size_t most_answer_bytes) {
  const timeval timeout = ToTimeval(timeout_s);
  std::unique_ptr<RedisConnection> made(new RedisConnection(
      redisConnectWithTimeout(to.host.c_str(), to.port, timeout), timeout_s, most_answer_bytes));
  redisContext* const context = made->context_.get();
  if (context == nullptr) return absl::UnavailableError("out of memory");
  if (context->err != 0) return absl::UnavailableError(context->errstr);
  redisSetTimeout(context, timeout);
  RejectLists(context);
  std::vector<Command> greeting;
  if (!to.password.empty()) {
    greeting.push_back({"AUTH"});
    if (!to.user.empty()) greeting.back().push_back(to.user);
    greeting.back().push_back(to.password);
  }
  if (to.database != 0) greeting.push_back({"SELECT", absl::StrCat(to.database)});
  greeting.push_back({"PING"});
  const auto answers = made->Call(greeting);
  if (!answers.ok()) return answers.status();
  for (const Answer& answer : *answers) {
    if (!answer.ok()) return answer.status();
  }
  return made;
}

absl::StatusOr<std::vector<RedisConnection::Answer>> RedisConnection::Call(
    const std::vector<Command>& commands) {
  const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                        std::chrono::duration<double>(timeout_s_));
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const Command& command : commands) {
    words.clear();
    sizes.clear();
    for (const std::string& word : command) {
      words.push_back(word.data());
      sizes.push_back(word.size());
    }
    if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), words.data(),
                               sizes.data()) != REDIS_OK) {
      return absl::UnavailableError(context_->errstr);
    }
  }
  for (int done = 0; done == 0;) {
    if (redisBufferWrite(context_.get(), &done) != REDIS_OK) return ErrorOf(*context_);
  }
  std::vector<Answer> answers(commands.size());
  for (Answer& answer : answers) {
    const absl::Status s = ReadAnswer(context_.get(), until, most_answer_bytes_, &answer);
    if (!s.ok()) return s;
  }
  return answers;
}

}  // namespace posewire::service
