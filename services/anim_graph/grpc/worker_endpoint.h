// A completion queue together with the worker whose thread polls it.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_WORKER_ENDPOINT_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_WORKER_ENDPOINT_H_

#include <grpcpp/completion_queue.h>

#include <algorithm>
#include <deque>
#include <thread>
#include <utility>

#include "libs/service/connection_table.h"
#include "libs/service/queue_calls.h"
#include "libs/service/tcp_cork.h"
#include "libs/wire/chunk.h"
#include "services/anim_graph/relay/relay.h"
#include "services/anim_graph/runtime/admission.h"
#include "services/anim_graph/runtime/worker.h"

namespace posewire::anim_graph {

struct WorkerEndpoint {
  const CallParts* parts;
  Worker* worker;
  grpc::ServerCompletionQueue* queue;
  service::CallCount* calls;
  const service::ConnectionTable* connections;
  // Used on the worker's thread: sends all writes of a tick together.
  service::TcpCork* cork;
  const std::deque<WorkerEndpoint>* all;  // endpoints of all workers
  Relay* relay;                           // never null if CallParts::peers is set
  // Used on the worker's thread: every message is parsed into this memory.
  mutable wire::Chunk scratch = wire::DataChunk{};

  const WorkerEndpoint& Of(const Worker* other) const {
    return *std::find_if(all->begin(), all->end(),
                         [&](const WorkerEndpoint& endpoint) { return endpoint.worker == other; });
  }

  // Runs `action(engine, now)` on the thread of worker `of`, which owns the call's stream. If that
  // is this endpoint's worker, runs it directly; the caller must be on its thread. Otherwise posts
  // a task, which keeps `call` alive.
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

  // Calls Admit, then `then(admitted)` on this endpoint's thread, unless the call is over by then.
  // The caller must be on that thread.
  template <typename Call, typename Then>
  void AdmitCall(Call* call, const stream::Caller& caller, absl::string_view stream_id,
                 stream::Permission permission, Then then) const {
    Admit(*parts, caller, stream_id, permission,
          [this, call, held = call->shared_from_this(), then = std::move(then),
           own = std::this_thread::get_id()](absl::StatusOr<Admitted> admitted) mutable {
            auto go_on = [call, then = std::move(then), admitted = std::move(admitted)]() mutable {
              if (!call->Over()) then(std::move(admitted));
            };
            if (std::this_thread::get_id() == own) return go_on();
            worker->Post([held = std::move(held), go_on = std::move(go_on)](Engine&, Now) mutable {
              held->Contained([&] { go_on(); });
            });
          });
  }
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_GRPC_WORKER_ENDPOINT_H_
