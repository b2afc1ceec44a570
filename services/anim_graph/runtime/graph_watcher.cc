#include "services/anim_graph/runtime/graph_watcher.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_split.h"
#include "libs/service/catch_exceptions.h"

namespace posewire::anim_graph {
namespace {

constexpr std::chrono::milliseconds kEvery(250);

}  // namespace

GraphWatcher::GraphWatcher(GraphStore* graphs, Workers* workers, EventHub* events,
                           service::Logger log)
    : graphs_(graphs), log_(std::move(log)) {
  graphs_->SetListener(
      [this, workers, events](const std::shared_ptr<const graph::GraphAsset>& asset,
                              const absl::Status& status) {
        for (const std::string& note : graphs_->TakeNotes()) log_.Warning("note", {{"text", note}});
        if (asset == nullptr) {
          for (const absl::string_view error : absl::StrSplit(status.message(), '\n')) {
            log_.Warning("reload failed; the old version stays in use", {{"error", error}});
          }
          events->Say(EventHub::Event::RELOAD_FAILED, "", std::string(status.message()));
          return;
        }
        log_.Info("reloaded", {{"graph", asset->name()}});
        for (Worker* worker : workers->all()) {
          worker->Post([asset](Engine& engine, Now) { engine.SetGraphAsset(asset); });
        }
        events->Say(EventHub::Event::RELOADED, asset->name(), "");
      });
  thread_ = std::thread(
      [this] { service::CatchExceptionsInLoop(log_, "graph files", [this] { Run(); }); });
}

GraphWatcher::~GraphWatcher() {
  graphs_->SetListener(nullptr);
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void GraphWatcher::Run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kEvery, [this] { return stop_; })) {
    lock.unlock();
    graphs_->Poll();
    lock.lock();
  }
}

}  // namespace posewire::anim_graph
