#include "services/a2f_source/core/play_source.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "libs/clipio/clip_format.h"
#include "libs/clipio/load_clip.h"
#include "libs/clipio/open_clip.h"
#include "libs/wire/contributions.h"
#include "libs/wire/edit_codes.h"
#include "services/a2f_source/core/split_message.h"

namespace posewire::a2f_source {
namespace {

constexpr size_t kMostIdentity_bytes = 512;  // a file's name has at most 255

absl::StatusOr<std::unique_ptr<recording::ClipReader>> OpenAt(const std::string& path,
                                                              const PlayOptions& options,
                                                              clipio::Format* format = nullptr) {
  clipio::OpenOptions read;
  read.prim = options.prim;
  read.outside_skel_root = options.outside_skel_root;
  read.character = options.character;
  read.fps = options.fps;
  read.may_be_pipe = !options.loop;
  read.stopped = options.stopped;
  auto reader = clipio::OpenClip(path, read, format);
  if (!reader.ok()) return reader;
  if (options.rig != nullptr) {
    *reader = retarget::Retarget(*std::move(reader), options.rig, options.rigs, options.retarget);
  }
  if (options.from_s <= 0) return reader;
  if (absl::Status s = (*reader)->Narrow(options.from_s, std::numeric_limits<double>::infinity());
      !s.ok()) {
    return s;
  }
  return reader;
}

bool IsRead(const std::string& path, int64_t size) { return size > 0 && path != "-"; }

// Text takes longer to read.
bool IsSmall(int64_t size, clipio::Format format, const PlayOptions& options) {
  constexpr int64_t kFasterThanText = 16;
  switch (format) {
    case clipio::Format::kJsonl:
    case clipio::Format::kBvh:
    case clipio::Format::kFaceCsv:
      return size <= options.checked_bytes;
    default:
      return size / kFasterThanText <= options.checked_bytes;
  }
}

// Returns true if the file is read to its end first: if its messages are read one by one and it is
// small enough. Never for a pipe or standard input, which can be read only once.
bool IsCheckedFirst(const std::string& path, int64_t size, clipio::Format format,
                    const PlayOptions& options) {
  switch (format) {
    case clipio::Format::kAnimData:
    case clipio::Format::kJsonl:
    case clipio::Format::kBvh:
    case clipio::Format::kFaceCsv:
      return IsRead(path, size) && IsSmall(size, format, options);
    default:
      return false;
  }
}

absl::Status ReadToTheEnd(recording::ClipReader& reader, const PlayOptions& options) {
  while (true) {
    if (options.stopped()) return absl::CancelledError("told to stop");
    const auto message = reader.Next();
    if (!message.ok()) return message.status();
    if (!*message) return absl::OkStatus();
  }
}

// Returns nothing if the clip cannot be identified; `why` then says what is of use to know.
absl::StatusOr<std::optional<ClipIdentity>> Identify(const std::string& path, int64_t size,
                                                     clipio::Format format,
                                                     const PlayOptions& options, std::string& why) {
  if (!options.identify || options.rig == nullptr || !IsRead(path, size)) return std::nullopt;
  if (!IsSmall(size, format, options)) {
    why = absl::StrCat(size, " bytes are too many to be read twice");
    return std::nullopt;
  }
  PlayOptions whole = options;
  whole.from_s = 0;
  auto reader = OpenAt(path, whole);
  if (!reader.ok()) return reader.status();
  ClipIdentity out;
  clipio::LoadOptions load;
  if (options.fps) load.rate = *options.fps;
  load.stopped = options.stopped;
  load.first_s = &out.first_s;
  const auto clip = clipio::LoadClip(*std::move(reader), options.rig, options.rigs, load);
  if (absl::IsCancelled(clip.status())) return clip.status();
  // Other faults are reported when it is played. A voice without a pose has no identity.
  if (absl::IsResourceExhausted(clip.status())) why = std::string(clip.status().message());
  if (!clip.ok()) return std::nullopt;
  out.name = (*clip)->name();
  out.hash = (*clip)->content_hash();
  return out;
}

// Recordings keep what a server sent, even if it breaks the protocol.
absl::Status WithNextStep(clipio::Format format, const absl::Status& fault) {
  const bool is_stream = format == clipio::Format::kAnimData || format == clipio::Format::kJsonl;
  if (!is_stream || absl::IsCancelled(fault)) return fault;
  return absl::Status(fault.code(), absl::StrCat(fault.message(),
                                                 "; nothing was sent. animclip "
                                                 "recover IN OUT leaves out what cannot be read"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<PlaySource>> PlaySource::Open(const std::string& path,
                                                             const PlayOptions& options) {
  if (options.loop && path == "-") {
    return absl::InvalidArgumentError("standard input cannot be played in a loop");
  }
  clipio::Format format = {};
  auto reader = OpenAt(path, options, &format);
  if (!reader.ok()) return reader.status();
  std::vector<std::string> warnings;
  if (IsCheckedFirst(path, (*reader)->size(), format, options)) {
    if (absl::Status s = ReadToTheEnd(**reader, options); !s.ok()) {
      return WithNextStep(format, s);
    }
    warnings = (*reader)->warnings();
    reader = OpenAt(path, options);
    if (!reader.ok()) return reader.status();
  }
  std::string why;
  auto identity = Identify(path, (*reader)->size(), format, options, why);
  if (!identity.ok()) return identity.status();
  if (!why.empty()) {
    warnings.push_back(absl::StrCat(path, ": it is drawn without offsets: ", why));
  }
  return std::unique_ptr<PlaySource>(
      new PlaySource(path, options, *std::move(reader), std::move(warnings), *std::move(identity)));
}

std::vector<std::string> PlaySource::notes() const {
  std::vector<std::string> all = warnings_;
  for (std::string& more : reader_->warnings()) {
    if (std::find(all.begin(), all.end(), more) == all.end()) all.push_back(std::move(more));
  }
  return all;
}

absl::StatusOr<wire::StreamHeader> PlaySource::Header() {
  auto first = reader_->Next();
  if (!first.ok()) return first.status();
  if (!*first) return absl::FailedPreconditionError(absl::StrCat(path_, " holds no message"));
  // The reader accepts nothing else as the first message.
  auto header = std::get<wire::StreamHeader>((*std::move(first))->chunk);
  audio_rate_hz_ = header.audio_rate_hz.value_or(0);
  if (passes_ == 1) period_ = LoopPeriod(audio_rate_hz_);
  if (options_.from_s > 0) skip_.emplace(options_.from_s, audio_rate_hz_);
  return header;
}

absl::StatusOr<std::optional<wire::Message>> PlaySource::Read() {
  while (true) {
    if (options_.stopped()) return absl::CancelledError("told to stop");
    auto message = reader_->Next();
    if (!message.ok()) return message;
    if (!*message) {
      if (!skip_ || skip_->began()) return message;
      return absl::OutOfRangeError(
          absl::StrCat(path_, " holds nothing at or after ", options_.from_s, " s"));
    }
    if (options_.loop && (*message)->status()) continue;
    if (!skip_ || skip_->Cut(**message)) return message;
  }
}

absl::Status PlaySource::StartOver() {
  if (Period_s() <= 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(path_, " holds no time codes, and cannot be played in a loop"));
  }
  auto reader = OpenAt(path_, options_);
  if (!reader.ok()) return reader.status();
  reader_ = *std::move(reader);
  ++passes_;
  return Header().status();
}

absl::StatusOr<std::optional<wire::Message>> PlaySource::Next() {
  if (parts_.empty()) {
    auto read = Read();
    if (read.ok() && !*read && options_.loop) {
      if (absl::Status s = StartOver(); !s.ok()) return s;
      read = Read();
    }
    if (!read.ok() || !*read || (*read)->data() == nullptr) return read;
    wire::Message message = **std::move(read);
    if (options_.loop && passes_ == 1) period_.Observe(*message.data());
    if (passes_ > 1) {
      message = wire::ShiftCodes(std::move(message), (passes_ - 1) * Period_s());
    }
    // Room for the entry that says which clip it is.
    const size_t most = options_.message_bytes - (identity_ ? kMostIdentity_bytes : 0);
    if (message.bytes->size() <= most) return WithIdentity(std::move(message));
    auto parts = SplitMessage(std::move(message), audio_rate_hz_, most);
    if (!parts.ok()) {
      return absl::InvalidArgumentError(absl::StrCat(path_, ": message ", reader_->messages() - 1,
                                                     ": ", parts.status().message()));
    }
    parts_.assign(std::make_move_iterator(parts->begin()), std::make_move_iterator(parts->end()));
  }
  wire::Message part = std::move(parts_.front());
  parts_.pop_front();
  return WithIdentity(std::move(part));
}

wire::Message PlaySource::WithIdentity(wire::Message message) {
  const wire::DataChunk& data = *message.data();
  // A take knows better, for all of its frames.
  if (wire::FindMetadata(data, wire::kContributionsKey) != nullptr) identity_.reset();
  if (!identity_ || !wire::HasPose(data)) return message;
  const double begins_s = (passes_ - 1) * Period_s() - options_.from_s + identity_->first_s;
  wire::Contribution clip;
  clip.clip = identity_->name;
  clip.clip_hash = identity_->hash;
  clip.time_s = wire::TimesOf(data, 0).earliest_s - begins_s;
  clip.weight = 1;
  wire::AddMetadata(&message, wire::ToMetadata({.contributions = {std::move(clip)}}));
  return message;
}

}  // namespace posewire::a2f_source
