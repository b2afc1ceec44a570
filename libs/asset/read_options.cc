#include "libs/asset/read_options.h"

#include <cstdint>
#include <limits>

namespace posewire::asset {

wire::ReaderLimits FileLimits() {
  wire::ReaderLimits limits;
  const size_t larger = (512u << 20) / limits.message_bytes;
  limits.message_bytes *= larger;
  limits.elements *= larger;
  limits.joints = limits.shapes = std::numeric_limits<int16_t>::max();
  limits.metadata_entries = 4096;
  limits.unknown_header_bytes = limits.message_bytes;
  limits.require_ids = false;
  return limits;
}

}  // namespace posewire::asset
