// How the body of the default graph moves, in numbers: what eyes judge, told line by line.
//
// The graph of an avatar is ticked by itself, without engine and streams, as fast as it goes, on a
// clock that only counts. Each script is six seconds of what somebody may set at random: postures,
// gestures and activity, by its number. The capsules of the rig (skel::Capsules) tell how deep
// hands and arms are in the body and in each other; beside it stand the largest steps between two
// frames, and how fast the body moves, also in recordings of people. What touches on purpose, as in
// a clap, counts too.
#ifndef POSEWIRE_TESTS_BENCH_MOTION_MOTION_MEASURES_H_
#define POSEWIRE_TESTS_BENCH_MOTION_MOTION_MEASURES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace posewire {

// Prints tables and lines of pass or fail, of the scripts from number `first` on; `beside` are
// clips of any format, `spoken` those of speech (spoken_measures.h). With `take`, only writes what
// an avatar shows of the first of `spoken` to that file, or of script `first` if there is none. The
// exit code: 0 when it passes, 1 when it fails or cannot be measured.
int RunMotion(int scripts, uint64_t first, const std::vector<std::string>& beside,
              const std::vector<std::string>& spoken, const std::string& take);

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_MOTION_MOTION_MEASURES_H_
