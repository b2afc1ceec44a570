// How the default graph's arms go with a voice: from a clip of speech, of text or of sound, through
// the graph to the pose that is shown.
//
// Where a hand strikes is measured on the pose alone: the end of its fast way, where its speed has
// fallen to a third of its peak. That moment goes with the accented syllable (McNeill, "Hand and
// Mind", 1992; Loehr, "Aspects of rhythm in gesture and speech", 2007), and where a syllable is
// says the sound alone: the peak of its loudness.
#ifndef POSEWIRE_TESTS_BENCH_MOTION_SPOKEN_MEASURES_H_
#define POSEWIRE_TESTS_BENCH_MOTION_SPOKEN_MEASURES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/graph_loader/make_graph_asset.h"
#include "libs/skel/rig.h"

namespace posewire {

// Prints a row per activity (0, 0.5 and 1), five avatars each, of a clip with a voice and
// announced gestures. True when it passes: strokes within 80 ms of the syllable (the median), no
// unit again within 20 s (by what is seen of clips and arms), more gestures with more activity, and
// hands in pauses stiller than in speech. Errors: of the file, or one without voice or gestures.
absl::StatusOr<bool> MeasureSpoken(const std::string& path,
                                   const std::shared_ptr<const graph::GraphAsset>& asset,
                                   const skel::RigCatalog& catalog);

// Writes what one avatar of the default posture and activity shows of `spoken` to `out`, a clip at
// 30 frames a second without the voice: to be looked at (renderer_sink render). Errors as above,
// and of a file that cannot be written.
absl::Status WriteTake(const std::string& spoken, const std::string& out,
                       const std::shared_ptr<const graph::GraphAsset>& asset,
                       const skel::RigCatalog& catalog);

}  // namespace posewire

#endif  // POSEWIRE_TESTS_BENCH_MOTION_SPOKEN_MEASURES_H_
