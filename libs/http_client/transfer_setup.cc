// Sets up a call: libcurl's handles and options.
#include <curl/curl.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "libs/http_client/transfer.h"

namespace posewire::http_client {

constexpr size_t kMostIdle = 4;

void EasyCloser::operator()(void* easy) const { curl_easy_cleanup(easy); }
void MultiCloser::operator()(void* multi) const { curl_multi_cleanup(multi); }
void ListCloser::operator()(curl_slist* list) const { curl_slist_free_all(list); }

// curl_global_init counts its calls and is thread-safe.
HttpClient::Shared::Shared() { curl_global_init(CURL_GLOBAL_DEFAULT); }

HttpClient::Shared::~Shared() {
  idle.clear();
  curl_global_cleanup();
}

MultiHandle HttpClient::Shared::Take() {
  const std::lock_guard<std::mutex> lock(mutex);
  if (idle.empty()) {
    MultiHandle made(curl_multi_init());
    if (made != nullptr) curl_multi_setopt(made.get(), CURLMOPT_MAXCONNECTS, 1L);
    return made;
  }
  MultiHandle taken = std::move(idle.back());
  idle.pop_back();
  return taken;
}

void HttpClient::Shared::Give(MultiHandle multi) {
  const std::lock_guard<std::mutex> lock(mutex);
  if (idle.size() < kMostIdle) idle.push_back(std::move(multi));
}

absl::Status HttpCall::Transfer::Prepare() {
  multi = shared->Take();
  easy.reset(curl_easy_init());
  if (multi == nullptr || easy == nullptr) {
    return absl::ResourceExhaustedError("no memory or no file descriptor is left for a request");
  }
  static_assert(sizeof error_text >= CURL_ERROR_SIZE);
  CURL* const e = easy.get();
  for (const auto& [name, value] : request.headers) {
    // libcurl's form of a header without a value.
    const std::string line =
        value.empty() ? absl::StrCat(name, ";") : absl::StrCat(name, ": ", value);
    curl_slist* const longer = curl_slist_append(list.get(), line.c_str());
    if (longer == nullptr) return absl::ResourceExhaustedError("no memory is left for a request");
    (void)list.release();
    list.reset(longer);
  }
  CURLcode bad = CURLE_OK;
  const auto set = [&](CURLoption option, auto value) {
    if (const CURLcode code = curl_easy_setopt(e, option, value); code != CURLE_OK) bad = code;
  };
  set(CURLOPT_URL, url.text.c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_FOLLOWLOCATION, request.redirects > 0 ? 1L : 0L);
  set(CURLOPT_MAXREDIRS, static_cast<long>(request.redirects));
  set(CURLOPT_REDIR_PROTOCOLS_STR, url.is_https ? "https" : "http");
  set(CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
  set(CURLOPT_NOSIGNAL, 1L);
  // Otherwise it would wait for a name lookup that does not end.
  set(CURLOPT_QUICK_EXIT, 1L);
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));
  if (url.is_loopback) set(CURLOPT_NOPROXY, "*");
  set(CURLOPT_USERAGENT, "posewire/" POSEWIRE_VERSION);
  set(CURLOPT_CONNECTTIMEOUT_MS,
      static_cast<long>(std::ceil(
          (request.limits.connect_s > 0 ? request.limits.connect_s : kLongestLimit_s) * 1000)));
  set(CURLOPT_HTTPHEADER, list.get());
  if (request.method == HttpMethod::kPost) {
    set(CURLOPT_POST, 1L);
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    set(CURLOPT_POSTFIELDS, request.body.data());
  }
  if (!shared->ca_pem.empty()) {
    curl_blob pem{shared->ca_pem.data(), shared->ca_pem.size(), CURL_BLOB_NOCOPY};
    set(CURLOPT_CAINFO_BLOB, &pem);
    set(CURLOPT_CAPATH, static_cast<const char*>(nullptr));
  }
  set(CURLOPT_ERRORBUFFER, error_text.data());
  set(CURLOPT_HEADERFUNCTION, &OnHeader);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &OnBody);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  if (bad != CURLE_OK) {
    return absl::InternalError(absl::StrCat(url.shown, ": libcurl does not know an option (",
                                            curl_easy_strerror(bad), ")"));
  }
  if (curl_multi_add_handle(multi.get(), e) != CURLM_OK) {
    return absl::ResourceExhaustedError("no memory is left for a request");
  }
  return absl::OkStatus();
}

}  // namespace posewire::http_client
