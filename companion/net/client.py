"""A client of a companion's HTTP API, for the program's other processes: cameras, devices, commands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from companion.hanafuda.errors import BadRequestError, MessageError, quote
from companion.hanafuda.messages import Message
from companion.messages import DEFAULT_LANGUAGE
from companion.messages.catalog import catalog
from companion.redaction import redacted

if TYPE_CHECKING:
    import httpx
    from httpx_sse import EventSource

_TIMEOUT_S: Final = 5.0
#: Silence after which a stream counts as lost, s; the server sends something every 12 s.
_SILENCE_S: Final = 30.0
#: HTTP statuses of a server that is only busy or starting.
_RETRYABLE: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class AwayError(MessageError):
    """Raised if the server cannot be reached or is not ready; a retry may succeed."""

    def __init__(self, message: Message | str, retry_after_s: float | None = None) -> None:
        self.retry_after_s = retry_after_s
        """When the server wants the request again, s; None if it does not say."""
        super().__init__(message)


class RefusedError(MessageError):
    """Raised if the server rejects a request, with the server's message; a retry would fail again."""

    def __init__(self, status: int, sentence: str, problem: Mapping[str, Any] | None = None) -> None:
        self.status = status
        self.problem = dict(problem or {})
        """The problem document of the answer (RFC 9457)."""
        super().__init__(_message(self.problem, sentence))


class Client:
    """Calls a server, from any thread, over connections that stay open until `close`; a context manager."""

    def __init__(self, url: str, token: str | None = None) -> None:
        """``url``: the server's, such as ``http://box:8420``. ``token``: a paired machine's. Raises `BadRequestError` for either if it is bad."""
        try:
            parsed = urlsplit(url)
            is_valid = parsed.scheme in {"http", "https"} and bool(parsed.hostname) and parsed.port != 0
        except ValueError:  # the port is not a number, or a bracket is not closed
            is_valid = False
        if not is_valid:
            raise BadRequestError(Message("client-bad-address", {"url": quote(redacted(url))}))
        if token is not None and not (token.isascii() and token.isprintable()):
            raise BadRequestError(Message("client-bad-token"))
        import ssl  # noqa: PLC0415  # both take a moment, which `companion --help` need not wait for

        import httpx  # noqa: PLC0415

        self.url = f"{parsed.scheme}://{parsed.netloc.rpartition('@')[2]}"
        self._http = httpx.Client(
            base_url=f"{parsed.scheme}://{parsed.netloc}",
            headers={"Accept": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {}),
            timeout=_TIMEOUT_S,
            # The machine's authorities; over plain HTTP there is nothing to verify, and loading them takes time.
            verify=ssl.create_default_context() if parsed.scheme == "https" else False,
            trust_env=False,  # the server is in the home network, behind no proxy
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def call(
        self,
        method: str,
        path: str,
        document: object = None,
        *,
        form: Mapping[str, tuple[None, str] | tuple[str, bytes, str]] | None = None,
    ) -> dict[str, Any]:
        """Send a request and return the answer's JSON object; raises `AwayError` or `RefusedError`.

        ``document`` is sent as JSON, or ``form`` as a multipart form of texts (None, text) and files (name, content, media type).
        """
        import httpx  # noqa: PLC0415

        try:
            answer = self._http.request(method, path, json=document, files=form)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            reason = re.sub(r"^\[Errno -?\d+\] ", "", str(error)) or type(error).__name__
            raise AwayError(Message("client-no-answer", {"url": self.url, "reason": reason})) from None
        content = _json_object(answer)
        if answer.is_error:
            raise _refusal(answer, content or {})
        if content is None:
            raise AwayError(Message("client-not-companion", {"url": self.url}))
        return content

    @contextmanager
    def stream(self, path: str, headers: Mapping[str, str]) -> Iterator[EventSource]:
        """Open a server-sent event stream; it and its messages raise `httpx.HTTPError`, such as after 30 s of silence."""
        import httpx  # noqa: PLC0415
        from httpx_sse import connect_sse  # noqa: PLC0415

        timeout = httpx.Timeout(_TIMEOUT_S, read=_SILENCE_S)
        with connect_sse(self._http, "GET", path, headers=dict(headers), timeout=timeout) as source:
            yield source


def _json_object(answer: httpx.Response) -> dict[str, Any] | None:
    try:
        document = answer.json()
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _refusal(answer: httpx.Response, problem: Mapping[str, Any]) -> AwayError | RefusedError:
    """Return the error for a problem document (RFC 9457)."""
    sentence = str(problem.get("detail") or problem.get("title") or answer.reason_phrase)
    if answer.status_code in _RETRYABLE:
        retry_after = answer.headers.get("Retry-After", "")
        return AwayError(_message(problem, sentence), float(retry_after) if retry_after.isdecimal() else None)
    return RefusedError(answer.status_code, sentence, problem)


def _message(problem: Mapping[str, Any], sentence: str) -> Message:
    """Return the message of a problem document; ``sentence``, its text, if this version's catalogs do not have it."""
    with suppress(KeyError, TypeError, ValueError):
        document = problem.get("says") or problem
        if document["code"] in catalog(DEFAULT_LANGUAGE):
            return Message.from_dict({"code": document["code"], "params": document.get("params")})
    return Message("text", {"en": sentence})
