#include "libs/recording/json_members.h"

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace posewire::recording {
namespace {

class Scanner {
 public:
  explicit Scanner(absl::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<JsonMember>> Members() {
    std::vector<JsonMember> members;
    if (!Take('{')) return Fault("'{'");
    if (Take('}')) return members;
    do {
      JsonMember member;
      SkipSpace();
      member.key = String();
      if (member.key.empty()) return Fault("a name in quotes");
      if (!Take(':')) return Fault("':'");
      SkipSpace();
      member.value = Value();
      if (member.value.empty()) return Fault("a value");
      members.push_back(member);
    } while (Take(','));
    if (!Take('}')) return Fault("',' or '}'");
    return members;
  }

 private:
  absl::Status Fault(absl::string_view wanted) const {
    return absl::InvalidArgumentError(
        absl::StrCat("JSON: expected ", wanted, " at character ", at_));
  }

  char Peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void SkipSpace() {
    while (Peek() == ' ' || Peek() == '\n' || Peek() == '\r' || Peek() == '\t') ++at_;
  }

  bool Take(char c) {
    SkipSpace();
    if (Peek() != c) return false;
    ++at_;
    return true;
  }

  // Returns the string with its quotes; empty if there is none.
  absl::string_view String() {
    const size_t start = at_;
    if (Peek() != '"') return {};
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) return {};
    ++at_;
    return text_.substr(start, at_ - start);
  }

  absl::string_view Value() {
    if (Peek() == '"') return String();
    const size_t start = at_;
    int depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        if (String().empty()) return {};
        continue;
      }
      if (depth == 0 && (c == ',' || c == '}' || c == ']')) break;
      if (c == '{' || c == '[') ++depth;
      if (c == '}' || c == ']') --depth;
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }

  absl::string_view text_;
  size_t at_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<JsonMember>> JsonMembers(absl::string_view object) {
  return Scanner(object).Members();
}

}  // namespace posewire::recording
