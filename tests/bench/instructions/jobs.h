// The jobs of which instructions are counted.
#ifndef POSEWIRE_TESTS_BENCH_INSTRUCTIONS_JOBS_H_
#define POSEWIRE_TESTS_BENCH_INSTRUCTIONS_JOBS_H_

#include <cstdint>
#include <string>

namespace posewire::bench {

// Does `job` so many times: read, encode, protobuf_parse or protobuf_serialize a frame, or tick the
// graph passthrough or default. encode_counted is encode with the frames' bytes counted against a
// budget; push is a frame of one avatar through the engine, from the bytes of a push to those of a
// pull. False when there is no such job or it failed.
bool RunJob(const std::string& job, int64_t times);

}  // namespace posewire::bench

#endif  // POSEWIRE_TESTS_BENCH_INSTRUCTIONS_JOBS_H_
