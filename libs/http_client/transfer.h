// The state of one call, and the state that calls share. Internal to this library. libcurl's
// handles are void pointers here, as in its own header, so that only sources include that header.
#ifndef POSEWIRE_LIBS_HTTP_CLIENT_TRANSFER_H_
#define POSEWIRE_LIBS_HTTP_CLIENT_TRANSFER_H_

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "libs/http_client/http_client.h"
#include "libs/http_client/http_url.h"

struct curl_slist;

namespace posewire::http_client {

inline constexpr double kLongestLimit_s = 86400;

struct EasyCloser {
  void operator()(void* easy) const;
};
struct MultiCloser {
  void operator()(void* multi) const;
};
struct ListCloser {
  void operator()(curl_slist* list) const;
};
using MultiHandle = std::unique_ptr<void, MultiCloser>;

// Idle handles, each with its open connection. A handle is used by one call at a time. Thread-safe.
struct HttpClient::Shared {
  std::string ca_pem;
  absl::Status ca_status;  // not OK: https:// cannot be used
  std::mutex mutex;
  std::vector<MultiHandle> idle;  // guarded by mutex

  Shared();
  ~Shared();
  // Returns null if memory or descriptors run out.
  MultiHandle Take();
  void Give(MultiHandle multi);
};

// Other threads use only `cancelled` and the wakeup of `multi`.
struct HttpCall::Transfer {
  using Clock = std::chrono::steady_clock;

  std::shared_ptr<HttpClient::Shared> shared;
  HttpRequest request;
  HttpUrl url;
  MultiHandle multi;
  std::unique_ptr<void, EasyCloser> easy;
  std::unique_ptr<curl_slist, ListCloser> list;
  std::array<char, 256> error_text{};  // CURL_ERROR_SIZE
  std::atomic<bool> cancelled = false;

  HttpHead head;
  bool head_done = false;
  size_t header_bytes = 0;
  std::string body;  // not read yet, from body_begin on
  size_t body_begin = 0;
  std::optional<absl::Status> end;  // final status of the transfer

  Clock::duration waited{};  // in earlier calls of WaitFor
  bool sent = false;         // the request was sent
  Clock::duration waited_until_sent{};
  size_t bytes = 0;  // received so far
  size_t body_bytes = 0;

  ~Transfer();
  // Sets libcurl's options.
  absl::Status Prepare();
  // Drives the transfer until `enough` returns true, or its end.
  absl::Status WaitFor(absl::FunctionRef<bool()> enough);
  // Closes the connection, unless the transfer is complete.
  void Close();

 private:
  // Returns the earliest deadline, and the error text if it passes.
  std::pair<Clock::time_point, std::string> Deadline(Clock::time_point entered,
                                                     Clock::time_point last_byte) const;
  void TakeEnd();
  size_t TakeHeader(absl::string_view line);
  static size_t OnHeader(char* data, size_t size, size_t count, void* self);
  static size_t OnBody(char* data, size_t size, size_t count, void* self);
};

}  // namespace posewire::http_client

#endif  // POSEWIRE_LIBS_HTTP_CLIENT_TRANSFER_H_
