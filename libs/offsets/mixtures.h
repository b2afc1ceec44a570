// Offsets as mixtures of a few poses (PCA), or in clusters of points with a few motions each.
//
// Principal components are found in the smaller of the two correlation matrices. They are scaled to
// a maximum of 1, so that shares are metres. Shares are rounded to a step, so minor components have
// small numbers that deflate well.
#ifndef POSEWIRE_LIBS_OFFSETS_MIXTURES_H_
#define POSEWIRE_LIBS_OFFSETS_MIXTURES_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "libs/offsets/method.h"

namespace posewire::offsets {

// A frame is the mean pose plus a share of each principal pose.
std::string EncodePca(const Offsets& offsets, const Settings& settings);
absl::StatusOr<std::unique_ptr<Chunk>> OpenPca(absl::string_view bytes, size_t points,
                                               size_t frames);
size_t OpenPcaBytes(size_t bytes, size_t points, size_t frames);

// Points are clustered by their motions (k-means); in a cluster, each point's motion is the mean
// motion plus a share of each principal one. Points are ordered by the first share.
std::string EncodeClusters(const Offsets& offsets, const Settings& settings);
absl::StatusOr<std::unique_ptr<Chunk>> OpenClusters(absl::string_view bytes, size_t points,
                                                    size_t frames);
size_t OpenClustersBytes(size_t bytes, size_t points, size_t frames);
size_t OpenPcaBytes(size_t bytes, size_t points, size_t frames);

}  // namespace posewire::offsets

#endif  // POSEWIRE_LIBS_OFFSETS_MIXTURES_H_
