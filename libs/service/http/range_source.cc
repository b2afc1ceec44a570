#include "libs/service/http/range_source.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/read_size.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace posewire::service {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using Clock = std::chrono::steady_clock;
using boost::system::error_code;

using Parser = http::response_parser<http::string_body>;

constexpr uint32_t kMostHeader = 16 << 10;
constexpr size_t kMostReadBytes = 65536;
constexpr size_t kMostIdle = 4;

struct Url {
  std::string whole, host, port = "80", target = "/";
  std::string host_header;
};

absl::StatusOr<Url> ParseUrl(const std::string& text) {
  const auto refused = [&] {
    return absl::InvalidArgumentError(
        absl::StrCat("\"", text, "\" is not http://HOST[:PORT]/PATH without spaces"));
  };
  constexpr absl::string_view kScheme = "http://";
  if (!absl::StartsWith(text, kScheme) || std::any_of(text.begin(), text.end(), [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 127;
      })) {
    return refused();
  }
  Url out;
  out.whole = text;
  std::string rest = text.substr(kScheme.size());
  rest.resize(std::min(rest.size(), rest.find('#')));
  const size_t path = rest.find_first_of("/?");
  if (path != std::string::npos) {
    out.target = absl::StrCat(rest[path] == '?' ? "/" : "", rest.substr(path));
    rest.resize(path);
  }
  out.host_header = rest;
  const size_t colon = rest.find(':', rest.rfind(']') == std::string::npos ? 0 : rest.rfind(']'));
  if (colon != std::string::npos) {
    out.port = rest.substr(colon + 1);
    rest.resize(colon);
  }
  if (rest.size() > 2 && rest.front() == '[' && rest.back() == ']') {
    rest = rest.substr(1, rest.size() - 2);
  }
  out.host = rest;
  int port = 0;
  if (out.host.empty() || absl::StrContains(out.host_header, "@") ||
      !absl::SimpleAtoi(out.port, &port) || port < 1 || port > 65535) {
    return refused();
  }
  return out;
}

// "bytes 5-9/200" or "bytes */200".
struct ContentRange {
  std::optional<uint64_t> first, last;
  uint64_t all = 0;
};
std::optional<ContentRange> ParseContentRange(absl::string_view text) {
  constexpr absl::string_view kUnit = "bytes ";
  if (!absl::StartsWith(text, kUnit)) return std::nullopt;
  const std::vector<std::string> parts = absl::StrSplit(text.substr(kUnit.size()), '/');
  ContentRange out;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[1], &out.all)) return std::nullopt;
  if (parts[0] == "*") return out;
  const std::vector<std::string> ends = absl::StrSplit(parts[0], '-');
  uint64_t first = 0, last = 0;
  if (ends.size() != 2 || !absl::SimpleAtoi(ends[0], &first) || !absl::SimpleAtoi(ends[1], &last) ||
      first > last || last >= out.all) {
    return std::nullopt;
  }
  out.first = first;
  out.last = last;
  return out;
}

// One connection, with an event loop that turns only while something is awaited. Beast parses but
// does not read: its operations are templates that take seconds to compile.
class Connection {
 public:
  Connection() : socket_(loop_) {}

  error_code Connect(const Url& url, Clock::time_point until) {
    asio::ip::tcp::resolver resolver(loop_);
    asio::ip::tcp::resolver::results_type found;
    error_code error = Await(until, [&](auto done) {
      resolver.async_resolve(url.host, url.port, [&, done](error_code e, const auto& results) {
        found = results;
        done(e);
      });
    });
    if (error) return error;
    return Await(until, [&](auto done) {
      asio::async_connect(socket_, found, [done](error_code e, const auto&) { done(e); });
    });
  }

  // Reads the header of the reply into `parser`, and the rest by ReadBody.
  error_code Ask(const std::string& request, Parser& parser, Clock::time_point until) {
    const error_code error = Await(until, [&](auto done) {
      asio::async_write(socket_, asio::buffer(request), [done](error_code e, size_t) { done(e); });
    });
    if (error) return error;
    return Parse(parser, until, [&] { return parser.is_header_done(); });
  }
  error_code ReadBody(Parser& parser, Clock::time_point until) {
    parser.eager(true);
    return Parse(parser, until, [&] { return parser.is_done(); });
  }

 private:
  error_code Parse(Parser& parser, Clock::time_point until, absl::FunctionRef<bool()> is_enough) {
    while (!is_enough()) {
      error_code error = http::error::need_more;
      if (buffer_.size() > 0) buffer_.consume(parser.put(buffer_.data(), error));
      if (error == http::error::need_more) error = ReadMore(parser, until);
      if (error) return error;
    }
    return {};
  }
  error_code ReadMore(Parser& parser, Clock::time_point until) {
    const asio::mutable_buffer room = buffer_.prepare(beast::read_size(buffer_, kMostReadBytes));
    size_t size = 0;
    error_code error = Await(until, [&](auto done) {
      socket_.async_read_some(room, [&size, done](error_code e, size_t n) {
        size = n;
        done(e);
      });
    });
    if (error == asio::error::eof) {
      if (!parser.got_some()) return http::error::end_of_stream;
      parser.put_eof(error);
    }
    buffer_.commit(size);
    return error;
  }
  // Starts what calls `done`, and turns the loop until it has, or until the socket, closed because
  // time is up, has ended it.
  template <typename Start>
  error_code Await(Clock::time_point until, const Start& start) {
    std::optional<error_code> got;
    start([&got](error_code e) { got = e; });
    loop_.restart();
    loop_.run_until(until);
    if (got.has_value()) return *got;
    error_code ignored;
    socket_.close(ignored);
    loop_.restart();
    loop_.run();
    return asio::error::timed_out;
  }

  asio::io_context loop_;
  asio::ip::tcp::socket socket_;
  beast::flat_buffer buffer_;
};

class RangeSource : public offsets::ByteSource {
 public:
  RangeSource(Url url, const RangeSourceOptions& options)
      : url_(std::move(url)), options_(options) {}

  absl::StatusOr<offsets::FilePiece> Read(uint64_t offset, size_t size) override {
    if (size == 0) size = 1;  // a range has one byte at least
    const auto until = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                          std::chrono::duration<double>(options_.deadline_s));
    // The server may have closed what was kept.
    if (std::unique_ptr<Connection> kept = TakeIdle()) {
      auto piece = ReadFrom(std::move(kept), offset, size, until);
      if (!absl::IsUnavailable(piece.status())) return piece;
    }
    auto fresh = std::make_unique<Connection>();
    if (const error_code error = fresh->Connect(url_, until)) {
      return Broken("cannot be reached", error);
    }
    return ReadFrom(std::move(fresh), offset, size, until);
  }

 private:
  absl::Status Broken(absl::string_view what, const error_code& error) const {
    const std::string message = absl::StrCat(url_.whole, " ", what, ": ", error.message());
    return error == asio::error::timed_out ? absl::DeadlineExceededError(message)
                                           : absl::UnavailableError(message);
  }

  std::unique_ptr<Connection> TakeIdle() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_.empty()) return nullptr;
    std::unique_ptr<Connection> out = std::move(idle_.back());
    idle_.pop_back();
    return out;
  }

  absl::StatusOr<offsets::FilePiece> ReadFrom(std::unique_ptr<Connection> connection,
                                              uint64_t offset, size_t size,
                                              Clock::time_point until) {
    const std::string request =
        absl::StrCat("GET ", url_.target, " HTTP/1.1\r\nHost: ", url_.host_header,
                     "\r\nRange: bytes=", offset, "-", offset + size - 1, "\r\n\r\n");
    Parser reply;
    reply.header_limit(kMostHeader);
    // Of a reply that is not ours the length is in the header, and its body is not read.
    reply.body_limit(std::numeric_limits<uint64_t>::max());
    if (const error_code error = connection->Ask(request, reply, until)) {
      return Broken("does not answer", error);
    }
    offsets::FilePiece out;
    const auto status = reply.get().result_int();
    const auto header = reply.get()[http::field::content_range];
    const auto range = ParseContentRange(absl::string_view(header.data(), header.size()));
    if (status == 416 && range.has_value() && offset >= range->all) {
      out.file_bytes = range->all;
      return out;
    }
    if (status != 206) return Refused(status);
    if (!range.has_value() || range->first != offset || *range->last - offset >= size ||
        reply.content_length().value_or(0) != *range->last - offset + 1) {
      return absl::DataLossError(absl::StrCat(
          url_.whole, " answers with the range \"", std::string(header), "\" of ",
          reply.content_length().value_or(0), " bytes, expected ", size, " from ", offset));
    }
    if (const error_code error = connection->ReadBody(reply, until)) {
      return Broken("broke off", error);
    }
    out.file_bytes = range->all;
    const bool goes_on = reply.get().keep_alive();
    out.bytes = std::move(reply.get().body());
    if (goes_on) {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (idle_.size() < kMostIdle) idle_.push_back(std::move(connection));
    }
    return out;
  }

  absl::Status Refused(unsigned status) const {
    const std::string message = absl::StrCat(url_.whole, " answers ", status);
    if (status == 200) {
      return absl::FailedPreconditionError(
          absl::StrCat(message, " with the whole file, expected 206: its server knows no ranges"));
    }
    if (status == 404 || status == 410) return absl::NotFoundError(message);
    if (status == 401 || status == 403) return absl::PermissionDeniedError(message);
    if (status >= 500) return absl::UnavailableError(message);
    return absl::FailedPreconditionError(absl::StrCat(message, ", expected 206"));
  }

  const Url url_;
  const RangeSourceOptions options_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_;  // kMostIdle at most; others are closed
};

}  // namespace

absl::StatusOr<std::shared_ptr<offsets::ByteSource>> MakeRangeSource(
    const std::string& url, const RangeSourceOptions& options) {
  auto parsed = ParseUrl(url);
  if (!parsed.ok()) return parsed.status();
  return std::make_shared<RangeSource>(*std::move(parsed), options);
}

}  // namespace posewire::service
