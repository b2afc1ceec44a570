// Metrics of the workers and the log for Prometheus.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_METRICS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_METRICS_H_

#include <memory>
#include <string>

#include "libs/service/connection_table.h"
#include "libs/service/logger.h"
#include "services/anim_graph/core/engine.h"
#include "services/anim_graph/runtime/peers.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

// Sums over all workers. Thread-safe.
class Metrics {
 public:
  // The first, `connections`, `directory` and `relayed` must outlive this.
  Metrics(const Workers* workers, std::shared_ptr<const Capacity> capacity,
          const service::ConnectionTable* connections, const DirectoryCounters* directory,
          const RelayCounts* relayed, service::Logger log)
      : workers_(workers),
        capacity_(std::move(capacity)),
        connections_(connections),
        directory_(*directory),
        relayed_(*relayed),
        log_(std::move(log)) {}

  // Returns the current values. Calls no worker.
  std::string Text() const;

 private:
  const Workers* const workers_;
  const std::shared_ptr<const Capacity> capacity_;
  const service::ConnectionTable* const connections_;
  const DirectoryCounters& directory_;
  const RelayCounts& relayed_;
  const service::Logger log_;
};

// Writes the metrics in Prometheus's text format. docs/control.md lists their names and meanings.
std::string MetricsText(const EngineCounters& counters, const Capacity& capacity,
                        const service::ConnectionTable& connections,
                        const DirectoryCounters& directory, const RelayCounts& relayed,
                        const service::LogCounts& log);

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_HTTP_METRICS_H_
