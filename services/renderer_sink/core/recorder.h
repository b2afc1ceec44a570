// Records a pull as a clip with a WAV next to it, safe against a crash at any moment.
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
#include "absl/strings/string_view.h"
#include "libs/asset/scene.h"
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
  // First number to try: see TakePath.
  int take = 1;
  // Replaces existing files. Otherwise the next free number is used, so that no take is ever lost;
  // two processes never get the same one (TakeFiles). A replaced file stays until there is
  // something to write in its place: a clip that the format can represent, if it is written at its
  // end; a sample or a clip, for the WAV.
  bool overwrite = false;
  // Write a USD stage as three files, as usd::WriteSplitUsda does.
  bool split_usd = false;
  // Maximum size of the keys that are kept for a format that is written at its end.
  size_t most_held_bytes = 256 << 20;
  // Set: the recording is of several avatars, of which this is the first, and where it is
  // (recording::AvatarMessage). The file is an .animdata.
  std::optional<asset::GroundPlace> place = std::nullopt;
};

// Writes time codes from 0 (see TimeCodeShifter). Otherwise messages are written as received, byte
// for byte, including fields that this build does not know. Time codes continue over a
// reconnection, and the WAV gets silence for the gap. Keys and samples that were already written
// are dropped, track by track. Messages that violate the protocol are written as received if the
// format is written message by message and can represent them. The WAV has the voice of the first
// of several avatars.
//
// Errors: those of clipio::ClipWriter and recording::WavFile, and the system's if a file cannot be
// created. After a failed write, both files are intact up to it. Times are seconds of a steady
// clock. One thread.
class Recorder {
 public:
  // Creates the files of the take at once. Close removes those that stayed empty.
  static absl::StatusOr<std::unique_ptr<Recorder>> Create(const RecorderOptions& options);
  // The same for sinks. The WAV's sink is opened with the first sample; or, if a header has audio
  // and no sample arrives, by Close.
  using OpenSink = std::function<absl::StatusOr<std::unique_ptr<files::ByteSink>>()>;
  static absl::StatusOr<std::unique_ptr<Recorder>> Create(std::unique_ptr<files::ByteSink> clip,
                                                          OpenSink open_wav,
                                                          const RecorderOptions& options);

  // Returns what records another avatar into the same file, on the same time line, without a WAV.
  // Call once this has a frame, and the first time with number 1, the next with 2. This closes the
  // file, after the other was closed.
  std::unique_ptr<Recorder> NextTo(int number, const asset::GroundPlace& place) const;
  // The avatar is elsewhere from now on.
  absl::Status PlaceAt(const asset::GroundPlace& place);

  // Begins a connection. FAILED_PRECONDITION if its names or audio differ from the first header's:
  // what follows belongs in another file.
  absl::Status OnHeader(const wire::StreamHeader& header, const wire::MessageBytes& bytes);
  // FAILED_PRECONDITION if the take is full: it is written at its end and its keys have reached the
  // limit, or its WAV would exceed 4 GiB. The message belongs in another file.
  absl::Status OnData(const wire::DataChunk& data, const wire::MessageBytes& bytes,
                      double receive_s);
  absl::Status OnStatus(const wire::MessageBytes& bytes);
  // Dropped if the format cannot represent it: .jsonl only has valid protobuf, and formats written
  // at the end only valid messages.
  absl::Status OnFaulty(const wire::MessageBytes& bytes);
  // Syncs when it is due.
  absl::Status Tick(double now_s);
  // Closes the files and removes those that stayed empty. INVALID_ARGUMENT for a clip that its
  // format cannot represent; its keys are then in an .animdata file, which the error names.
  absl::Status Close();

  // After Close: the clip and the WAV, if they were written.
  std::vector<std::string> Written() const;
  // After Close: nothing of the take is left, not even rescued keys, and its number is free again.
  bool empty() const { return Written().empty() && !(files_ && files_->rescued()); }
  // The path and number of the take.
  const std::string& path() const { return options_.path; }
  int take() const { return options_.take; }
  // Whether there is a frame.
  bool began() const { return shifter_.origin_epoch_s().has_value(); }
  // Messages whose keys or samples were already written, or that the format cannot represent.
  int64_t left_out() const { return left_out_; }

 private:
  Recorder(RecorderOptions options, std::shared_ptr<clipio::ClipWriter> writer, OpenSink open_wav)
      : options_(std::move(options)), writer_(std::move(writer)), open_wav_(std::move(open_wav)) {}
  absl::Status Write(absl::string_view bytes, bool faulty = false);
  absl::Status WriteBytes(absl::string_view bytes);
  absl::Status WritePlace();
  // Returns true if there is a WAV, or one can be opened.
  bool has_voice() const { return wav_ || (placer_ && open_wav_); }
  // Opens the WAV unless it is open. Requires has_voice().
  absl::Status OpenWav();
  // Writes the header, and the messages that wait for it.
  absl::Status WriteHeader();
  // Writes the parts of a message that were not written yet to `edited_`, with time codes moved to
  // their place. Returns true if anything was removed.
  bool Edit(absl::string_view bytes, const TimeCodeShifter::Place& place,
            const std::optional<timecode::AudioPlacer::Placement>& placed);
  absl::Status AppendAudio(const std::vector<int16_t>& samples,
                           const timecode::AudioPlacer::Placement& placed);

  RecorderOptions options_;
  std::shared_ptr<TakeFiles> files_;  // none: standard output, or the caller's sinks
  std::shared_ptr<clipio::ClipWriter> writer_;
  int number_ = 0;     // of the avatar; 0: the first one, which closes the file
  OpenSink open_wav_;  // none: the WAV is open, or the audio is dropped
  std::unique_ptr<recording::WavFile> wav_;
  std::optional<timecode::AudioPlacer> placer_;
  TimeCodeShifter shifter_;
  std::optional<wire::StreamHeader> header_;
  wire::MessageBytes header_bytes_;
  // The header is delayed until the first time code, which determines the Unix time of time code 0.
  // So is everything before that: the newest 64 statuses, and messages that violate the protocol.
  // When 64 of these wait, the header is written with its own epoch.
  struct Early {
    wire::MessageBytes bytes;
    bool faulty = false;
  };
  bool header_written_ = false;
  std::vector<Early> early_;
  std::string edited_;  // reused to avoid allocation
  std::array<double, 8> last_key_s_ = {-1, -1, -1, -1, -1, -1, -1, -1};  // per track
  double next_sync_s_ = 0;
  int64_t left_out_ = 0;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_RECORDER_H_
