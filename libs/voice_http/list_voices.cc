#include "libs/voice_http/list_voices.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "libs/voice_http/server_requests.h"
#include "libs/voice_http/server_status.h"

namespace posewire::voice_http {
namespace {

using speech::Marks;

constexpr size_t kMostListBytes = 4 << 20;
constexpr size_t kMostVoices = 10000;

// Returns the body of a 200 response; NOT_FOUND for 404 and 405.
absl::StatusOr<std::string> GetJson(http_client::HttpClient& client, const CheckedServer& server,
                                    absl::string_view path) {
  auto call = client.Open(MakeGet(server, path));
  if (!call.ok()) return call.status();
  const auto head = (*call)->ReadHead();
  if (!head.ok()) return head.status();
  if (head->status == 405) return absl::NotFoundError(absl::StrCat(path, " is missing"));
  if (head->status != 200) return ReadRejection(**call, *head, server.settings.key);
  std::string body, buffer(16384, ' ');
  while (true) {
    const auto n = (*call)->Read(absl::MakeSpan(buffer.data(), buffer.size()));
    if (!n.ok()) return n.status();
    if (*n == 0) return body;
    body.append(buffer, 0, *n);
    if (body.size() <= kMostListBytes) continue;
    return absl::DataLossError(
        absl::StrCat((*call)->shown_url(), ": the list is longer than ", kMostListBytes, " bytes"));
  }
}

}  // namespace

absl::StatusOr<std::vector<ListedVoice>> ListVoices(
    const VoiceServer& server, std::shared_ptr<http_client::HttpClient> client) {
  const absl::StatusOr<CheckedServer> checked = CheckServer(server);
  if (!checked.ok()) return checked.status();
  if (client == nullptr) {
    auto own = http_client::HttpClient::Create({.ca_file = server.ca_file});
    if (!own.ok()) return own.status();
    client = *std::move(own);
  }
  const bool eleven = checked->api == Api::kElevenLabs;
  const absl::string_view path = eleven ? "/v1/voices" : "/v1/audio/voices";
  absl::StatusOr<std::string> list = GetJson(*client, *checked, path);
  if (!list.ok() && !absl::IsNotFound(list.status())) return list.status();
  std::vector<ListedVoice> voices;
  if (list.ok()) {
    absl::StatusOr<std::vector<ListedVoice>> read = ReadVoiceList(*list);
    if (!read.ok()) {
      return absl::DataLossError(absl::StrCat(checked->base, path, ": ", read.status().message()));
    }
    voices = *std::move(read);
  }
  if (!eleven) {
    const absl::StatusOr<std::string> models = GetJson(*client, *checked, "/v1/models");
    if (models.ok()) {
      if (auto read = ReadVoiceList(*models); voices.empty() && read.ok())
        voices = *std::move(read);
      const auto marks = ReadModelMarks(*models, server.model);
      for (ListedVoice& v : voices) {
        if (v.marks == Marks::kNone && marks.ok()) v.marks = *marks;
      }
    }
  }
  // The other two APIs always send words, even if their list does not say so.
  if (checked->api != Api::kOpenAi) {
    for (ListedVoice& v : voices) v.marks = std::max(v.marks, Marks::kWords);
  }
  if (voices.empty()) {
    return absl::NotFoundError(absl::StrCat(checked->base, path,
                                            ": the server lists no voices; its documentation names "
                                            "them"));
  }
  if (voices.size() > kMostVoices) voices.resize(kMostVoices);
  return voices;
}

}  // namespace posewire::voice_http
