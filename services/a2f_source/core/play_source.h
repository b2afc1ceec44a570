// Plays a clip file, once or for ever.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_CORE_PLAY_SOURCE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_CORE_PLAY_SOURCE_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "libs/recording/clip_reader.h"
#include "libs/retarget/retarget.h"
#include "libs/skel/rig.h"
#include "libs/timecode/frame_rate.h"
#include "services/a2f_source/core/loop_period.h"
#include "services/a2f_source/core/skip_to.h"
#include "services/a2f_source/core/source.h"

namespace posewire::a2f_source {

struct PlayOptions {
  // Starts over at the end; codes go on rising, by LoopPeriod for each pass.
  bool loop = false;
  // Begins there, with code 0; a loop too, each time.
  double from_s = 0;
  // As clipio::OpenOptions has them.
  std::optional<timecode::FrameRate> fps = {};
  std::string prim = {};
  // Onto which clips on skeletons of their own are carried (libs/retarget/retarget.h), with the
  // rigs that are known, and what is said of such a clip; null: they are sent as they are.
  std::shared_ptr<const skel::Rig> rig = nullptr;
  skel::RigCatalog rigs = {};
  retarget::RetargetOptions retarget = {};
  // Messages that are larger are cut by time into several.
  size_t message_bytes = 2u << 20;
  // Of text; 16 times as many of .animdata. Each is read in 0.6 s (two cores, 2026).
  int64_t checked_bytes = 16 << 20;
  // Asked at each message of the file: true, and it gives up.
  std::function<bool()> stopped = [] { return false; };
};

// A file of up to `checked_bytes` is read to its end when it is opened, so that one that cannot be
// played to its end is refused before anything is sent. A pipe cannot be, and a stage, a glTF or an
// X3D file is read as a whole for its header. Then the file is read as messages are asked for. They
// are checked and sent unchanged, with unknown fields; those over the limit in parts
// (SplitMessage). Later passes of a loop get new codes and keep the rest. Statuses keep their
// place; a loop has none, because it never ends.
//
// Errors: those of recording::ClipReader; FAILED_PRECONDITION when the file does not begin with a
// header; INVALID_ARGUMENT for standard input in a loop, and for a loop without any time code;
// OUT_OF_RANGE when there is nothing at or after `from_s`; CANCELLED when it was stopped.
class PlaySource : public Source {
 public:
  // "-" is standard input, as .jsonl.
  static absl::StatusOr<std::unique_ptr<PlaySource>> Open(const std::string& path,
                                                          const PlayOptions& options = {});

  absl::StatusOr<wire::StreamHeader> Header() override;
  absl::StatusOr<std::optional<wire::Message>> Next() override;

  // As recording::ClipReader::warnings. All of them from the beginning on if the file was read
  // then.
  std::vector<std::string> notes() const override;
  // Passes that have begun, from 1.
  int passes() const { return passes_; }

 private:
  PlaySource(std::string path, const PlayOptions& options,
             std::unique_ptr<recording::ClipReader> reader, std::vector<std::string> warnings)
      : path_(std::move(path)),
        options_(options),
        reader_(std::move(reader)),
        warnings_(std::move(warnings)),
        period_(0) {}
  // The next data or status of the file as it stands; nothing at its end.
  absl::StatusOr<std::optional<wire::Message>> Read();
  absl::Status StartOver();

  std::string path_;
  PlayOptions options_;
  std::unique_ptr<recording::ClipReader> reader_;
  const std::vector<std::string> warnings_;  // of reading the whole file before
  LoopPeriod period_;
  std::optional<SkipTo> skip_;
  int audio_rate_hz_ = 0;
  int passes_ = 1;
  // Parts of a message that was too large.
  std::deque<wire::Message> parts_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_PLAY_SOURCE_H_
