// Writes a pull as a clip with a WAV beside it; to disk, safe against a crash at any moment.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_RECORDER_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_RECORDER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "libs/clipio/clip_writer.h"
#include "libs/files/byte_sink.h"
#include "libs/recording/wav_file.h"
#include "libs/timecode/audio_position.h"
#include "libs/wire/chunk.h"
#include "libs/wire/message.h"
#include "services/renderer_sink/core/take_files.h"
#include "services/renderer_sink/core/time_code_shifter.h"

namespace posewire::renderer_sink {

struct RecorderOptions {
  std::string path;  // .animdata, or .jsonl; "-": standard output
  // The first number to try: see TakePath.
  int take = 1;
  // Replaces a file that is there. Otherwise the next free number is taken, so that no take is ever
  // lost; two processes never get the same one (TakeFiles). Each file that is replaced stays until
  // there is something to write in its place: of a format that is written at its end, a clip that
  // the format can hold; of the WAV, a sample or a clip.
  bool overwrite = false;
  // Of a stage: as three files, as usd::WriteSplitUsda has it.
  bool split_usd = false;
  // Keys that a clip of a format that is written at its end may hold until then.
  size_t most_held_bytes = 256 << 20;
};

// Codes are written from 0 (see TimeCodeShifter); messages are otherwise written as they came, byte
// for byte, with fields that this build does not know. Over a reconnection the codes go on, and the
// WAV gets silence for the hole. Keys and samples that are there already are left out, track by
// track. Messages that break the rules are written as they came, where the format is written
// message by message and can hold them.
//
// Errors: those of clipio::ClipWriter and recording::WavFile, and the system's when no file can be
// made. After a write that failed both files are whole up to it. Times are seconds of a clock that
// does not step. One thread.
class Recorder {
 public:
  // The files of the take are made at once, and those into which nothing came removed by Close.
  static absl::StatusOr<std::unique_ptr<Recorder>> Create(const RecorderOptions& options);
  // The same into sinks. That of the WAV is asked for with the first sample; or, if a header has
  // audio and no sample comes, by Close.
  using OpenSink = std::function<absl::StatusOr<std::unique_ptr<files::ByteSink>>()>;
  static absl::StatusOr<std::unique_ptr<Recorder>> Create(std::unique_ptr<files::ByteSink> clip,
                                                          OpenSink open_wav,
                                                          const RecorderOptions& options);

  // A connection's header. FAILED_PRECONDITION when it differs from the first in names or audio:
  // what follows belongs into another file.
  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes);
  // FAILED_PRECONDITION when the take is full: it is written at its end and holds as much as it
  // may, or its WAV would pass 4 GiB. The message belongs into another file.
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s);
  absl::Status OnStatus(const wire::MessageBytes& bytes);
  // Left out where the format cannot hold it: .jsonl holds protobuf alone, and what is written at
  // the end no message that breaks the rules.
  absl::Status OnFaulty(const wire::MessageBytes& bytes);
  // Syncs when it is time.
  absl::Status Tick(double now_s);
  // A file that was made and into which nothing came is removed again. INVALID_ARGUMENT for a clip
  // that its format cannot hold; its keys are in an .animdata file then, which the error names.
  absl::Status Close();

  // After Close: the clip, and the WAV, if they were written.
  std::vector<std::string> Written() const;
  // After Close: nothing of the take is left, not even rescued keys, and its number is free.
  bool empty() const { return Written().empty() && !(files_ && files_->rescued()); }
  // Where it went, and under which number.
  const std::string& path() const { return options_.path; }
  int take() const { return options_.take; }
  // Messages of which keys or samples were there already, or that the format cannot hold.
  int64_t left_out() const { return left_out_; }

 private:
  Recorder(RecorderOptions options, std::unique_ptr<clipio::ClipWriter> writer, OpenSink open_wav)
      : options_(std::move(options)), writer_(std::move(writer)), open_wav_(std::move(open_wav)) {}
  absl::Status Write(absl::string_view bytes, bool faulty = false);
  // There is a WAV, or one can be opened.
  bool has_voice() const { return wav_ || (placer_ && open_wav_); }
  // Makes the WAV unless it is there. Only if has_voice().
  absl::Status OpenWav();
  // And what waits for it.
  absl::Status WriteHeader();
  // Writes to `edited_` what is not there yet of a message, its codes moved to their place. Whether
  // anything was taken out.
  bool Edit(absl::string_view bytes, const TimeCodeShifter::Place& place,
            const std::optional<timecode::AudioPlacer::Placement>& placed);
  absl::Status AppendAudio(const std::vector<int16_t>& samples,
                           const timecode::AudioPlacer::Placement& placed);

  RecorderOptions options_;
  std::shared_ptr<TakeFiles> files_;  // none: standard output, or sinks of the caller's
  std::unique_ptr<clipio::ClipWriter> writer_;
  OpenSink open_wav_;  // none: the WAV is opened, or the voice is left out
  std::unique_ptr<recording::WavFile> wav_;
  std::optional<timecode::AudioPlacer> placer_;
  TimeCodeShifter shifter_;
  std::optional<wire::StreamHeader> header_;
  wire::MessageBytes header_bytes_;
  // The header waits for the first code, which says the Unix time of code 0, and so does what comes
  // before that: the newest 64 statuses, and messages that break the rules. Of these no more than
  // 64 wait: then the header is written with its own epoch.
  struct Early {
    wire::MessageBytes bytes;
    bool faulty = false;
  };
  bool header_written_ = false;
  std::vector<Early> early_;
  std::string edited_;                                                   // kept for its memory
  std::array<double, 8> last_key_s_ = {-1, -1, -1, -1, -1, -1, -1, -1};  // of each track
  double next_sync_s_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_RECORDER_H_
