// Captures of datagrams with their arrival times, for reports of faults and for tests. The format
// stands in docs/formats.md.
#ifndef POSEWIRE_SERVICES_A2F_SOURCE_VMC_CAPTURE_H_
#define POSEWIRE_SERVICES_A2F_SOURCE_VMC_CAPTURE_H_

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "services/a2f_source/core/vmc_session.h"

namespace posewire::a2f_source {

struct CapturedDatagram {
  double time_s = 0;  // from the first one
  VmcPort port = VmcPort::kMarionette;
  std::string bytes;
};

// One thread. A file that is cut off anywhere is whole up to its last line.
class CaptureWriter {
 public:
  // Replaces a file of that name. UNAVAILABLE when it cannot be written.
  static absl::StatusOr<std::unique_ptr<CaptureWriter>> Create(const std::string& path);
  ~CaptureWriter();
  CaptureWriter(const CaptureWriter&) = delete;
  CaptureWriter& operator=(const CaptureWriter&) = delete;

  // Times must not go back; the first one becomes 0.
  void Write(absl::string_view datagram, VmcPort port, double now_s);
  // UNAVAILABLE when anything could not be written.
  absl::Status Close();

  int64_t written() const { return written_; }

 private:
  CaptureWriter(std::FILE* file, std::string path) : file_(file), path_(std::move(path)) {}
  std::FILE* file_;
  std::string path_;
  double first_s_ = 0;
  int64_t written_ = 0;
  bool failed_ = false;
};

// The datagrams of a capture in the order of their times. NOT_FOUND when there is no file,
// INVALID_ARGUMENT (with the line) for what is no capture. A last line that is cut off is left out.
absl::StatusOr<std::vector<CapturedDatagram>> ReadCapture(const std::string& path);
// The same from text.
absl::StatusOr<std::vector<CapturedDatagram>> ParseCapture(absl::string_view text);

}  // namespace posewire::a2f_source

#endif  // POSEWIRE_SERVICES_A2F_SOURCE_VMC_CAPTURE_H_
