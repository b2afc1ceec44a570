#include "services/renderer_sink/stream/film_counts.h"

namespace posewire::renderer_sink {

std::vector<service::Metric> FilmCounts::Metrics() const {
  using Kind = service::Metric::Kind;
  return {{"posewire_film_subdivision_levels",
           "Levels by which the drawn surface is refined.",
           Kind::kGauge,
           {{static_cast<double>(subdivide)}}},
          {"posewire_film_offsets",
           "1 if offsets are drawn, 0 if not.",
           Kind::kGauge,
           {{offsets ? 1.0 : 0.0}}},
          {"posewire_film_detail_lowered_total",
           "Times that detail was left out because pictures took too long.",
           Kind::kCounter,
           {{static_cast<double>(lowered)}}},
          {"posewire_film_detail_raised_total",
           "Times that detail came back.",
           Kind::kCounter,
           {{static_cast<double>(raised)}}}};
}

}  // namespace posewire::renderer_sink
