#include "libs/prototext/read_text.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "libs/names/known_names.h"

namespace posewire::prototext {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;
using google::protobuf::TextFormat;

constexpr int kMostReads = 20;

// The fields that a message may hold.
std::vector<std::string> FieldsOf(const std::string& type) {
  const auto* pool = google::protobuf::DescriptorPool::generated_pool();
  std::vector<std::string> names;
  const Descriptor* message = pool->FindMessageTypeByName(type);
  for (int i = 0; message != nullptr && i < message->field_count(); ++i) {
    names.push_back(message->field(i)->name());
  }
  return names;
}

// The reader's words, with what would be right where they are: Message type "T" has no field named
// "F".
std::string Explained(const std::string& message) {
  const std::vector<std::string> parts = absl::StrSplit(message, '"');
  if (parts.size() == 5 && parts[2] == " has no field named ") {
    return absl::StrCat("there is no field \"", parts[3], "\" here",
                        KnownNames(parts[3], FieldsOf(parts[1])));
  }
  return message;
}

// By line and column, counted from 1.
using Found = std::map<std::pair<int, int>, std::string>;

class Collector : public google::protobuf::io::ErrorCollector {
 public:
  explicit Collector(Found* found) : found_(*found) {}
  void AddError(int line, int column, const std::string& message) override {
    last_line_ = line;
    found_.emplace(std::pair(line + 1, column + 1), Explained(message));
  }
  // Of names that it passed over.
  void AddWarning(int line, int column, const std::string& message) override {
    found_.emplace(std::pair(line + 1, column + 1), Explained(message));
  }
  // From 0; below 0: there was no error, or it has no line.
  int last_line() const { return last_line_; }

 private:
  Found& found_;
  int last_line_ = -1;
};

// Blanks the line if all that it opens it closes.
bool Blank(int line, std::string* text) {
  std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  if (line < 0 || line >= static_cast<int>(lines.size())) return false;
  std::string& bad = lines[static_cast<size_t>(line)];
  const auto count = [&](char c) { return std::count(bad.begin(), bad.end(), c); };
  const bool whole = count('{') == count('}') && count('[') == count(']') &&
                     count('<') == count('>') && count('"') % 2 == 0;
  if (!whole || bad.empty()) return false;
  bad.clear();
  *text = absl::StrJoin(lines, "\n");
  return true;
}

}  // namespace

absl::Status ReadText(absl::string_view text, const std::string& file, Message* out,
                      TextFormat::ParseInfoTree* tree) {
  Found found;
  std::string left(text);
  for (int i = 0; i < kMostReads; ++i) {
    Collector collector(&found);
    TextFormat::ParseInfoTree places;
    TextFormat::Parser parser;
    parser.RecordErrorsTo(&collector);
    // Of one that is read again, nobody asks where it stands.
    parser.WriteLocationsTo(i == 0 ? tree : &places);
    parser.SetRecursionLimit(100);
    parser.AllowUnknownField(true);
    if (parser.ParseFromString(left, out)) break;
    if (!Blank(collector.last_line(), &left)) break;
  }
  if (found.empty()) return absl::OkStatus();
  std::vector<std::string> lines;
  for (const auto& [at, message] : found) {
    if (lines.size() == kMostErrors) break;
    lines.push_back(
        absl::StrCat(file, file.empty() ? "" : ":", at.first, ":", at.second, ": ", message));
  }
  return absl::InvalidArgumentError(absl::StrJoin(lines, "\n"));
}

}  // namespace posewire::prototext
