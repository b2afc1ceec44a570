#include "libs/http_client/transfer.h"

#include <curl/curl.h>

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/http_client/curl_error.h"

namespace posewire::http_client {
namespace {

using Clock = std::chrono::steady_clock;

Clock::duration Seconds(double s) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(s));
}

}  // namespace

HttpCall::Transfer::~Transfer() {
  Close();
  if (multi != nullptr) shared->Give(std::move(multi));
}

void HttpCall::Transfer::Close() {
  if (easy != nullptr && multi != nullptr) curl_multi_remove_handle(multi.get(), easy.get());
  easy.reset();
}

size_t HttpCall::Transfer::OnHeader(char* data, size_t size, size_t count, void* self) {
  return static_cast<Transfer*>(self)->TakeHeader({data, size * count});
}

size_t HttpCall::Transfer::OnBody(char* data, size_t size, size_t count, void* self) {
  auto* const t = static_cast<Transfer*>(self);
  t->body.append(data, size * count);
  t->bytes += size * count;
  t->body_bytes += size * count;
  return size * count;
}

// Also receives trailers, which count and are dropped.
size_t HttpCall::Transfer::TakeHeader(absl::string_view line) {
  header_bytes += line.size();
  bytes += line.size();
  if (header_bytes > kMostHeaderBytes) {
    end =
        absl::DataLossError(absl::StrCat(url.shown, ": the answer has more than ", kMostHeaderBytes,
                                         " bytes of headers; check that this is the right server"));
    return CURL_WRITEFUNC_ERROR;
  }
  if (head_done) return line.size();
  const absl::string_view text = absl::StripAsciiWhitespace(line);
  if (absl::StartsWith(text, "HTTP/")) {
    head = {};
  } else if (text.empty()) {
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    head.status = static_cast<int>(status);
    const bool follows =
        request.redirects > 0 && status >= 300 && status < 400 && !head.Find("location").empty();
    head_done = status >= 200 && !follows;
  } else if (const size_t colon = text.find(':'); colon != absl::string_view::npos) {
    head.headers.emplace_back(absl::AsciiStrToLower(text.substr(0, colon)),
                              absl::StripAsciiWhitespace(text.substr(colon + 1)));
  }
  return line.size();
}

void HttpCall::Transfer::TakeEnd() {
  int left = 0;
  while (const CURLMsg* const message = curl_multi_info_read(multi.get(), &left)) {
    if (message->msg != CURLMSG_DONE || end.has_value()) continue;
    if (message->data.result == CURLE_OK) {
      end = absl::OkStatus();
      continue;
    }
    CurlFailure failure;
    failure.code = message->data.result;
    long error = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_OS_ERRNO, &error);
    failure.system_error = static_cast<int>(error);
    failure.detail = error_text.data();
    failure.shown_url = url.shown;
    failure.host = url.host;
    failure.connect_s = request.limits.connect_s;
    failure.in_answer = bytes > 0;
    failure.redirected = head.status >= 300 && head.status < 400;
    end = ExplainCurlFailure(failure);
  }
}

std::pair<Clock::time_point, std::string> HttpCall::Transfer::Deadline(
    Clock::time_point entered, Clock::time_point last_byte) const {
  const HttpLimits& limits = request.limits;
  std::pair<Clock::time_point, std::string> earliest = {
      entered + Seconds(kLongestLimit_s), absl::StrCat("no end within ", kLongestLimit_s, " s")};
  const auto consider = [&](double limit_s, Clock::time_point at, const char* text) {
    if (limit_s > 0 && at < earliest.first) {
      earliest = {at, absl::StrCat(text, limit_s, " s")};
    }
  };
  consider(limits.whole_s, entered + Seconds(limits.whole_s) - waited,
           "the answer was not complete within ");
  if (body_bytes >= limits.first_bytes) {
    consider(limits.stall_s, last_byte + Seconds(limits.stall_s), "the answer stalled for ");
  } else if (sent) {
    consider(limits.first_byte_s,
             entered + Seconds(limits.first_byte_s) - (waited - waited_until_sent),
             "the answer did not begin within ");
  }
  return earliest;
}

absl::Status HttpCall::Transfer::WaitFor(absl::FunctionRef<bool()> enough) {
  const Clock::time_point entered = Clock::now();
  Clock::time_point last_byte = entered;
  const auto leave = [&](absl::Status status) {
    waited += Clock::now() - entered;
    if (!status.ok()) {
      end = status;
      Close();
    }
    return status;
  };
  while (true) {
    if (cancelled) return leave(absl::CancelledError(absl::StrCat(url.shown, ": cancelled")));
    if (enough()) return leave(absl::OkStatus());
    if (end.has_value()) return leave(*end);
    const size_t bytes_before = bytes;
    int running = 0;
    if (const CURLMcode code = curl_multi_perform(multi.get(), &running); code != CURLM_OK) {
      return leave(absl::InternalError(
          absl::StrCat(url.shown, ": libcurl failed (", curl_multi_strerror(code), ")")));
    }
    TakeEnd();
    const Clock::time_point now = Clock::now();
    if (bytes > bytes_before) last_byte = now;
    if (!sent) {
      curl_off_t reached = 0;
      curl_easy_getinfo(easy.get(), CURLINFO_PRETRANSFER_TIME_T, &reached);
      sent = reached > 0;
      waited_until_sent = waited + (now - entered);
    }
    if (enough() || end.has_value()) continue;
    const auto [at, text] = Deadline(entered, last_byte);
    if (now >= at) {
      return leave(absl::DeadlineExceededError(absl::StrCat(
          url.shown, ": ", text, "; the server is too slow, too busy, or has stopped")));
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(at - now).count();
    curl_multi_poll(multi.get(), nullptr, 0, static_cast<int>(std::min<int64_t>(left, 60000)),
                    nullptr);
  }
}

}  // namespace posewire::http_client
