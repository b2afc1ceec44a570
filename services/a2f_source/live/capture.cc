#include "services/a2f_source/live/capture.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <optional>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "google/protobuf/struct.pb.h"
#include "google/protobuf/util/json_util.h"
#include "libs/files/open.h"
#include "libs/files/read.h"

namespace posewire::a2f_source {
namespace {

constexpr double kLongest_s = 86400;
constexpr uint64_t kMostCapture_bytes = uint64_t{1} << 30;
constexpr char kPerformerPort[] = "performer";

// Returns the end of the object that begins at `begin`, or npos if it is truncated.
size_t EndOfObject(absl::string_view text, size_t begin) {
  int depth = 0;
  bool in_string = false;
  for (size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

absl::StatusOr<CapturedDatagram> ParseObject(absl::string_view json) {
  google::protobuf::Struct object;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage({json.data(), json.size()}, &object);
  if (!parsed.ok()) return absl::InvalidArgumentError("it is no JSON object");
  const auto& fields = object.fields();
  const auto time = fields.find("time");
  const auto buffer = fields.find("buffer");
  if (time == fields.end() || !time->second.has_number_value()) {
    return absl::InvalidArgumentError("\"time\" is missing or no number");
  }
  CapturedDatagram out;
  out.time_s = time->second.number_value();
  if (!std::isfinite(out.time_s)) return absl::InvalidArgumentError("\"time\" is not finite");
  if (buffer == fields.end() || !buffer->second.has_string_value() ||
      !absl::Base64Unescape(buffer->second.string_value(), &out.bytes)) {
    return absl::InvalidArgumentError("\"buffer\" is missing or not base64");
  }
  const auto port = fields.find("port");
  if (port != fields.end() && port->second.string_value() == kPerformerPort) {
    out.port = VmcPort::kPerformer;
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CaptureWriter>> CaptureWriter::Create(const std::string& path) {
  absl::StatusOr<files::Descriptor> opened = files::OpenToWrite(path, files::Writing::kReplace);
  if (!opened.ok()) return opened.status();
  std::FILE* file = fdopen(opened->get(), "wb");
  if (file == nullptr) return files::Fault(path, "cannot write", errno);
  opened->Release();
  return std::unique_ptr<CaptureWriter>(new CaptureWriter(file, path));
}

CaptureWriter::~CaptureWriter() {
  if (file_ != nullptr) std::fclose(file_);
}

void CaptureWriter::Write(absl::string_view datagram, VmcPort port, double now_s) {
  if (written_ == 0) first_s_ = now_s;
  std::string base64;
  absl::Base64Escape(datagram, &base64);
  const char* which = port == VmcPort::kPerformer ? "\"port\": \"performer\", " : "";
  if (std::fprintf(file_, "{\"time\": %.6f, %s\"buffer\": \"%s\"}\n", now_s - first_s_, which,
                   base64.c_str()) < 0) {
    failed_ = true;
  }
  ++written_;
}

absl::Status CaptureWriter::Close() {
  if (file_ == nullptr) return absl::OkStatus();
  const bool closed = std::fclose(std::exchange(file_, nullptr)) == 0;
  if (closed && !failed_) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("cannot write all of ", path_));
}

absl::StatusOr<std::vector<CapturedDatagram>> ParseCapture(absl::string_view text) {
  std::vector<CapturedDatagram> datagrams;
  size_t at = 0;
  int64_t line = 1;
  while (at < text.size()) {
    const char c = text[at];
    if (c == '\n') ++line;
    if (c == '\n' || c == '\r' || c == ' ' || c == '\t' || c == ',' || c == '[' || c == ']') {
      ++at;
      continue;
    }
    if (c != '{') {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line, ": an object {\"time\", \"buffer\"} is expected"));
    }
    const size_t end = EndOfObject(text, at);
    if (end == absl::string_view::npos) break;
    auto datagram = ParseObject(text.substr(at, end - at));
    if (!datagram.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("line ", line, ": ", datagram.status().message()));
    }
    line += std::count(text.begin() + static_cast<std::ptrdiff_t>(at),
                       text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    datagrams.push_back(*std::move(datagram));
    at = end;
  }
  std::stable_sort(datagrams.begin(), datagrams.end(),
                   [](const auto& a, const auto& b) { return a.time_s < b.time_s; });
  const double first_s = datagrams.empty() ? 0 : datagrams.front().time_s;
  for (CapturedDatagram& d : datagrams) d.time_s -= first_s;
  if (!datagrams.empty() && datagrams.back().time_s > kLongest_s) {
    return absl::InvalidArgumentError(absl::StrCat("\"time\" reaches over ",
                                                   datagrams.back().time_s, " s; at most a day, ",
                                                   kLongest_s, " s, is replayed"));
  }
  return datagrams;
}

absl::StatusOr<std::vector<CapturedDatagram>> ReadCapture(const std::string& path) {
  const auto text = files::ReadWhole(path, kMostCapture_bytes);
  if (!text.ok()) return text.status();
  auto datagrams = ParseCapture(*text);
  if (!datagrams.ok()) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": ", datagrams.status().message()));
  }
  return datagrams;
}

}  // namespace posewire::a2f_source
