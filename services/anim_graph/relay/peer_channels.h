// Connections to peers.
#ifndef POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_PEER_CHANNELS_H_
#define POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_PEER_CHANNELS_H_

#include <grpcpp/channel.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "libs/client/connection.h"

namespace posewire::anim_graph {

// All calls to a peer share one connection, up to the number of calls that the peer accepts on it;
// gRPC would let further calls wait without end. A connection without calls is closed after a
// minute. Thread-safe.
class PeerChannels {
 public:
  // Connections without calls are forgotten when there are more than this.
  static constexpr size_t kMostKept = 64;

  struct Link {
    std::shared_ptr<grpc::Channel> channel;
  };

  // `options.address` is not used.
  PeerChannels(client::ConnectionOptions options, int calls_per_connection)
      : options_(std::move(options)), calls_per_connection_(calls_per_connection) {}

  // Returns a connection for one call, which counts as open while the result is kept. Does not wait
  // for the connection.
  std::shared_ptr<const Link> Take(const std::string& address);

  size_t size() const;

 private:
  const client::ConnectionOptions options_;
  const int calls_per_connection_;
  mutable std::mutex mutex_;
  std::multimap<std::string, std::shared_ptr<const Link>> links_;  // guarded by mutex_; by address
};

}  // namespace posewire::anim_graph

#endif  // POSEWIRE_SERVICES_ANIM_GRAPH_RELAY_PEER_CHANNELS_H_
