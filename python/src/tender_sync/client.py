"""The read API: pages and records, with the waits of the specification. Only the standard library."""

from __future__ import annotations

import email.utils
import http.client
import json
import random
import re
import socket
import ssl
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import zlib
from datetime import datetime, timezone
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union, cast

from .contract import SHAPES, TenderRecord
from .errors import FeedError, ProblemError, TenderError, UnreachableError

VERSION = "0.1.0"

# What a filter may be: `cpv=["45000000"]`, `value_min=100000`, `archived=True`.
Filter = Union[None, str, int, bool, List[str], Tuple[str, ...]]
Event = Dict[str, Any]

# How long to wait after the first, second … failure (C153); after the sixth the request is abandoned.
BACKOFF = (60, 120, 240, 480, 960)
# C152: the wait if the answer does not say how long to wait.
DEFAULT_WAIT = 60.0
# A node that lags is behind for seconds; the next request may also reach a different one.
LAG_WAIT = 5.0
MOST_WAIT = 3600.0
MOST_SECONDS = 60.0
# Most bytes of an answer, unpacked: a server that never ends must not fill the memory.
MOST_BYTES = 64 << 20
# Where the newest edition that has files names them, and how long to wait for files that are being made.
MANIFEST = "/bulk/editions/latest"
MANIFEST_WAIT = 600.0
# Later than the answer's own `Date` by more than this, nothing newer would ever be delivered.
MOST_AHEAD = 24 * 3600

_time = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_digest = re.compile(r"open=([0-9a-f]{64}), all=([0-9a-f]{64})")
_loopback = re.compile(r"localhost|127(?:\.\d+){3}|::1")


class Page(NamedTuple):
    """One answer of the list, with the facts from its headers."""

    data: List[TenderRecord]
    next_cursor: Optional[str]
    # Number of the edition, the digests of its open and of all its records, and the seconds of the answer's `Date`.
    edition: Optional[int]
    digest: Optional[Tuple[str, str]]
    sent_at: Optional[float]


class Seen:
    """The newest edition that answers came from: whatever an older one says may be out of date, or missing."""

    def __init__(self, edition: int = 0) -> None:
        self.edition = edition

    def see(self, edition: Optional[int]) -> None:
        self.edition = max(self.edition, edition or 0)


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    body: bytes


class Client:
    """Reads tenders. A call returns an answer, or raises
    - a ProblemError: the API refused (400, 401, 403, 404: at once) or kept answering 429, 503 or 5xx;
    - an UnreachableError: no usable answer came in six attempts over half an hour;
    - a FeedError: a record lacks a member of the contract, or is of a time far ahead of the answer's `Date`.
    """

    def __init__(
        self,
        base_url: str,
        token: Union[str, Callable[[], str]],
        *,
        allow_http: bool = False,
        timeout: float = MOST_SECONDS,
        max_wait: float = MOST_WAIT,
        first_contact: Optional[float] = None,
        on: Optional[Callable[[Event], None]] = None,
        sleep: Callable[[float], None] = time.sleep,
        context: Optional[ssl.SSLContext] = None,
    ) -> None:
        """`token`: a function is called before each request, so that a rotation needs no restart. `first_contact` is
        `max_wait` until the first answer came: an address that was never reached is more often wrong than down."""
        url = urllib.parse.urlsplit(base_url)
        is_safe = url.scheme == "https" or (
            url.scheme == "http" and (allow_http or _loopback.fullmatch(url.hostname or "") is not None)
        )
        if not is_safe:
            raise ValueError(
                "%s: use https, or allow_http where something else protects the token." % base_url
            )
        if not 0 < timeout <= MOST_SECONDS or not 0 <= max_wait <= MOST_WAIT:
            raise ValueError("timeout is at most %d s, and max_wait at most %d s." % (MOST_SECONDS, MOST_WAIT))
        self.base_url = base_url.rstrip("/")
        self._given = token
        self._timeout = timeout
        self._max_wait = max_wait
        self._first_contact = max_wait if first_contact is None else min(first_contact, max_wait)
        self._is_reached = False
        self._on = on or (lambda event: None)
        self._sleep = sleep
        self._context = context or ssl.create_default_context()
        self._free_at = 0.0

    def page(self, **query: Filter) -> Page:
        """One page; pass the `next_cursor` of the previous page as `cursor`, with the same filters."""
        text = urllib.parse.urlencode(
            {name: _parameter(value) for name, value in query.items() if value is not None and value not in ([], ())}
        )
        body, headers = self._request("/v1/tenders" + ("?" + text if text else ""), _is_list, 0)
        sent_at = _date(headers.get("date"))
        for record in body["data"]:
            checked_record(record, sent_at)
        said = _digest.fullmatch(headers.get("x-stock-digest") or "")
        return Page(
            body["data"],
            body["nextCursor"],
            _edition(headers),
            (said.group(1), said.group(2)) if said else None,
            sent_at,
        )

    def list(self, **query: Filter) -> Iterator[TenderRecord]:
        """All records of the list, in the order of `lastModified`, one page in memory at a time."""
        while True:
            page = self.page(**query)
            yield from page.data
            if page.next_cursor is None:
                return
            query["cursor"] = page.next_cursor

    def get(self, tender_id: str, seen: Optional[Seen] = None) -> TenderRecord:
        """One record by its id, archived and merged ones too. Unknown: a ProblemError with the slug `not-found`. With
        `seen`, a node that has only older editions counts like a 503."""
        path = "/v1/tenders/" + urllib.parse.quote(tender_id, safe="")
        body, headers = self._request(path, _is_record, seen.edition if seen else 0)
        if seen:
            seen.see(_edition(headers))
        record = checked_record(body, _date(headers.get("date")))
        if record["id"].lower() != tender_id.lower():
            raise FeedError("The API answered record %s in place of %s." % (record["id"], tender_id))
        return record

    def manifest(self, is_usable: Callable[[Any], bool]) -> Dict[str, Any]:
        """The manifest of the newest edition that has files."""
        body, _ = self._request(MANIFEST, is_usable, 0, MANIFEST_WAIT)
        return cast(Dict[str, Any], body)

    def transfer(self, url: str, path: str, start: int, size: int) -> Tuple[int, Mapping[str, str], str]:
        """Writes what a link has from a byte on to the end of a file, never much more than `size`. The link opens the
        file: the token is not sent, wherever a redirect leads. Returns the status, 0 if the connection broke, with the
        headers of a refusal, and why there is no more."""
        if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
            return 400, {}, "its address is not one of HTTP"
        asked = {"Accept-Encoding": "identity", "User-Agent": "tender-sync-python/" + VERSION}
        if start > 0:
            asked["Range"] = "bytes=%d-" % start
        opener = urllib.request.build_opener(_handler([], self._context))
        try:
            with opener.open(urllib.request.Request(url, headers=asked), timeout=self._timeout) as answer:
                is_rest = answer.status == 206 and start > 0
                with open(path, "ab" if is_rest else "wb") as out:
                    for block in iter(lambda: cast(bytes, answer.read(1 << 18)), b""):
                        try:
                            out.write(block)
                        except OSError as fault:
                            raise TenderError("%s cannot be written: %s" % (path, fault), "sink") from fault
                        if out.tell() > size:
                            break
                return int(answer.status), {}, "the answer ended early"
        except urllib.error.HTTPError as refusal:
            refusal.close()
            return refusal.code, {name.lower(): value for name, value in refusal.headers.items()}, "HTTP %d" % refusal.code
        except (OSError, http.client.HTTPException) as fault:
            return 0, {}, _words(fault)

    def wait(self, seconds: float, waited: float, message: str) -> bool:
        """Waits, unless that is longer than it may be."""
        if waited + seconds > self._max_wait:
            return False
        self._on({"event": "wait", "reason": "failure", "seconds": seconds, "message": message})
        self._sleep(seconds)
        return True

    def _request(
        self, path: str, is_usable: Callable[[Any], bool], not_before: int, most_wait: float = MOST_WAIT
    ) -> Tuple[Any, Mapping[str, str]]:
        failures = 0
        waited = 0.0
        attempt = 0
        while True:
            attempt += 1
            error: Exception
            wait: Optional[float] = None
            reason = "failure"
            token = self._given if isinstance(self._given, str) else self._given()
            if not re.fullmatch(r"[\x21-\x7e]+", token):
                raise TenderError("There is no token, or it holds characters that no token has.", "usage")
            try:
                answer = self._exchange(path, token)
                self._is_reached = True
                if 200 <= answer.status < 300:
                    body = _parsed(answer.body)
                    if not is_usable(body):
                        raise ValueError("The answer is JSON, but not what the API answers.")
                else:
                    body = None
                edition = _edition(answer.headers)
                if answer.status in (200, 404) and edition is not None and edition < not_before:
                    error = UnreachableError("The answer is of edition %d, %d was seen before." % (edition, not_before))
                    wait, reason = LAG_WAIT, "lagging"
                elif body is not None:
                    return body, answer.headers
                else:
                    error = ProblemError(answer.status, _problem(path, answer))
                    if answer.status in (429, 503):
                        wait, reason = retry_after(answer.headers), "rate-limited" if answer.status == 429 else "unavailable"
                    elif answer.status == 408 or answer.status >= 500:
                        failures += 1
                        wait = BACKOFF[failures - 1] if failures <= len(BACKOFF) else None
            # zlib.error is none of the others, and a deeply nested text exhausts the stack
            except (OSError, http.client.HTTPException, ValueError, zlib.error, EOFError, RecursionError) as fault:
                failures += 1
                wait = BACKOFF[failures - 1] if failures <= len(BACKOFF) else None
                times = "one attempt" if attempt == 1 else "%d attempts" % attempt
                error = UnreachableError("No usable answer in %s: %s" % (times, _words(fault)))
                error.__cause__ = fault
            patience = self._max_wait if self._is_reached else self._first_contact
            if wait is None or waited + wait > min(patience, most_wait):
                raise error
            self._on({"event": "wait", "reason": reason, "seconds": wait, "message": str(error)})
            waited += wait
            self._sleep(wait)

    def _exchange(self, path: str, token: str) -> _Answer:
        """One request, with its whole body, in the time that is given. The quota is not overdrawn: it waits if the last
        answer said that the next request would be refused."""
        ahead = self._free_at - time.monotonic()
        if ahead > 0:
            self._on({"event": "wait", "reason": "pace", "seconds": ahead, "message": "the quota is used up"})
            self._sleep(ahead)
        self._free_at = 0.0
        sockets: List[socket.socket] = []
        opener = urllib.request.build_opener(_NoRedirect(), _handler(sockets, self._context))
        request = urllib.request.Request(
            self.base_url + path,
            headers={
                "Authorization": "Bearer " + token,
                "Accept": "application/json",
                "Accept-Encoding": "gzip",
                "User-Agent": "tender-sync-python/" + VERSION,
            },
        )
        deadline = time.monotonic() + self._timeout
        # A body that comes byte by byte never exceeds the time limit of one read: this ends it.
        watch = threading.Timer(self._timeout, _shut, [sockets])
        watch.daemon = True
        watch.start()
        response: Any = None
        try:
            try:
                response = opener.open(request, timeout=self._timeout)
            except urllib.error.HTTPError as refused:
                response = refused
            headers = {name.lower(): value for name, value in response.headers.items()}
            status = int(response.code)
            self._pace(headers)
            try:
                body = _read(response, headers, deadline)
            # An error's status counts even when its body broke off, or has no end.
            except (OSError, http.client.HTTPException, ValueError, zlib.error):
                if 200 <= status < 300:
                    raise
                body = b""
            return _Answer(status, headers, body)
        finally:
            watch.cancel()
            if response is not None:
                response.close()

    def _pace(self, headers: Mapping[str, str]) -> None:
        remaining, reset = headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-reset")
        if remaining == "0" and reset is not None and reset.isdigit():
            # spread, as others of the organization wait for the same moment
            self._free_at = time.monotonic() + min(int(reset), 60) + random.random()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Following a redirect would send the token wherever the answer points."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _handler(sockets: List[socket.socket], context: ssl.SSLContext) -> urllib.request.BaseHandler:
    """Opens connections, and keeps their sockets where `_shut` finds them."""

    class Plain(http.client.HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Secure(http.client.HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Handler(urllib.request.HTTPSHandler, urllib.request.HTTPHandler):
        def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(cast(Any, Plain), request)

        def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
            return self.do_open(cast(Any, Secure), request, context=context)

    return Handler(context=context)


def _shut(sockets: List[socket.socket]) -> None:
    for each in sockets:
        try:
            socket.socket.shutdown(each, socket.SHUT_RDWR)
        except OSError:
            pass


def _read(response: Any, headers: Mapping[str, str], deadline: float) -> bytes:
    """The whole body, unpacked. Raises if it is cut, too long, or too slow."""
    is_packed = headers.get("content-encoding", "").lower() == "gzip"
    unpack = zlib.decompressobj(31)
    parts: List[bytes] = []
    size = received = 0
    while True:
        chunk = response.read(65536)
        if time.monotonic() > deadline:
            raise TimeoutError("No whole answer in time.")
        if not chunk:
            break
        received += len(chunk)
        while chunk:
            part = unpack.decompress(chunk, MOST_BYTES) if is_packed else chunk
            # a body may have several members (RFC 1952, 2.2)
            chunk = unpack.unconsumed_tail or (unpack.unused_data if unpack.eof else b"") if is_packed else b""
            if is_packed and unpack.eof and chunk:
                unpack = zlib.decompressobj(31)
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES or received > MOST_BYTES:
                raise ValueError("The answer is longer than %d MiB." % (MOST_BYTES >> 20))
    length = headers.get("content-length", "")
    if length.isdigit() and received != int(length):
        raise EOFError("The answer was cut after %d of %s bytes." % (received, length))
    if is_packed and not unpack.eof:
        raise EOFError("The answer was cut.")
    return b"".join(parts)


def _parsed(body: bytes) -> Any:
    def refuse(name: str) -> Any:
        raise ValueError("%s is not JSON." % name)

    return json.loads(body.decode("utf-8"), parse_constant=refuse)


def _problem(path: str, answer: _Answer) -> Dict[str, Any]:
    """The answer's problem; one in the same form if something between the client and the API answered."""
    is_redirect = 300 <= answer.status < 400
    place = answer.headers.get("location")
    detail = "The answer is not a problem document; something between the client and the API produced it."
    if is_redirect:
        detail = "The address redirects%s; use the address of the API." % (" to " + place if place else "")
    title = http.client.responses.get(answer.status, "Error")
    problem: Dict[str, Any] = {"type": "about:blank", "title": title, "detail": detail, "instance": path.split("?")[0]}
    try:
        body = _parsed(answer.body)
        if isinstance(body, dict):
            problem.update(body)
    except (ValueError, RecursionError):
        pass
    # the status decides about retries, whatever the body claims
    problem["status"] = answer.status
    return problem


def _words(fault: BaseException) -> str:
    inner = getattr(fault, "reason", fault)
    return "%s (%s)" % (inner, type(inner).__name__) if str(inner) else type(inner).__name__


def _is_list(body: Any) -> bool:
    return (
        isinstance(body, dict)
        and isinstance(body.get("data"), list)
        and "nextCursor" in body
        and (body["nextCursor"] is None or isinstance(body["nextCursor"], str))
    )


def _is_record(body: Any) -> bool:
    return isinstance(body, dict) and isinstance(body.get("id"), str)


def _parameter(value: Filter) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return ",".join(value) if isinstance(value, (list, tuple)) else str(value)


def _edition(headers: Mapping[str, str]) -> Optional[int]:
    found = re.match(r"\d{1,15}", headers.get("x-stock-state") or "")
    return int(found.group()) if found else None


def _date(text: Optional[str]) -> Optional[float]:
    """The seconds of a header's date; None without one that can be read."""
    try:
        return email.utils.parsedate_to_datetime(text or "").timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None


def retry_after(headers: Mapping[str, str]) -> float:
    """C152: `Retry-After` in seconds, or as a date compared with the answer's own `Date`, never with the clock of this
    machine (RFC 9110, 10.2.3). At least a second: zero must not become a busy loop."""
    text = (headers.get("retry-after") or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return max(1.0, float(text))
    until, sent_at = _date(text), _date(headers.get("date"))
    return DEFAULT_WAIT if until is None or sent_at is None else max(1.0, until - sent_at)


def instant(text: str) -> float:
    """The seconds of an instant as delivered."""
    return datetime.fromisoformat(text[:-1] + "+00:00").timestamp()


def instant_text(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _fault(value: Any, kind: str, path: str) -> Optional[str]:
    """What is wrong with the value at a path; None if nothing is."""
    if kind.endswith("|null"):
        return None if value is None else _fault(value, kind[:-5], path)
    if kind.endswith("[]"):
        if not isinstance(value, list):
            return "%s is not a list" % path
        faults = (_fault(each, kind[:-2], "%s[%d]" % (path, index)) for index, each in enumerate(value))
        return next((fault for fault in faults if fault), None)
    if kind in SHAPES:
        if not isinstance(value, dict):
            return "%s is not an object" % path
        for member, of in SHAPES[kind].items():
            inner = "%s.%s" % (path, member) if path else member
            is_required = of.endswith("!")
            if member not in value:
                if is_required:
                    return "%s is missing" % inner
            # A null in the place of a member that may be missing is the same to everybody who reads it.
            elif value[member] is not None or is_required:
                fault = _fault(value[member], of.rstrip("!"), inner)
                if fault:
                    return fault
        return None
    if kind == "time":
        is_right = isinstance(value, str) and re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", value) is not None
    elif kind == "string":
        is_right = isinstance(value, str)
    elif kind == "boolean":
        is_right = isinstance(value, bool)
    elif kind == "number":
        is_right = isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1.8e308
    else:
        is_right = isinstance(value, dict)
    return None if is_right else "%s is not a %s" % (path, kind)


def checked_record(value: Any, sent_at: Optional[float]) -> TenderRecord:
    """The value as a record of an answer that was sent at `sent_at`. Raises a FeedError that names what is wrong."""
    fault = _fault(value, "TenderRecord", "")
    name = value.get("id") if isinstance(value, dict) else None
    who = "Record %s" % name[:40] if isinstance(name, str) and name else "A record"
    if fault is None and not name:
        fault = "it has no id"
    if fault is None:
        last = value["lastModified"]
        try:
            if not _time.fullmatch(last):
                raise ValueError
            ahead = instant(last) - (instant(last) if sent_at is None else sent_at)
            if ahead > MOST_AHEAD:
                fault = "its lastModified %s is more than a day later than the answer itself" % last
        except ValueError:
            fault = "lastModified %s is not a UTC time with milliseconds" % last[:40]
    if fault is not None:
        raise FeedError("%s of the API cannot be used: %s." % (who, fault))
    return cast(TenderRecord, value)
