#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/open_clip.h"
#include "libs/files/file.h"
#include "libs/recording/clip_reader.h"
#include "libs/recording/salvage.h"
#include "libs/wire/edit_codes.h"
#include "libs/wire/message.h"
#include "tools/animclip/clip_output.h"
#include "tools/animclip/commands.h"

namespace posewire::animclip {
namespace {

struct Lost {
  int64_t start = 0, end = 0;  // bytes
  double after_s = 0;          // newest time code before them
  std::string why;             // empty: the bytes are damaged
};

// Writes the messages that are complete and obey the rules of a stream.
class Keeper {
 public:
  Keeper(const std::string& out, std::shared_ptr<PartFiles> parts, ProgressBar& progress)
      : out_(out), parts_(std::move(parts)), progress_(progress) {}

  // Returns errors of writing only.
  absl::Status Take(absl::string_view bytes, int64_t start, int64_t end) {
    progress_.At(end);
    const absl::StatusOr<wire::Chunk> chunk = Check(bytes);
    if (!chunk.ok()) {
      Lose(start, end, chunk.status().message());
      return absl::OkStatus();
    }
    // Creates the output with the first good message, so that nothing is created if there is none.
    if (!output_) {
      absl::StatusOr<ClipOutput> created = ClipOutput::Create(out_, parts_);
      if (!created.ok()) return created.status();
      output_ = *std::move(created);
    }
    // A lost message may hold the other byte of a sample.
    wire::Message whole;
    if (const auto* data = std::get_if<wire::DataChunk>(&*chunk);
        data != nullptr && data->cuts_sample) {
      whole = {std::make_shared<const std::string>(bytes), *chunk};
      wire::SetWholeSamples(&whole);
    }
    if (absl::Status s = output_->Write(whole.bytes ? *whole.bytes : bytes); !s.ok()) return s;
    ++messages_;
    if (const auto* data = std::get_if<wire::DataChunk>(&*chunk)) {
      const wire::ChunkTimes times = wire::TimesOf(*data, 0);
      if (!times.empty()) newest_s_ = times.latest_s;
      last_data_ = std::string(bytes);
    } else if (std::holds_alternative<wire::StreamHeader>(*chunk)) {
      header_ = std::string(bytes);
    }
    return absl::OkStatus();
  }

  void Lose(int64_t start, int64_t end, absl::string_view why) {
    if (!lost_.empty() && lost_.back().end == start) {
      lost_.back().end = end;
    } else {
      lost_.push_back({start, end, newest_s_, std::string(why)});
    }
  }

  absl::Status Finish() { return output_ ? output_->Finish() : absl::OkStatus(); }

  int64_t messages() const { return messages_; }
  const std::vector<Lost>& lost() const { return lost_; }

 private:
  // Checks a message as if the rejected messages had never been in the stream.
  absl::StatusOr<wire::Chunk> Check(absl::string_view bytes) {
    absl::StatusOr<wire::Chunk> chunk = Read(bytes);
    if (!chunk.ok()) {
      reader_ = wire::FrameReader(asset::FileLimits());
      for (const std::string* good : {&header_, &last_data_}) {
        if (!good->empty()) Read(*good).IgnoreError();
      }
    }
    return chunk;
  }

  absl::StatusOr<wire::Chunk> Read(absl::string_view bytes) {
    const absl::Span<const uint8_t> slices[] = {
        {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}};
    return reader_.Read(slices);
  }

  const std::string& out_;
  const std::shared_ptr<PartFiles> parts_;
  ProgressBar& progress_;
  wire::FrameReader reader_{asset::FileLimits()};
  std::string header_, last_data_;
  std::optional<ClipOutput> output_;
  int64_t messages_ = 0;
  double newest_s_ = 0;
  std::vector<Lost> lost_;
};

absl::Status RecoverAnimData(files::ByteSource& file, Keeper& keeper) {
  return recording::Salvage(
      file, {.take = [&](absl::string_view message, int64_t start,
                         int64_t end) { return keeper.Take(message, start, end); },
             .lose = [&](int64_t start, int64_t end) { keeper.Lose(start, end, ""); }});
}

// Text formats have no checksums, so the first error ends the clip.
absl::Status RecoverText(std::unique_ptr<files::ByteSource> file, clipio::Format format,
                         Keeper& keeper) {
  const int64_t size = file->Size();
  auto reader = clipio::OpenClip(std::move(file), {{}, format});
  if (!reader.ok()) return reader.status();
  while (true) {
    const int64_t start = (*reader)->end_of_last();
    const absl::StatusOr<wire::MessageBytes> bytes = (*reader)->NextBytes();
    if (!bytes.ok()) keeper.Lose(start, std::max(start, size), bytes.status().message());
    if (!bytes.ok() || *bytes == nullptr) return absl::OkStatus();
    if (absl::Status s = keeper.Take(**bytes, start, (*reader)->end_of_last()); !s.ok()) return s;
  }
}

absl::Status Recover(const RecoverOptions& options, std::unique_ptr<files::ByteSource> file,
                     Keeper& keeper) {
  const absl::StatusOr<clipio::Format> format = clipio::FormatOf(options.in);
  if (!format.ok()) return format.status();
  const absl::Status s = *format == clipio::Format::kAnimData
                             ? RecoverAnimData(*file, keeper)
                             : RecoverText(std::move(file), *format, keeper);
  return s.ok() ? keeper.Finish() : s;
}

void TellLosses(const std::vector<Lost>& lost, const Console& console) {
  constexpr size_t kMostTold = 20;
  for (size_t i = 0; i < std::min(lost.size(), kMostTold); ++i) {
    console.err.Print("animclip recover: lost bytes %d to %d, after %.3f s", lost[i].start,
                      lost[i].end, lost[i].after_s);
    if (!lost[i].why.empty()) console.err << ": " << lost[i].why;
    console.err << "\n";
  }
  if (lost.size() > kMostTold) {
    console.err.Print("animclip recover: and %d places more\n", lost.size() - kMostTold);
  }
}

}  // namespace

int RunRecover(const RecoverOptions& options, const Console& console) {
  constexpr const char* kHint = "Check both paths and the space on the disk.";
  auto file = files::File::Open(options.in, files::File::Mode::kRead);
  if (!file.ok()) return Fail(console, "recover", file.status(), kHint);
  ProgressBar progress(console, "recovering", (*file)->Size());
  Keeper keeper(options.out, console.parts, progress);
  if (absl::Status s = Recover(options, *std::move(file), keeper); !s.ok()) {
    return Fail(console, "recover", s, kHint);
  }
  if (keeper.messages() == 0) {
    const std::string why = keeper.lost().empty() ? "" : keeper.lost().front().why;
    return Fail(console, "recover",
                absl::DataLossError(absl::StrCat("\"", options.in, "\" has no whole message",
                                                 why.empty() ? "" : ": ", why)),
                "Nothing could be recovered; no file was written. Is it a clip file at all?");
  }
  Report(console, options.out).Print("%s: %d messages", options.out, keeper.messages());
  if (keeper.lost().empty()) {
    Report(console, options.out) << ", nothing lost\n";
    return kDone;
  }
  int64_t bytes = 0;
  for (const Lost& lost : keeper.lost()) bytes += lost.end - lost.start;
  Report(console, options.out)
      .Print(", %d bytes lost in %d %s\n", bytes, keeper.lost().size(),
             keeper.lost().size() == 1 ? "place" : "places");
  TellLosses(keeper.lost(), console);
  return kLoss;
}

}  // namespace posewire::animclip
