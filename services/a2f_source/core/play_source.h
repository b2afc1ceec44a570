// Source that plays a clip file, once or in an endless loop.
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
  // Starts over at the end. Time codes keep rising, by LoopPeriod for each pass.
  bool loop = false;
  // Length of a pass, the same for all characters of a scene; 0: by LoopPeriod.
  double loop_s = 0;
  // Start position in the clip, which gets time code 0. Also applies to each pass of a loop.
  double from_s = 0;
  // See clipio::OpenOptions.
  std::optional<timecode::FrameRate> fps = {};
  std::string prim = {};
  bool outside_skel_root = false;
  std::optional<size_t> character = {};
  // The rig to which clips with skeletons of their own are retargeted (libs/retarget/retarget.h),
  // the known rigs, and the options of retargeting. If `rig` is null, clips are sent unchanged.
  std::shared_ptr<const skel::Rig> rig = nullptr;
  skel::RigCatalog rigs = {};
  retarget::RetargetOptions retarget = {};
  // Says which clip each message is of; needs `rig`.
  bool identify = true;
  // Larger messages are split by time.
  size_t message_bytes = 2u << 20;
  // Maximum size of a text file that is checked first; 16 times as much for .animdata. Each takes
  // 0.6 s (two cores, 2026).
  int64_t checked_bytes = 16 << 20;
  // Checked at each message of the file. Reading stops when it returns true.
  std::function<bool()> stopped = [] { return false; };
};

// What a renderer with offsets knows a clip by.
struct ClipIdentity {
  std::string name;
  uint64_t hash = 0;   // clip::Clip::content_hash on PlayOptions::rig
  double first_s = 0;  // time code of the clip's first key in the file
};

// A file of up to `checked_bytes` is read completely when it is opened, so that a file that cannot
// be played to its end is rejected before anything is sent. A pipe cannot be checked; a USD stage,
// a glTF or an X3D file is always read as a whole for its header. After that, the file is read as
// messages are requested. They are checked and sent unchanged, including unknown fields; those over
// the limit are split (SplitMessage). Later passes of a loop only get new time codes. Statuses keep
// their position; a loop has none, because it never ends.
//
// With PlayOptions::rig and `identify`, each message with a pose also says which clip it is of, and
// where in it (wire::Contributions), unless it says so itself. Not those of pipes, of clips over
// ten minutes, and of files over `checked_bytes` (16 times as much for those that are not text).
//
// Errors: those of recording::ClipReader; FAILED_PRECONDITION if the file does not begin with a
// header; INVALID_ARGUMENT for standard input in a loop, and for a loop without any time code;
// OUT_OF_RANGE if there is nothing at or after `from_s`; CANCELLED if `stopped` returned true.
class PlaySource : public Source {
 public:
  // "-" is standard input in .jsonl format.
  static absl::StatusOr<std::unique_ptr<PlaySource>> Open(const std::string& path,
                                                          const PlayOptions& options = {});

  absl::StatusOr<wire::StreamHeader> Header() override;
  absl::StatusOr<std::optional<wire::Message>> Next() override;

  // See recording::ClipReader::warnings. Complete from the beginning if the file was checked first.
  std::vector<std::string> notes() const override;
  // Number of passes that have begun, from 1.
  int passes() const { return passes_; }

 private:
  PlaySource(std::string path, const PlayOptions& options,
             std::unique_ptr<recording::ClipReader> reader, std::vector<std::string> warnings,
             std::optional<ClipIdentity> identity)
      : path_(std::move(path)),
        options_(options),
        reader_(std::move(reader)),
        warnings_(std::move(warnings)),
        period_(0),
        identity_(std::move(identity)) {}
  // Returns the file's next data or status unchanged; nothing at its end.
  absl::StatusOr<std::optional<wire::Message>> Read();
  absl::Status StartOver();
  double Period_s() const { return options_.loop_s > 0 ? options_.loop_s : period_.seconds(); }
  wire::Message WithIdentity(wire::Message message);

  std::string path_;
  PlayOptions options_;
  std::unique_ptr<recording::ClipReader> reader_;
  const std::vector<std::string> warnings_;  // from checking the whole file first
  LoopPeriod period_;
  std::optional<SkipTo> skip_;
  int audio_rate_hz_ = 0;
  int passes_ = 1;
  std::optional<ClipIdentity> identity_;
  // Parts of a message that was over the limit.
  std::deque<wire::Message> parts_;
};

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_CORE_PLAY_SOURCE_H_
