// Where calls are served: a queue and the worker whose thread polls it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_WORKER_ENDPOINT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_WORKER_ENDPOINT_H_

#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "libs/service/connection_table.h"
#include "libs/service/queue_calls.h"
#include "libs/service/tcp_cork.h"
#include "libs/wire/chunk.h"
#include "services/anim_graph/runtime/admission.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

struct WorkerEndpoint {
  const CallParts* parts;
  Worker* worker;
  grpc::ServerCompletionQueue* queue;
  service::CallCount* calls;
  const service::ConnectionTable* connections;
  // Of the worker's thread: holds together what a tick writes.
  service::TcpCork* cork;
  const std::deque<WorkerEndpoint>* all;  // of all workers
  // Of the worker's thread: every message is read into this memory.
  mutable wire::Chunk scratch = wire::DataChunk{};

  const WorkerEndpoint& Of(const Worker* other) const {
    return *std::find_if(all->begin(), all->end(),
                         [&](const WorkerEndpoint& endpoint) { return endpoint.worker == other; });
  }

  // Runs `action(engine, now)` where `of` lives, the worker of the call's stream. It is this very
  // thread when that is the worker of the queue; else `action` goes as a task, and holds `call`.
  template <typename Call, typename Action>
  void RunAt(Worker* of, Call* call, Action action) const {
    if (of == worker) {
      action(of->engine(), ReadClocks());
      return;
    }
    of->Post(
        [held = call->shared_from_this(), action = std::move(action)](
            Engine& engine, Now now) mutable { held->Contained([&] { action(engine, now); }); });
  }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_WORKER_ENDPOINT_H_
