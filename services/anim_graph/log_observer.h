// Writes engine events to the log.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_LOG_OBSERVER_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_LOG_OBSERVER_H_

#include "libs/service/logger.h"
#include "services/anim_graph/core/engine.h"

namespace posewire::anim_graph {

// Thread-safe, like the logger.
class LogObserver : public Observer {
 public:
  explicit LogObserver(service::Logger log) : log_(std::move(log)) {}
  void On(const EngineEvent& event) override;

 private:
  service::Logger log_;
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_LOG_OBSERVER_H_
