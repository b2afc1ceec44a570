"""The HTTP side: connections, requests, responses. Knows nothing of the model."""
