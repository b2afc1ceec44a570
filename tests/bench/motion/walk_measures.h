// How a body walks: the nodes walk_to and feet on an idling avatar, on random ways.
#ifndef POSEWIRE_TESTS_BENCH_MOTION_WALK_MEASURES_H_
#define POSEWIRE_TESTS_BENCH_MOTION_WALK_MEASURES_H_

#include <memory>

#include "absl/status/statusor.h"
#include "libs/clip/clip_library.h"
#include "libs/skel/rig.h"
#include "tests/bench/motion/motion_speeds.h"

namespace posewire {

// Walks to `places` random places within 3 m, 12 s each, at 0.6 to 1.7 m/s; prints how far what
// bears the weight slides, how far from the place it ends, and steps by speed. Adds to `straight`
// what walking straight on at 1.2 m/s does. True when it passes: slides under 5 mm a stand, ends
// within 4 cm. Errors: of the graph.
absl::StatusOr<bool> MeasureWalking(const std::shared_ptr<const skel::Rig>& rig,
                                    const std::shared_ptr<const clip::ClipLibrary>& clips,
                                    int places, MotionSpeeds* straight);

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_MOTION_WALK_MEASURES_H_
