// What a live film reports about its detail.
#ifndef POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_COUNTS_H_
#define POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_COUNTS_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "libs/service/metrics/metrics_text.h"

namespace posewire::renderer_sink {

// Set by the thread that draws; read by any.
struct FilmCounts {
  std::atomic<int> subdivide{0};               // levels of the last picture
  std::atomic<bool> offsets{false};            // whether it may have offsets
  std::atomic<int64_t> lowered{0}, raised{0};  // changes because of the time

  std::vector<service::Metric> Metrics() const;
};

}  // namespace posewire::renderer_sink

#endif  // POSEWIRE_SERVICES_RENDERER_SINK_STREAM_FILM_COUNTS_H_
