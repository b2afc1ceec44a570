#include "services/a2f_source/core/dialogue.h"

#include <algorithm>
#include <map>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/wire/frame_reader.h"

namespace posewire::a2f_source {
namespace {

constexpr size_t kMostTurns = 10'000;

absl::Status Wrong(int line, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("line ", line, ": ", what));
}

// Splits "anna [slt]". Leaves `voice` unchanged if there is none.
absl::Status ReadWho(absl::string_view text, absl::Span<const std::string> voices, bool others,
                     Turn& turn) {
  const size_t bracket = text.find('[');
  turn.who = std::string(absl::StripAsciiWhitespace(text.substr(0, bracket)));
  if (absl::Status s = wire::CheckId("who speaks", turn.who); !s.ok()) {
    return Wrong(turn.line, s.message());
  }
  if (bracket == absl::string_view::npos) return absl::OkStatus();
  absl::string_view voice = absl::StripAsciiWhitespace(text.substr(bracket + 1));
  if (voice.empty() || voice.back() != ']') {
    return Wrong(turn.line, "the voice must be in brackets, as in anna [slt]: Hello.");
  }
  voice.remove_suffix(1);
  turn.voice = std::string(absl::StripAsciiWhitespace(voice));
  if (others && !turn.voice.empty()) return absl::OkStatus();
  if (std::find(voices.begin(), voices.end(), turn.voice) != voices.end()) return absl::OkStatus();
  return Wrong(turn.line, absl::StrCat("there is no voice \"", turn.voice, "\"; one of ",
                                       absl::StrJoin(voices, ", "), " is right"));
}

}  // namespace

absl::StatusOr<std::vector<Turn>> ReadDialogue(absl::string_view text,
                                               absl::Span<const std::string> voices, bool others) {
  std::vector<Turn> turns;
  std::map<std::string, std::string> voice_of;
  int line = 0;
  for (absl::string_view row : absl::StrSplit(text, '\n')) {
    ++line;
    row = absl::StripAsciiWhitespace(row);
    if (row.empty() || row.front() == '#') continue;
    Turn turn{line, "", "", ""};
    const size_t colon = row.find(':');
    if (colon == absl::string_view::npos) {
      return Wrong(line, "a line must begin with the speaker and a colon, as in anna: Hello.");
    }
    if (absl::Status s = ReadWho(row.substr(0, colon), voices, others, turn); !s.ok()) return s;
    turn.text = std::string(absl::StripAsciiWhitespace(row.substr(colon + 1)));
    if (turn.text.empty()) {
      return Wrong(line, absl::StrCat("\"", turn.who, "\" has no text; it must follow the colon"));
    }
    const auto known =
        voice_of.try_emplace(turn.who, voices[voice_of.size() % voices.size()]).first;
    if (turn.voice.empty()) {
      turn.voice = known->second;
    } else {
      known->second = turn.voice;
    }
    turns.push_back(std::move(turn));
    if (turns.size() > kMostTurns) {
      return Wrong(line,
                   absl::StrCat("there are more than ", kMostTurns, " turns, which is the limit"));
    }
  }
  if (turns.empty()) {
    return absl::InvalidArgumentError("there is nothing to say; write a line such as anna: Hello.");
  }
  return turns;
}

}  // namespace posewire::a2f_source
