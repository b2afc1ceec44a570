// Whatever a stream carries, the fast reader and the general reader agree on it: the same data, or
// the same refusal. What they take, protobuf takes too, and finds the same data in it. A libFuzzer
// target in the fuzz preset; elsewhere its corpus is replayed as a test.
//
// An input is one byte that chooses the names in the header, then messages: each two bytes of
// length (the lower first), then as many bytes of the message, or what is left.
#include <google/protobuf/stubs/logging.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/wire/both_ways.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace posewire::wire;  // NOLINT: the name below is libFuzzer's
  const google::protobuf::LogSilencer silence;
  if (size == 0) return 0;
  static const ace::AnimationDataStream& kNarrow = *new ace::AnimationDataStream(SmallHeader());
  static const ace::AnimationDataStream& kWide = *new ace::AnimationDataStream(WideHeader(5, 21));
  BothWays stream(data[0] % 2 == 0 ? kNarrow : kWide);
  for (size_t at = 1; at + 2 <= size;) {
    const size_t said = data[at] + (size_t{data[at + 1]} << 8);
    at += 2;
    const size_t bytes = std::min(said, size - at);
    const std::string message(reinterpret_cast<const char*>(data + at), bytes);
    at += bytes;
    const std::string difference = stream.Read(message, bytes == 0 ? 0 : said * 7 % bytes);
    if (!difference.empty()) {
      std::fprintf(stderr, "does not agree: %s\n", difference.c_str());
      std::abort();
    }
    if (!stream.status().ok()) break;
  }
  return 0;
}
