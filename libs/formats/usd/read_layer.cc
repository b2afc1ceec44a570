// Parses the text by recursive descent and stores no tokens. Line ends and semicolons count as
// space. The grammar is unambiguous without them, because each statement begins with a word, and no
// value begins with a word that could begin a statement. The first error is kept, and the position
// is moved to the end, so that every loop stops.
#include "libs/formats/usd/read_layer.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace posewire::usd {
namespace {

constexpr size_t kMostNameBytes = 1024;             // of a prim
constexpr size_t kMostVariantSets = 256;            // of a prim: each is compared with the others
constexpr double kExactWhole = 9007199254740992.0;  // 2^53

bool IsWordByte(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':' ||
         static_cast<unsigned char>(c) >= 0x80;
}

bool IsEdit(absl::string_view word) {
  return word == "prepend" || word == "append" || word == "add" || word == "delete" ||
         word == "reorder";
}

bool IsSpecifier(absl::string_view word) {
  return word == "def" || word == "over" || word == "class";
}

class Parser {
 public:
  Parser(absl::string_view text, const ReadLimits& limits) : text_(text), limits_(limits) {}

  absl::StatusOr<Layer> Read() {
    Layer layer;
    if (absl::StartsWith(text_, "PXR-USDC")) Fail("it is binary; usdcat makes text (.usda) of it");
    if (!absl::StartsWith(text_, "#usda 1.")) Fail("expected the file to begin with #usda 1.0");
    if (Take('(')) layer.metadata = Entries(')', 0);
    while (!AtEnd()) {
      const std::string word = Word();
      if (IsSpecifier(word)) {
        ReadPrim(word, 1, layer.prims);
      } else if (word == "reorder") {
        Fail("reorder of root prims is not read");
      } else {
        Expected("def, over or class", word);
      }
    }
    if (!status_.ok()) return status_;
    return layer;
  }

 private:
  void Fail(absl::string_view why) {
    if (status_.ok()) status_ = absl::InvalidArgumentError(absl::StrCat("line ", line_, ": ", why));
    at_ = text_.size();
  }
  void Expected(absl::string_view what, absl::string_view word) {
    const size_t at = at_ - std::min(at_, word.size());
    if (at >= text_.size()) return Fail(absl::StrCat("expected ", what, ", not the file's end"));
    const absl::string_view rest = text_.substr(at, 20);
    Fail(absl::StrCat("expected ", what, ", not \"", rest.substr(0, rest.find_first_of("\r\n")),
                      "\""));
  }

  void Skip() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == ';') {
        line_ += c == '\n';
        ++at_;
      } else {
        return;
      }
    }
  }
  bool AtEnd() {
    Skip();
    return at_ == text_.size();
  }
  char Peek() {
    Skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool Take(char c) {
    if (Peek() != c || at_ == text_.size()) return false;
    ++at_;
    return true;
  }
  void Need(char c) {
    if (!Take(c)) Expected(absl::StrCat("'", absl::string_view(&c, 1), "'"), "");
  }
  // Returns the next word, or an empty string if something else follows.
  std::string Word() {
    Skip();
    const size_t begin = at_;
    while (at_ < text_.size() && IsWordByte(text_[at_])) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }
  std::string NeedWord(absl::string_view what) {
    std::string word = Word();
    if (word.empty()) Expected(what, "");
    return word;
  }
  bool Deeper(int depth) {
    if (depth > limits_.depth) Fail(absl::StrCat("nested deeper than ", limits_.depth, " levels"));
    return status_.ok();
  }

  // Returns the text up to `close` and skips both.
  absl::string_view Until(absl::string_view close, absl::string_view what) {
    const size_t begin = at_;
    const size_t end = text_.find(close, at_);
    if (end == absl::string_view::npos) {
      Fail(absl::StrCat(what, " has no end"));
      return "";
    }
    for (size_t i = begin; i < end; ++i) line_ += text_[i] == '\n';
    at_ = end + close.size();
    return text_.substr(begin, end - begin);
  }

  std::string Text() {
    const char quote = Peek();
    if (quote != '"' && quote != '\'') {
      Expected("a text in quotes", "");
      return "";
    }
    const std::string three(3, quote);
    const bool long_form = absl::StartsWith(text_.substr(at_), three);
    const absl::string_view close = absl::string_view(three).substr(0, long_form ? 3 : 1);
    at_ += close.size();
    std::string out;
    while (at_ < text_.size() && !absl::StartsWith(text_.substr(at_), close)) {
      char c = text_[at_++];
      if (c == '\n' && !long_form) {
        Fail("a text has no end on its line");
        return "";
      }
      line_ += c == '\n';
      if (c == '\\' && at_ < text_.size()) c = Escaped();
      out += c;
    }
    if (at_ >= text_.size()) Fail("a text has no end");
    at_ = std::min(at_ + close.size(), text_.size());
    return out;
  }
  char Escaped() {
    const char c = text_[at_++];
    line_ += c == '\n';
    if (c == 'n') return '\n';
    if (c == 't') return '\t';
    if (c == 'r') return '\r';
    if (c != 'x') return c;
    int code = 0;
    const char* const begin = text_.data() + at_;
    const char* const end = begin + std::min<size_t>(2, text_.size() - at_);
    const auto [next, error] = std::from_chars(begin, end, code, 16);
    if (error != std::errc() || code < 0)
      Fail("expected hexadecimal digits after \\x");
    else
      at_ += static_cast<size_t>(next - begin);
    return static_cast<char>(code);
  }

  double Number() {
    Skip();
    const size_t begin = at_;
    while (
        at_ < text_.size() &&
        (IsWordByte(text_[at_]) || text_[at_] == '.' || text_[at_] == '+' || text_[at_] == '-') &&
        text_[at_] != ':')
      ++at_;
    const absl::string_view word = text_.substr(begin, at_ - begin);
    if (word == "true") return 1;
    if (word == "false") return 0;
    if (word == "inf") return std::numeric_limits<double>::infinity();
    if (word == "-inf") return -std::numeric_limits<double>::infinity();
    if (word == "nan") return std::numeric_limits<double>::quiet_NaN();
    double out = 0;
    const auto [next, error] = std::from_chars(word.data(), word.data() + word.size(), out);
    const bool whole = word.find_first_of(".eE") == absl::string_view::npos;
    if (error != std::errc() || next != word.data() + word.size() || !std::isfinite(out))
      Expected("a number", word);
    else if (whole && std::abs(out) >= kExactWhole)
      Fail(absl::StrCat(word, " is not below 2^53, up to which numbers are exact"));
    return out;
  }

  // Reads one number or one tuple, which must have the shape of those before.
  void Element(Value& out) {
    int rows = 0;
    int columns = 0;
    if (Take('(')) {
      do {
        if (++rows > 4) return Fail("a tuple has more than 4 members");
        if (Take('(')) {
          int here = 0;
          do {
            if (++here > 4) return Fail("a tuple has more than 4 members");
            out.numbers.push_back(Number());
          } while (Take(','));
          Need(')');
          if (rows > 1 && here != columns) return Fail("the rows of a matrix differ in length");
          columns = here;
        } else {
          if (columns != 0) return Fail("a tuple has both numbers and tuples");
          out.numbers.push_back(Number());
        }
      } while (Take(','));
      Need(')');
    } else {
      out.numbers.push_back(Number());
    }
    const bool first =
        out.numbers.size() <= static_cast<size_t>(std::max(rows, 1) * std::max(columns, 1));
    if (!first && (rows != out.rows || columns != out.columns))
      return Fail("the elements of an array differ in shape");
    out.rows = rows;
    out.columns = columns;
  }

  Reference ReadReference(int depth) {
    Reference out;
    if (Take('@')) {
      out.has_asset = true;
      if (absl::StartsWith(text_.substr(at_), "@@")) {
        at_ += 2;
        out.asset = std::string(Until("@@@", "an asset's path"));
      } else {
        out.asset = std::string(Until("@", "an asset's path"));
      }
    }
    if (Peek() == '<') {
      ++at_;
      out.has_path = true;
      out.path = std::string(Until(">", "a path"));
    }
    if (Take('(')) out.options = Entries(')', depth + 1);
    return out;
  }

  void Item(Value& out, int depth) {
    const char c = Peek();
    const Value::Kind kind = c == '"' || c == '\''  ? Value::Kind::kTexts
                             : c == '@' || c == '<' ? Value::Kind::kReferences
                                                    : Value::Kind::kNumbers;
    if (out.kind != Value::Kind::kNone && out.kind != kind)
      return Fail("the elements of an array differ in kind");
    out.kind = kind;
    if (kind == Value::Kind::kTexts)
      out.texts.push_back(Text());
    else if (kind == Value::Kind::kReferences)
      out.references.push_back(ReadReference(depth));
    else
      Element(out);
  }

  Value ReadValue(int depth) {
    Value out;
    if (!Deeper(depth)) return out;
    if (Take('[')) {
      out.array = true;
      while (status_.ok() && !Take(']')) {
        Item(out, depth);
        if (!Take(',')) {
          Need(']');
          break;
        }
      }
      if (out.kind == Value::Kind::kNone) out.kind = Value::Kind::kNumbers;
      return out;
    }
    if (Take('{')) {
      out.kind = Value::Kind::kDictionary;
      out.dictionary = Entries('}', depth + 1);
      return out;
    }
    if (absl::ascii_isalpha(static_cast<unsigned char>(Peek()))) {
      const std::pair<size_t, int> back = {at_, line_};
      std::string word = Word();
      if (word == "None") return out;
      if (word != "true" && word != "false" && word != "inf" && word != "nan") {
        out.kind = Value::Kind::kWord;
        out.texts.push_back(std::move(word));
        return out;
      }
      std::tie(at_, line_) = back;
    }
    Item(out, depth);
    return out;
  }

  void TakeBrackets(std::string& type) {
    if (!Take('[')) return;
    Need(']');
    type += "[]";
  }

  std::vector<Entry> Entries(char close, int depth) {
    std::vector<Entry> out;
    if (!Deeper(depth)) return out;
    while (status_.ok() && !Take(close)) {
      Take(',');
      Entry& entry = out.emplace_back();
      if (close == ')' && (Peek() == '"' || Peek() == '\'')) {
        entry.value.kind = Value::Kind::kTexts;
        entry.value.texts.push_back(Text());
        continue;
      }
      entry.name = NeedWord("a name");
      if (close == ')' && IsEdit(entry.name)) {
        entry.edit = std::move(entry.name);
        entry.name = NeedWord("a name");
      } else if (close == '}') {
        entry.type = std::move(entry.name);
        TakeBrackets(entry.type);
        entry.name = Peek() == '"' || Peek() == '\'' ? Text() : NeedWord("a name");
      }
      Need('=');
      entry.value = ReadValue(depth + 1);
    }
    return out;
  }

  void CheckArray(const Property& property, const Value& value) {
    if (property.type == "rel" || property.type.empty() || value.kind == Value::Kind::kNone) return;
    if (value.array == absl::EndsWith(property.type, "[]")) return;
    Fail(absl::StrCat(property.type, " ", property.name, " has ",
                      value.array ? "an array, not one value" : "one value, not an array"));
  }

  void ReadSamples(Property& property) {
    Need('{');
    while (status_.ok() && !Take('}')) {
      TimeSample sample;
      sample.time_code = Number();
      Need(':');
      sample.value = ReadValue(1);
      CheckArray(property, sample.value);
      if (!std::isfinite(sample.time_code)) Fail("a time code is not finite");
      if (!property.samples.empty() && sample.time_code <= property.samples.back().time_code)
        Fail(absl::StrCat("the time codes of ", property.name, " do not ascend"));
      property.samples.push_back(std::move(sample));
      if (!Take(',')) {
        Need('}');
        break;
      }
    }
  }

  void ReadProperty(std::string word, Prim& prim) {
    Property out;
    out.line = line_;
    if (IsEdit(word)) {
      out.edit = std::move(word);
      word = NeedWord("a type");
    }
    if (word == "custom") {
      out.custom = true;
      word = NeedWord("a type");
    }
    if (word == "uniform" || word == "varying" || word == "config") {
      out.variability = std::move(word);
      word = NeedWord("a type");
    }
    if (out.edit == "reorder" && Peek() == '=') {
      out.name = std::move(word);
    } else {
      out.type = std::move(word);
      TakeBrackets(out.type);
      out.name = NeedWord("a property's name");
    }
    if (Take('.')) {
      const std::string part = NeedWord("timeSamples or connect");
      if (part == "timeSamples")
        out.part = Property::Part::kTimeSamples;
      else if (part == "connect")
        out.part = Property::Part::kConnection;
      else
        Fail(absl::StrCat("expected timeSamples or connect after the dot, not ", part));
    }
    if (out.part == Property::Part::kTimeSamples) {
      Need('=');
      ReadSamples(out);
    } else if (Take('=')) {
      out.value = ReadValue(1);
      if (out.part == Property::Part::kDeclared) {
        out.part = Property::Part::kDefault;
        CheckArray(out, out.value);
      }
    } else if (out.part == Property::Part::kConnection) {
      Need('=');
    }
    if (Take('(')) out.metadata = Entries(')', 1);
    prim.properties.push_back(std::move(out));
  }

  void ReadPrim(std::string specifier, int depth, std::vector<Prim>& siblings) {
    if (!Deeper(depth)) return;
    Prim prim;
    prim.line = line_;
    prim.specifier = std::move(specifier);
    prim.type = Word();
    prim.name = Text();
    if (prim.name.empty() || prim.name.find('/') != std::string::npos)
      Fail(absl::StrCat("a prim cannot have the name \"", prim.name, "\""));
    if (prim.name.size() > kMostNameBytes)
      Fail(absl::StrCat("a prim's name has ", prim.name.size(), " bytes, over ", kMostNameBytes));
    ReadBody(depth, prim);
    if (status_.ok()) siblings.push_back(std::move(prim));
  }

  // Reads the metadata and the statements of a prim or of a variant.
  void ReadBody(int depth, Prim& prim) {
    if (Take('(')) prim.metadata = Entries(')', 1);
    Need('{');
    while (status_.ok() && !Take('}')) {
      std::string word = NeedWord("a statement or '}'");
      if (!status_.ok()) return;
      if (IsSpecifier(word))
        ReadPrim(std::move(word), depth + 1, prim.children);
      else if (word == "variantSet")
        ReadVariantSet(depth + 1, prim);
      else
        ReadProperty(std::move(word), prim);
    }
  }

  void ReadVariantSet(int depth, Prim& prim) {
    if (!Deeper(depth)) return;
    VariantSet set;
    set.name = Text();
    Need('=');
    Need('{');
    while (status_.ok() && !Take('}')) {
      Prim& variant = set.variants.emplace_back();
      variant.line = line_;
      variant.specifier = "over";
      variant.name = Text();
      ReadBody(depth + 1, variant);
    }
    if (prim.variant_sets.size() == kMostVariantSets) {
      Fail(absl::StrCat("a prim has over ", kMostVariantSets, " variant sets"));
    }
    if (status_.ok()) prim.variant_sets.push_back(std::move(set));
  }

  absl::string_view text_;
  ReadLimits limits_;
  size_t at_ = 0;
  int line_ = 1;
  absl::Status status_;
};

}  // namespace

absl::StatusOr<Layer> ReadLayer(absl::string_view text, const ReadLimits& limits) {
  if (text.size() > limits.bytes)
    return absl::ResourceExhaustedError(
        absl::StrCat("the file has ", text.size(), " bytes, over the limit of ", limits.bytes));
  return Parser(text, limits).Read();
}

}  // namespace posewire::usd
