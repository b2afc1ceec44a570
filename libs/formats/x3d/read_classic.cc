// Reads the classic form (ISO/IEC 19776-2) by recursive descent. It consists of words, strings and
// the marks {}[] between white space, commas and comments. Names of fields start with a letter and
// numbers do not. So a value ends where the next name begins, and no table of fields is needed.
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "libs/formats/x3d/prototypes.h"
#include "libs/formats/x3d/quoted.h"
#include "libs/formats/x3d/readers.h"
#include "libs/formats/x3d/vocabulary.h"

namespace posewire::x3d {
namespace {

using Kind = Field::Kind;

class ClassicReader {
 public:
  ClassicReader(absl::string_view text, const Limits& limits) : text_(text), builder_(limits) {}

  absl::StatusOr<Scene> Read() {
    if (absl::Status s = CheckUtf8(); !s.ok()) return s;
    if (absl::Status s = Head(); !s.ok()) return s;
    while (token_ != Token::kEnd) {
      if (absl::Status s = Statement(); !s.ok()) return s;
    }
    return builder_.Finish();
  }

 private:
  enum class Token { kEnd, kMark, kName, kNumber, kString };

  absl::Status Wanted(absl::string_view what) const {
    return AtLine(line_, token_ == Token::kEnd
                             ? absl::StrCat("the file ends where ", what, " should be")
                             : absl::StrCat("\"", word_.substr(0, 40), "\" stands where ", what,
                                            " should be"));
  }

  // The XML form could not hold text in another encoding. Comments may have any.
  absl::Status CheckUtf8() const {
    int line = 1, more = 0;
    uint32_t code = 0, least = 0;
    bool string = false, comment = false, escaped = false;
    for (const char c : text_) {
      const uint32_t byte = static_cast<unsigned char>(c);
      if (byte == '\n') ++line;
      if (c == '\n' || c == '\r') comment = false;
      if (more == 0 && c == '"' && !comment && !escaped) string = !string;
      escaped = string && c == '\\' && !escaped;
      comment = comment || (more == 0 && c == '#' && !string);
      if (comment) continue;
      if (more > 0 && byte >> 6 == 2) {
        code = code << 6 | (byte & 0x3F);
        if (--more > 0) continue;
        if (code >= least && code < 0x110000 && code >> 11 != 0x1B && (code & 0xFFFE) != 0xFFFE) {
          continue;
        }
      } else if (more == 0) {
        if (byte < 0x80) continue;
        more = byte >> 5 == 6 ? 1 : byte >> 4 == 14 ? 2 : byte >> 3 == 30 ? 3 : 0;
        least = more == 1 ? 0x80 : more == 2 ? 0x800 : 0x10000;
        code = byte & (0x3Fu >> more);
        if (more > 0) continue;
      }
      return AtLine(line, "the text is not in UTF-8");
    }
    return more ? AtLine(line, "the text is not in UTF-8") : absl::OkStatus();
  }

  absl::Status Head() {
    // "#X3D V4.0 utf8"
    const absl::string_view head = ClassicHead(text_);
    if (absl::StartsWith(head, kVrml97)) builder_.SetVrml97();
    constexpr absl::string_view kVersion = "#X3D V";
    if (absl::StartsWith(head, kVersion)) {
      size_t end = kVersion.size();
      while (end < head.size() &&
             (absl::ascii_isdigit(static_cast<unsigned char>(head[end])) || head[end] == '.')) {
        ++end;
      }
      const absl::string_view version = head.substr(kVersion.size(), end - kVersion.size());
      if (absl::Status s = builder_.SetVersion(std::string(version), 1); !s.ok()) return s;
    }
    return Next();
  }

  // A line ends with CR, LF, or both.
  bool EndsLine(size_t at) const {
    return text_[at] == '\n' ||
           (text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] != '\n'));
  }

  void SkipSpace() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        while (at_ < text_.size() && text_[at_] != '\n' && text_[at_] != '\r') ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',') {
        if (EndsLine(at_)) ++next_line_;
        ++at_;
      } else {
        return;
      }
    }
  }

  absl::Status Next() {
    SkipSpace();
    line_ = next_line_;
    word_.clear();
    if (at_ == text_.size()) {
      token_ = Token::kEnd;
      return absl::OkStatus();
    }
    const char c = text_[at_];
    if (c == '"') return NextString();
    if (c == '{' || c == '}' || c == '[' || c == ']') {
      token_ = Token::kMark;
      word_ = c;
      ++at_;
      return absl::OkStatus();
    }
    const size_t from = at_;
    while (at_ < text_.size() && !absl::StrContains(" \t\r\n,{}[]\"#", text_[at_]) &&
           static_cast<unsigned char>(text_[at_]) >= ' ') {
      ++at_;
    }
    if (at_ == from) return AtLine(line_, "a character stands here that no word may have");
    word_ = std::string(text_.substr(from, at_ - from));
    const bool number =
        absl::ascii_isdigit(static_cast<unsigned char>(c)) || c == '-' || c == '+' || c == '.';
    token_ = number ? Token::kNumber : Token::kName;
    return absl::OkStatus();
  }

  absl::Status NextString() {
    token_ = Token::kString;
    for (++at_; at_ < text_.size(); ++at_) {
      char c = text_[at_];
      if (c == '"') {
        ++at_;
        return absl::OkStatus();
      }
      if (c == '\\' && at_ + 1 < text_.size()) c = text_[++at_];
      // XML cannot hold these characters either.
      if (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' && c != '\r') {
        return AtLine(next_line_, "a control character stands in a string");
      }
      if (EndsLine(at_)) ++next_line_;
      word_ += c;
    }
    return AtLine(line_, "a string does not end");
  }

  bool Is(absl::string_view mark) const { return token_ == Token::kMark && word_ == mark; }

  // Returns the current word, which must be of `token`, and moves to the next.
  absl::StatusOr<std::string> Take(Token token, absl::string_view what) {
    if (token_ != token) return Wanted(what);
    std::string word = std::move(word_);
    if (absl::Status s = Next(); !s.ok()) return s;
    return word;
  }

  absl::StatusOr<std::string> TakeName(absl::string_view what) { return Take(Token::kName, what); }

  // Reads names and numbers joined by `joint`. It is a terminal of its own in the grammar, so it
  // may have white space on either side: "HAnim:1" and "HAnim : 1".
  absl::StatusOr<std::string> TakeJoined(char joint, absl::string_view what) {
    absl::StatusOr<std::string> word = TakeName(what);
    while (word.ok() && (token_ == Token::kName || token_ == Token::kNumber) &&
           (word->back() == joint || word_[0] == joint)) {
      *word += word_;
      if (absl::Status s = Next(); !s.ok()) return s;
    }
    return word;
  }

  absl::Status Statement() {
    if (token_ != Token::kName) return Wanted("a node or a statement");
    const std::string word = word_;
    const int line = line_;
    if (word == "ROUTE") return ReadRoute();
    if (word == "PROTO" || word == "EXTERNPROTO") return ReadDeclaration(word == "PROTO");
    if (word == "IMPORT" || word == "EXPORT") return ReadImport(word == "IMPORT");
    if (word != "PROFILE" && word != "COMPONENT" && word != "META" && word != "UNIT") {
      return ReadNode("");
    }
    if (absl::Status s = Next(); !s.ok()) return s;
    if (word == "META") {
      auto name = Take(Token::kString, "a string");
      if (!name.ok()) return name.status();
      auto content = Take(Token::kString, "a string");
      if (!content.ok()) return content.status();
      builder_.AddMeta({*std::move(name), *std::move(content)});
      return absl::OkStatus();
    }
    auto first = word == "COMPONENT" ? TakeJoined(':', "a name") : TakeName("a name");
    if (!first.ok()) return first.status();
    if (word == "PROFILE") return builder_.SetProfile(*std::move(first), line);
    if (word == "COMPONENT") {
      const size_t colon = first->find(':');
      return builder_.AddComponent(
          {first->substr(0, colon), colon == std::string::npos ? "1" : first->substr(colon + 1)},
          line);
    }
    auto name = TakeName("the name of a unit");
    if (!name.ok()) return name.status();
    auto factor = Take(Token::kNumber, "a number");
    if (!factor.ok()) return factor.status();
    return builder_.AddUnit({*std::move(first), *std::move(name), *std::move(factor)}, line);
  }

  absl::Status ReadRoute() {
    const int line = line_;
    if (absl::Status s = Next(); !s.ok()) return s;
    auto from = TakeJoined('.', "NODE.field");
    if (!from.ok()) return from.status();
    if (token_ != Token::kName || word_ != "TO") return Wanted("TO");
    if (absl::Status s = Next(); !s.ok()) return s;
    auto to = TakeJoined('.', "NODE.field");
    if (!to.ok()) return to.status();
    const size_t a = from->rfind('.'), b = to->rfind('.');
    if (a == std::string::npos || b == std::string::npos) {
      return AtLine(line, "write ROUTE NODE.field TO NODE.field");
    }
    builder_.AddRoute(from->substr(0, a), from->substr(a + 1), to->substr(0, b), to->substr(b + 1),
                      line);
    return absl::OkStatus();
  }

  // Reads IMPORT INLINE.NAME AS NAME, or EXPORT NAME AS NAME.
  absl::Status ReadImport(bool import) {
    if (absl::Status s = Next(); !s.ok()) return s;
    auto name = import ? TakeJoined('.', "NODE.name") : TakeName("a name");
    if (!name.ok()) return name.status();
    std::string local = name->substr(name->rfind('.') + 1);
    if (token_ == Token::kName && word_ == "AS") {
      if (absl::Status s = Next(); !s.ok()) return s;
      name = TakeName("a name");
      if (!name.ok()) return name.status();
      local = *std::move(name);
    }
    if (import) builder_.Import(std::move(local));
    return absl::OkStatus();
  }

  static bool IsAccess(absl::string_view word) {
    for (const absl::string_view access :
         {"inputOnly", "outputOnly", "inputOutput", "initializeOnly", "eventIn", "eventOut",
          "exposedField", "field"}) {
      if (word == access) return true;
    }
    return false;
  }
  static bool IsEvent(absl::string_view access) {
    return access == "inputOnly" || access == "outputOnly" || absl::StartsWith(access, "event");
  }

  absl::Status Expect(absl::string_view mark) {
    if (!Is(mark)) return Wanted(mark);
    return Next();
  }

  // Reads PROTO Name [ fields ] { nodes }, or EXTERNPROTO Name [ fields ] urls.
  absl::Status ReadDeclaration(bool has_body) {
    const int line = line_;
    if (absl::Status s = Next(); !s.ok()) return s;
    auto name = TakeName("the name of a prototype");
    if (!name.ok()) return name.status();
    if (absl::Status s = builder_.BeginDeclaration(*std::move(name), line); !s.ok()) return s;
    if (absl::Status s = Expect("["); !s.ok()) return s;
    while (!Is("]")) {
      if (token_ != Token::kName || !IsAccess(word_)) return Wanted("a declared field or ]");
      if (absl::Status s = ReadInterface(has_body); !s.ok()) return s;
    }
    if (absl::Status s = Next(); !s.ok()) return s;
    if (has_body) {
      if (absl::Status s = Expect("{"); !s.ok()) return s;
      builder_.BeginBody();
      while (!Is("}")) {
        if (absl::Status s = Statement(); !s.ok()) return s;
      }
      builder_.EndBody();
      if (absl::Status s = Next(); !s.ok()) return s;
    } else {
      const bool list = Is("[");
      if (!list && token_ != Token::kString) return Wanted("an address");
      do {
        if (absl::Status s = Next(); !s.ok()) return s;
      } while (list && token_ == Token::kString);
      if (list) {
        if (absl::Status s = Expect("]"); !s.ok()) return s;
      }
    }
    builder_.EndDeclaration();
    return absl::OkStatus();
  }

  // Reads a field of an interface: access, type, name, and the default value.
  absl::Status ReadInterface(bool has_value) {
    const bool event = IsEvent(word_);
    if (absl::Status s = Next(); !s.ok()) return s;
    auto type = TakeName("a type of fields");
    if (!type.ok()) return type.status();
    if (event || !has_value) return TakeName("a field").status();
    if (!absl::EndsWith(*type, "Node")) return ReadField(Value::kDeclared);
    auto name = TakeName("a field");
    if (!name.ok()) return name.status();
    builder_.BeginDefault(*name);
    const absl::Status s = ReadNodes(*name);
    builder_.EndDefault();
    return s;
  }

  // Reads a node, NULL, or a list of nodes in brackets.
  absl::Status ReadNodes(absl::string_view field) {
    if (!Is("[")) return ReadNode(field);
    if (absl::Status s = Next(); !s.ok()) return s;
    while (!Is("]")) {
      if (absl::Status s = ReadNode(field); !s.ok()) return s;
    }
    return Next();
  }

  // Reads a field that a script declares, and drops it.
  absl::Status ReadScriptField() {
    const bool event = IsEvent(word_);
    if (absl::Status s = Next(); !s.ok()) return s;
    auto type = TakeName("a type of fields");
    if (!type.ok()) return type.status();
    auto name = TakeName("a field");
    if (!name.ok()) return name.status();
    if (token_ == Token::kName && word_ == "IS") {
      if (absl::Status s = Next(); !s.ok()) return s;
      return TakeName("a field of the prototype").status();
    }
    if (event) return absl::OkStatus();
    builder_.BeginDropped();
    const absl::Status s = absl::EndsWith(*type, "Node")
                               ? ReadNodes(*name)
                               : ReadValue(*std::move(name), line_, Value::kOwn);
    builder_.EndDropped();
    return s;
  }

  // Reads a node, USE of one, or NULL, in `field` of the open node.
  absl::Status ReadNode(absl::string_view field) {
    const int line = line_;
    auto word = TakeName("a node");
    if (!word.ok()) return word.status();
    if (*word == "NULL") return absl::OkStatus();
    if (*word == "USE") {
      auto def = TakeName("a name");
      if (!def.ok()) return def.status();
      return builder_.Use("", *def, field, line);
    }
    std::string def;
    if (*word == "DEF") {
      auto name = TakeName("a name");
      if (!name.ok()) return name.status();
      def = *std::move(name);
      word = TakeName("the type of a node");
      if (!word.ok()) return word.status();
    }
    if (!Is("{")) return Wanted("{");
    if (absl::Status s = builder_.Open(*word, def, field, line); !s.ok()) return s;
    if (absl::Status s = Next(); !s.ok()) return s;
    while (!Is("}")) {
      if (token_ != Token::kName) return Wanted("a field or }");
      const bool proto = word_ == "PROTO" || word_ == "EXTERNPROTO";
      const absl::Status s = word_ == "ROUTE"  ? ReadRoute()
                             : proto           ? ReadDeclaration(word_ == "PROTO")
                             : IsAccess(word_) ? ReadScriptField()
                                               : ReadField(Value::kOwn);
      if (!s.ok()) return s;
    }
    if (absl::Status s = builder_.Close(); !s.ok()) return s;
    return Next();
  }

  // Whose a value is: the open node's, or the default of a declared field.
  enum class Value { kOwn, kDeclared };

  absl::Status ReadField(Value value) {
    const int line = line_;
    auto name = TakeName("a field");
    if (!name.ok()) return name.status();
    if (token_ == Token::kName && word_ == "IS") {
      if (absl::Status s = Next(); !s.ok()) return s;
      auto field = TakeName("a field of the prototype");
      if (!field.ok()) return field.status();
      return builder_.Is(*std::move(name), *std::move(field), line);
    }
    return ReadValue(*std::move(name), line, value);
  }

  absl::Status ReadValue(std::string name, int line, Value value) {
    Field field{std::move(name), Kind::kOne, "", line};
    const bool list = Is("[");
    if (list) {
      if (absl::Status s = Next(); !s.ok()) return s;
      field.kind = Kind::kList;
    }
    bool nodes = false, values = false;
    while (true) {
      const bool boolean = token_ == Token::kName && (word_ == "TRUE" || word_ == "FALSE");
      if (token_ == Token::kString) {
        // A single string is a string. A list of one string without brackets looks the same.
        if (!list && !values) {
          field.kind = Kind::kString;
          field.text = word_;
        } else {
          if (field.kind != Kind::kList && field.kind != Kind::kStrings) return Wanted("a field");
          field.kind = Kind::kStrings;
          absl::StrAppend(&field.text, field.text.empty() ? "" : " ", Quoted(word_));
        }
        values = true;
        if (absl::Status s = Next(); !s.ok()) return s;
        if (!list) break;
      } else if (token_ == Token::kNumber || boolean) {
        if (field.kind == Kind::kStrings) return Wanted("a string");
        absl::StrAppend(&field.text, field.text.empty() ? "" : " ",
                        boolean ? absl::AsciiStrToLower(word_) : word_);
        values = true;
        if (absl::Status s = Next(); !s.ok()) return s;
        if (boolean && !list) break;
      } else if (token_ == Token::kName && (list || !values)) {
        if (values) return Wanted("a value");
        nodes = true;
        if (absl::Status s = ReadNode(field.name); !s.ok()) return s;
        if (!list) break;
      } else if (list && Is("]")) {
        if (absl::Status s = Next(); !s.ok()) return s;
        break;
      } else if (!list && values) {
        break;
      } else {
        return Wanted("a value");
      }
    }
    if (nodes && values) return AtLine(line, field.name + " has nodes and values");
    const bool no_nodes = !values && HoldsNodes(field.name);
    if (nodes || no_nodes) return absl::OkStatus();
    if (value == Value::kOwn) return builder_.Add(std::move(field));
    builder_.DeclareValue(std::move(field));
    return absl::OkStatus();
  }

  const absl::string_view text_;
  PrototypeBuilder builder_;
  size_t at_ = 0;
  Token token_ = Token::kEnd;
  std::string word_;
  int line_ = 1, next_line_ = 1;
};

}  // namespace

absl::string_view ClassicHead(absl::string_view text) {
  constexpr int kMostComments = 16;
  for (int line = 0; line <= kMostComments; ++line) {
    if (absl::StartsWith(text, "#X3D") || absl::StartsWith(text, kVrml97)) return text;
    const size_t end = text.find_first_of("\r\n");
    const size_t next = text.find_first_not_of("\r\n", end);
    if (!absl::StartsWith(text, "#") || absl::StartsWith(text, "#VRML V1") ||
        next == absl::string_view::npos) {
      return {};
    }
    text.remove_prefix(next);
  }
  return {};
}

absl::StatusOr<Scene> ReadClassic(absl::string_view bytes, const Limits& limits) {
  return ClassicReader(bytes, limits).Read();
}

}  // namespace posewire::x3d
