# Makes the door of compose.scale.yml from envoy.yaml: a second listener, in plain text, and any number of
# nodes under one name. They have no names of their own, so both rings are made of addresses, and the node
# that a call reaches relays it to the one that serves the stream. Calls that name no stream go by the
# caller's address, so the lists and events that a client gets are always those of one node.
s/^          filters:$/          filters: \&calls/
s/^\( *\)retry_policy: /\1  - connection_properties: {source_ip: true}\
&/
/^ *metadata: .*hash_key/d
s/^      type: STRICT_DNS$/&\
      dns_lookup_family: V4_ONLY/
s/^  # Both rings are made of .*/\
    - name: plain\
      address: {socket_address: {address: 0.0.0.0, port_value: 51000}}\
      per_connection_buffer_limit_bytes: 262144\
      filter_chains: [{filters: *calls}]\
/
