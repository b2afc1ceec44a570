#include "services/anim_graph/http/metrics.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "libs/service/metrics/metrics_text.h"
#include "libs/service/metrics/process_metrics.h"

namespace posewire::anim_graph {
namespace {

using service::Metric;

void Add(const EngineCounters& from, EngineCounters* to) {
  to->pushes += from.pushes;
  to->pulls += from.pulls;
  to->messages += from.messages;
  to->paths.fixed += from.paths.fixed;
  to->paths.by_record += from.paths.by_record;
  to->paths.general += from.paths.general;
  to->paths.full_records += from.paths.full_records;
  to->paths.other_records += from.paths.other_records;
  to->frames += from.frames;
  to->ticks += from.ticks;
  to->missed_ticks += from.missed_ticks;
  to->late_slots += from.late_slots;
  to->lateness.Add(from.lateness);
  to->waits.Add(from.waits);
  to->voice_taken_us += from.voice_taken_us;
  to->voice_played_us += from.voice_played_us;
  to->slow_pulls += from.slow_pulls;
  to->dropped_poses += from.dropped_poses;
  for (size_t code = 0; code < from.rejected_pushes.size(); ++code) {
    to->rejected_pushes[code] += from.rejected_pushes[code];
    to->rejected_pulls[code] += from.rejected_pulls[code];
    to->lost_sources[code] += from.lost_sources[code];
  }
}

Metric Counter(const char* name, const char* help, int64_t value) {
  return {name, help, Metric::Kind::kCounter, {{static_cast<double>(value)}}};
}
Metric Gauge(const char* name, const char* help, int64_t value) {
  return {name, help, Metric::Kind::kGauge, {{static_cast<double>(value)}}};
}
Metric::Sample Of(int64_t value, const char* label, const std::string& text) {
  return {static_cast<double>(value), {{label, text}}};
}
// For all status codes except OK, so that each series exists before its first count.
Metric ByCode(const char* name, const char* help, const EngineCounters::Codes& codes) {
  Metric metric{name, help, Metric::Kind::kCounter, {}};
  for (size_t code = 1; code < codes.size(); ++code) {
    metric.samples.push_back(
        Of(codes[code], "code", absl::StatusCodeToString(static_cast<absl::StatusCode>(code))));
  }
  return metric;
}

template <typename Bounds>
Metric Histogram(const char* name, const char* help, const TimeHistogram<Bounds>& times) {
  Metric metric{name, help, Metric::Kind::kHistogram, {}};
  Metric::Sample& sample = metric.samples.emplace_back();
  sample.value = static_cast<double>(times.sum_ns) * 1e-9;
  for (size_t i = 0; i < times.counts.size(); ++i) {
    const bool last = i == Bounds::kBounds_s.size();
    sample.buckets.emplace_back(
        last ? std::numeric_limits<double>::infinity() : Bounds::kBounds_s[i], times.counts[i]);
  }
  return metric;
}
Metric Seconds(const char* name, const char* help, int64_t us) {
  return {name, help, Metric::Kind::kCounter, {{static_cast<double>(us) * 1e-6}}};
}

}  // namespace

std::string MetricsText(const EngineCounters& c, const Capacity& capacity,
                        const service::ConnectionTable& connections,
                        const DirectoryCounters& directory, const RelayCounts& relayed,
                        const service::LogCounts& log) {
  Metric used{"posewire_budget_used",
              "What is in use of each budget of the process.",
              Metric::Kind::kGauge,
              {}};
  Metric most{
      "posewire_budget_limit", "Limit of each budget of the process.", Metric::Kind::kGauge, {}};
  Metric rejected{"posewire_refusals_total",
                  "What was refused because a limit was reached.",
                  Metric::Kind::kCounter,
                  {}};
  const auto add = [](Metric& to, const stream::Limit& limit, int64_t value, const char* label) {
    to.samples.push_back(Of(value, label, std::string(limit.names().name)));
  };
  const auto add_budget = [&](const stream::Budget& budget) {
    add(used, budget, budget.used(), "budget");
    add(most, budget, budget.most(), "budget");
    add(rejected, budget, budget.rejections(), "reason");
  };
  for (const stream::Budget* budget : capacity.budgets()) add_budget(*budget);
  add_budget(connections.all());
  add(rejected, connections.of_address(), connections.of_address().rejections(), "reason");
  for (const stream::Limit* limit : capacity.limits()) {
    add(rejected, *limit, limit->rejections(), "reason");
  }
  std::vector<Metric> metrics = {
      Gauge("posewire_streams", "Streams in use.", capacity.streams.used()),
      Gauge("posewire_avatars", "Avatars in use.", capacity.avatars.used()),
      used,
      most,
      rejected,
      {"posewire_messages_total",
       "Messages of pushes, by the way in which they were read.",
       Metric::Kind::kCounter,
       {Of(c.paths.fixed, "path", "fixed"), Of(c.paths.by_record, "path", "by_record"),
        Of(c.paths.general, "path", "general")}},
      {"posewire_records_total",
       "Vectors and quaternions in messages that were not read in the general way, by their form.",
       Metric::Kind::kCounter,
       {Of(c.paths.full_records, "form", "full"), Of(c.paths.other_records, "form", "other")}},
      Counter("posewire_pushes_total", "Pushes that were opened.", c.pushes),
      Counter("posewire_pulls_total", "Pulls that were opened.", c.pulls),
      Counter("posewire_data_messages_total", "Messages with data that avatars took.", c.messages),
      Counter("posewire_frames_total", "Frames that were offered to pulls.", c.frames),
      Counter("posewire_ticks_total", "Ticks of avatars.", c.ticks),
      Counter("posewire_missed_ticks_total", "Ticks that avatars skipped; their audio was sent.",
              c.missed_ticks),
      Counter("posewire_late_slots_total", "Slots that began two slots or more after their time.",
              c.late_slots),
      Histogram("posewire_tick_lateness_seconds",
                "How long after their time the ticks of avatars began.", c.lateness),
      Histogram("posewire_push_to_pull_seconds",
                "From the arrival of a message to the frame that shows it, while its request "
                "plays.",
                c.waits),
      Seconds("posewire_voice_taken_seconds_total", "Voice that was pushed, without silence.",
              c.voice_taken_us),
      Seconds("posewire_voice_played_seconds_total",
              "Voice in the frames of avatars, without silence.", c.voice_played_us),
      Counter("posewire_slow_pulls_total", "Pulls that were ended because they did not keep up.",
              c.slow_pulls),
      Counter("posewire_dropped_poses_total", "Frames that slow pulls got without their pose.",
              c.dropped_poses),
      ByCode("posewire_refused_pushes_total", "Pushes that were rejected when they began.",
             c.rejected_pushes),
      ByCode("posewire_refused_pulls_total", "Pulls that were rejected.", c.rejected_pulls),
      ByCode("posewire_lost_sources_total", "Pushes that broke off, fell silent or sent a fault.",
             c.lost_sources),
      Gauge("posewire_leases", "Streams that the directory leaves to this process.",
            directory.leases),
      Counter("posewire_claims_total", "Streams that this process claimed.", directory.claims),
      Counter("posewire_lost_leases_total", "Streams that another process got from this one.",
              directory.lost),
      Counter("posewire_saved_streams_total", "Times that the state of a stream was saved.",
              directory.saves),
      Counter("posewire_moved_streams_total", "Streams that this process handed over.",
              directory.moves),
      Counter("posewire_directory_errors_total",
              "Exchanges with the server of the directory that failed.", directory.errors),
      {"posewire_relayed_calls_total",
       "Calls that were relayed to the anim_graph that serves their stream.",
       Metric::Kind::kCounter,
       {Of(relayed.pushes, "kind", "push"), Of(relayed.pulls, "kind", "pull"),
        Of(relayed.calls, "kind", "control"), Of(relayed.watches, "kind", "watch")}},
  };
  return service::ProcessMetricsText(log, std::move(metrics));
}

std::string Metrics::Text() const {
  EngineCounters sum;
  for (const Worker* worker : workers_->all()) Add(worker->counters(), &sum);
  return MetricsText(sum, *capacity_, *connections_, directory_, relayed_, log_.counts());
}

}  // namespace posewire::anim_graph
