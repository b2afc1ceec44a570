// The files of a take: their names, and making them so that no other recording gets one of them.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_CORE_TAKE_FILES_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_CORE_TAKE_FILES_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/clipio/byte_stream.h"

namespace posewire::renderer_sink {

// "a/take.usda" -> "a/take" and the ending.
std::string WithEnding(const std::string& path, absl::string_view ending);
// "take.animdata" -> "take.wav".
std::string WavPath(const std::string& path);
// Where the nth take goes: "take.animdata", "take-2.animdata", "take-3.animdata" ...
std::string TakePath(const std::string& path, int take);

// Removes a regular file without a byte in it.
void RemoveIfEmpty(const std::string& path);

// The clip and its voice, and of a split stage its rig and its clip. All are made before the take
// begins, each by a call that makes a file or finds one, the voice first: its name is that of the
// takes in all formats. So of recordings that begin together each gets a number of its own.
// One thread.
class TakeFiles {
 public:
  // Those of the first take from `take` on of which none is there. Errors: those of clipio::File.
  static absl::StatusOr<std::unique_ptr<TakeFiles>> Make(const std::string& path, int take,
                                                         bool split_usd);
  // Calls RemoveEmpty.
  ~TakeFiles();
  TakeFiles(const TakeFiles&) = delete;
  TakeFiles& operator=(const TakeFiles&) = delete;

  int take() const { return take_; }
  // The file beside the clip that has this ending, or the clip itself by "". Each once, of those
  // that were made.
  std::unique_ptr<clipio::ByteSink> Open(absl::string_view ending);
  // Removes those that are still empty, and forgets all. What writes them is closed by then.
  void RemoveEmpty();

 private:
  struct Made {
    std::string ending, path;
    std::unique_ptr<clipio::ByteSink> sink;
  };

  explicit TakeFiles(int take) : take_(take) {}

  const int take_;
  std::vector<Made> made_;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_CORE_TAKE_FILES_H_
