#include "services/renderer_sink/core/avatar_choice.h"

#include "absl/strings/str_cat.h"
#include "libs/wire/frame_reader.h"

namespace posewire::renderer_sink {

absl::StatusOr<AvatarChoice> AvatarChoice::Parse(const std::vector<std::string>& texts) {
  AvatarChoice out;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || text.find('/') < equals) {
      if (!out.others_.empty()) {
        return absl::InvalidArgumentError(
            absl::StrCat("\"", out.others_, "\" and \"", text,
                         "\" are both for every stream; give STREAM=WHO for all but one"));
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
          absl::StrCat("\"", text, "\" names no character; give STREAM=WHO, such as a=man"));
    }
    if (!out.by_id_.emplace(stream_id, who).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("\"", text, "\": the stream \"", stream_id, "\" has a character already"));
    }
  }
  return out;
}

const std::string& AvatarChoice::Of(const std::string& stream_id, const std::string& target) const {
  auto own = target.empty() ? by_id_.end() : by_id_.find(target);
  if (own == by_id_.end()) own = by_id_.find(stream_id);
  return own == by_id_.end() ? others_ : own->second;
}

std::optional<std::string> AvatarChoice::Named(const std::string& character) const {
  const auto own = by_id_.find(character);
  if (own != by_id_.end()) return own->second;
  if (character == "woman" || character == "man") return character;
  return std::nullopt;
}

std::vector<std::string> AvatarChoice::All() const {
  std::vector<std::string> all = {others_, "woman", "man"};
  for (const auto& [stream_id, who] : by_id_) all.push_back(who);
  return all;
}

}  // namespace posewire::renderer_sink
