// relay: forwards what is pushed to who pulls, byte for byte. The ceiling for anim_graph: the same
// calls and the same bytes, without parsing, graph or encoding.
//
//   relay [--idle]     listens on a free port of loopback and says so on standard output
//
// A pull of stream S gets every message that is pushed to S, as it comes. With --idle nothing is
// pushed: each pull gets a full frame 30 times a second from one ticker, in 16 slots.
#include <chrono>
#include <csignal>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "grpcpp/security/server_credentials.h"
#include "grpcpp/server.h"
#include "grpcpp/server_builder.h"
#include "tests/bench/relay/relay.h"

int main(int argc, char** argv) {
  const bool idle = argc == 2 && std::strcmp(argv[1], "--idle") == 0;
  if (argc > 1 && !idle) {
    std::cerr << "usage: relay [--idle]\n";
    return 2;
  }
  // Before any thread is made, so that all inherit it.
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  sigaddset(&stop, SIGINT);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);

  auto message = posewire::loadgen::PushMessage::Make();
  if (!message.ok()) {
    std::cerr << "relay: " << message.status().ToString() << "\n";
    return 1;
  }
  int port = 0;
  grpc::AsyncGenericService service;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterAsyncGenericService(&service);
  const std::unique_ptr<grpc::ServerCompletionQueue> queue = builder.AddCompletionQueue();
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (server == nullptr) {
    std::cerr << "relay: no port to listen on\n";
    return 1;
  }
  posewire::bench::Relay relay(idle, *std::move(message), &service, queue.get());
  std::thread thread([&relay] { relay.Run(); });
  std::cout << "{\"grpc_port\": " << port << "}" << std::endl;
  int signal = 0;
  sigwait(&stop, &signal);
  // The thread takes what comes back of the calls, until there are none.
  server->Shutdown(std::chrono::system_clock::now());
  while (relay.calls() > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  queue->Shutdown();
  thread.join();
  return 0;
}
