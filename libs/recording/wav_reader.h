// Reads the samples of a WAV even if the sizes in it are wrong; streaming writers do not know them.
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

// As in the "fmt " chunk.
struct WavForm {
  uint32_t kind = 0;  // 1: PCM, 3: float; for an extensible form, its sub-format
  uint32_t channels = 0;
  uint32_t rate_hz = 0;
  uint32_t bits = 0;
};

// RIFF, RF64 and BW64, little-endian, as Microsoft's Multimedia Programming Interface 1.0 and EBU
// Tech 3306 define them.
//
// Ignores the size of the whole file. Uses the data size if it leads to the end of the file or to
// another chunk. Otherwise the samples go on to the end of the file: for 0, for a size beyond the
// end, and, with a warning, for a size that ends between bytes that are not chunks. A pipe is
// treated the same way, by the bytes after that size. One thread.
class WavReader {
 public:
  // Nothing may have been read from `source`, which must outlive this.
  explicit WavReader(files::ByteSource* source) : source_(source) {}

  // Reads up to the first sample. A file that is not a WAV has no form, and all of its bytes are
  // returned as samples. Errors are those of the source; INVALID_ARGUMENT, without the source's
  // name, for a WAV without a form or without data.
  absl::Status Open();
  const std::optional<WavForm>& form() const { return form_; }
  // Size of the samples; absent if only the end of the file will show it.
  std::optional<int64_t> data_bytes() const { return data_bytes_; }

  // Returns the next bytes of samples: at least `least`, fewer only at the end. Waits only for
  // these. Valid until the next call.
  absl::StatusOr<absl::string_view> Peek(size_t least);
  void Skip(size_t bytes);

  // Doubts about the file, a sentence each, without the source's name. Complete at the end.
  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  // Reads until there are this many bytes from begin_ on; fewer only at the end of the source.
  absl::Status Hold(size_t bytes);
  absl::string_view held() const { return absl::string_view(buffer_).substr(begin_); }
  absl::Status ReadChunks();
  absl::Status ReadForm(absl::string_view chunk);
  // For a source with a size; the data begins at `start`.
  absl::Status FindEnd(int64_t start, uint64_t said);
  absl::StatusOr<bool> AreChunks(int64_t at);
  // Called at the end of the size stated by a pipe's data chunk.
  absl::Status CheckEndOfData();

  files::ByteSource* const source_;
  std::optional<WavForm> form_;
  std::optional<int64_t> data_bytes_;
  std::optional<uint64_t> left_;  // bytes of data; absent: up to the end of the source
  uint64_t said_ = 0;             // size stated by a pipe's data chunk
  bool over_ = false;             // there is nothing after left_ bytes
  std::string buffer_;
  size_t begin_ = 0;
  int64_t read_ = 0;  // bytes read from the source, including those in buffer_
  bool ended_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace posewire::recording

#endif  // POSEWIRE_LIBS_RECORDING_WAV_READER_H_
