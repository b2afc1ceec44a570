"""Errors in OpenAI's shape: {"error": {"message", "type", "param", "code"}}."""

import json


class ApiError(Exception):
    """Ends a request with a status. The message says what would be valid."""

    def __init__(self, status, message, param=None, code=None, headers=()):
        super().__init__(message)
        self.status = status
        self.param = param
        self.code = code
        self.headers = list(headers)

    def body(self):
        kind = {
            401: "authentication_error",
            429: "rate_limit_error",
            500: "server_error",
            503: "server_error",
        }.get(self.status, "invalid_request_error")
        return json.dumps(
            {"error": {"message": str(self), "type": kind, "param": self.param, "code": self.code}},
            ensure_ascii=False,
        ).encode()
