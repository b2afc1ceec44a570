// The samples of a WAV, whatever the sizes in it say: streaming writers do not know them.
#ifndef POSEWIRE_LIBS_RECORDING_WAV_READER_H_
#define POSEWIRE_LIBS_RECORDING_WAV_READER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "libs/files/byte_source.h"

namespace posewire::recording {

// As the "fmt " chunk has it.
struct WavForm {
  uint32_t kind = 0;  // 1: PCM, 3: float; of an extensible form its sub-format
  uint32_t channels = 0;
  uint32_t rate_hz = 0;
  uint32_t bits = 0;
};

// RIFF, RF64 and BW64, little-endian, as Microsoft's Multimedia Programming Interface 1.0 and EBU
// Tech 3306 define them.
//
// The size of the whole file is not looked at. The size of the data counts if it leads to the end
// of the file, or to another chunk. Else the samples go on to the end of the file: that is so for
// 0, for a size beyond the end, and, with a warning, for one in the middle of what are no chunks. A
// pipe is judged the same way by what comes after that many bytes. One thread.
class WavReader {
 public:
  // `source` was not read from, and outlives this.
  explicit WavReader(files::ByteSource* source) : source_(source) {}

  // Up to the first sample. What is no WAV has no form, and all of its bytes are given. Errors are
  // those of the source; INVALID_ARGUMENT, without the source's name, for a WAV without a form or
  // without data.
  absl::Status Open();
  const std::optional<WavForm>& form() const { return form_; }
  // Of the samples; none where only the end will show it.
  std::optional<int64_t> data_bytes() const { return data_bytes_; }

  // The next bytes of samples: at least so many, fewer only at the end. Waits only for these. Valid
  // until the next call.
  absl::StatusOr<absl::string_view> Peek(size_t least);
  void Skip(size_t bytes);

  // What was doubtful, a sentence each, without the source's name; all at the end.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // Holds so many bytes from begin_ on, fewer only at the end of the source.
  absl::Status Hold(size_t bytes);
  absl::string_view held() const { return absl::string_view(buffer_).substr(begin_); }
  absl::Status ReadChunks();
  absl::Status ReadForm(absl::string_view chunk);
  // Of a source with a size; the data begin at `start`.
  absl::Status FindEnd(int64_t start, uint64_t said);
  absl::StatusOr<bool> AreChunks(int64_t at);
  // At the end of what a pipe's data chunk said.
  absl::Status CheckEndOfData();

  files::ByteSource* const source_;
  std::optional<WavForm> form_;
  std::optional<int64_t> data_bytes_;
  std::optional<uint64_t> left_;  // bytes of data; none: up to the end of the source
  uint64_t said_ = 0;             // by the data chunk of a pipe
  bool over_ = false;             // nothing comes after what is left
  std::string buffer_;
  size_t begin_ = 0;
  int64_t read_ = 0;  // bytes of the source, those in buffer_ too
  bool ended_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_WAV_READER_H_
