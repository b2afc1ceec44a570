#include "services/renderer_sink/core/avatar_choice.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "libs/wire/frame_reader.h"

namespace posewire::renderer_sink {

absl::StatusOr<AvatarChoice> AvatarChoice::Parse(const std::vector<std::string>& texts) {
  AvatarChoice out;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || text.find('/') < equals) {
      if (!out.others_.empty()) {
        return absl::InvalidArgumentError(absl::StrCat("\"", out.others_, "\" and \"", text,
                                                       "\" are both for every stream; say "
                                                       "STREAM=WHO for all but one"));
      }
      out.others_ = text;
      continue;
    }
    const std::string stream_id = text.substr(0, equals), who = text.substr(equals + 1);
    if (absl::Status s = wire::CheckId("the stream's id", stream_id); !s.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("\"", text, "\": ", s.message()));
    }
    if (who.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text, "\" names nobody; STREAM=WHO is right, such as a=man"));
    }
    if (!out.by_stream_.emplace(stream_id, who).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text, "\": the stream \"", stream_id, "\" has somebody already"));
    }
  }
  return out;
}

absl::Status AvatarChoice::CheckStreams(const std::vector<std::string>& stream_ids) const {
  for (const auto& [stream_id, who] : by_stream_) {
    if (std::find(stream_ids.begin(), stream_ids.end(), stream_id) != stream_ids.end()) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("\"", stream_id, "=", who, "\": the stream is not shown; --stream-id names ",
                     stream_ids.empty() ? "none" : absl::StrJoin(stream_ids, ", ")));
  }
  return absl::OkStatus();
}

const std::string& AvatarChoice::Of(const std::string& stream_id, const std::string& target) const {
  auto own = target.empty() ? by_stream_.end() : by_stream_.find(target);
  if (own == by_stream_.end()) own = by_stream_.find(stream_id);
  return own == by_stream_.end() ? others_ : own->second;
}

std::vector<std::string> AvatarChoice::All() const {
  std::vector<std::string> all = {others_};
  for (const auto& [stream_id, who] : by_stream_) all.push_back(who);
  return all;
}

}  // namespace posewire::renderer_sink
