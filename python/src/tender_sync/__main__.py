"""python -m tender_sync: keeps a copy, compares it with the published edition, and prints records."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from typing import Any, Callable, Dict, List, NamedTuple, Optional

from .client import MOST_SECONDS, MOST_WAIT, VERSION, Client, Event, Filter
from .contract import LIST_FILTERS
from .copies import Copy, record_text
from .errors import SyncError, TenderError
from .procedure import Outcome, filter_hash, sync

# As those of tender-sync (docs/sync/tender-sync.md).
DONE, BUG, USAGE, SKIPPED, GAVE_UP, DIFFERS = 0, 1, 2, 3, 4, 5

_epilog = """The token comes from TENDER_TOKEN or --token-file, never from an argument: arguments appear in the
process list. Exit codes: 0 done, 2 wrong usage, 3 skipped: another run is in progress, 4 given up, state kept,
5 the copy differs (verify), 1 a bug."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tender_sync", description=__doc__, epilog=_epilog)
    parser.add_argument("--version", action="version", version=VERSION)
    asking = argparse.ArgumentParser(add_help=False)
    asking.add_argument("--url", required=True, help="the API, without /v1")
    asking.add_argument("--token-file", help="reread for each request; default: TENDER_TOKEN")
    asking.add_argument("--allow-http", action="store_true", help="allow plain HTTP to another machine")
    asking.add_argument("--max-wait", type=float, metavar="MINUTES", help="give up sooner; default: half an hour")
    asking.add_argument("--quiet", action="store_true", help="no progress and no summary")
    of_copy = argparse.ArgumentParser(add_help=False)
    of_copy.add_argument("--sink", required=True, help="sqlite:FILE or ndjson:FILE")
    of_copy.add_argument("--json", action="store_true", help="JSON lines instead of text")
    filtering = argparse.ArgumentParser(add_help=False)
    filtering.add_argument(
        "--filter", action="append", default=[], metavar="NAME=VALUE", help="cpv=45000000,71000000, nuts=DE2 …"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", parents=[asking, of_copy, filtering], help="loads the copy, or what changed since")
    run.add_argument("--initial", choices=["open", "history"], default="open", help="history: archived records too")
    run.add_argument("--new-filters", action="store_true", help="if the filters changed, reload the copy")
    run.add_argument("--rebuild", action="store_true", help="forget the state, and load everything again")
    run.add_argument("--bulk", action="store_true", help="load the first run from files of a whole edition")
    commands.add_parser("verify", parents=[asking, of_copy], help="compares the copy with the edition by its digest")
    commands.add_parser("status", parents=[of_copy], help="shows state and content; sends no request")
    commands.add_parser("list", parents=[asking, filtering], help="prints records, one JSON object per line")
    get = commands.add_parser("get", parents=[asking], help="prints one record")
    get.add_argument("id")
    return parser


def _filters(given: List[str]) -> Dict[str, Filter]:
    filters: Dict[str, Filter] = {}
    for each in given:
        name, mark, value = each.partition("=")
        if not mark or not value:
            raise SyncError("--filter %s: write NAME=VALUE." % each, "usage")
        if name in LIST_FILTERS:
            before = filters.get(name)
            filters[name] = (before if isinstance(before, list) else []) + value.split(",")
        else:
            filters[name] = value
    return filters


def _token(path: Optional[str]) -> Callable[[], str]:
    def read() -> str:
        if path is None:
            return os.environ.get("TENDER_TOKEN", "").strip()
        with open(path, encoding="utf-8") as file:
            return file.read().strip()

    if not read():
        raise SyncError("There is no token: set TENDER_TOKEN, or use --token-file.", "usage")
    return read


class _Printer:
    """Events as lines of JSON, or in words for people."""

    def __init__(self, is_json: bool, is_quiet: bool) -> None:
        self._is_json = is_json
        self._is_quiet = is_quiet

    def __call__(self, event: Event) -> None:
        if self._is_json:
            print(json.dumps(event), flush=True)
        elif self._is_quiet:
            return
        elif event["event"] == "wait":
            self._say("waiting %d s (%s): %s" % (event["seconds"] + 0.5, event["reason"], event["message"]))
        elif event["event"] == "page" and sys.stderr.isatty():
            self._say("%d records" % event["counts"]["records"])
        elif event["event"] in ("restart", "differs"):
            self._say("going over it again: %s" % event.get("reason", "the copy differs from its edition"))

    def _say(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


class _Time(NamedTuple):
    """How waits pass, and how long an answer may take."""

    sleep: Callable[[float], None]
    timeout: float


def _client(args: argparse.Namespace, on: Callable[[Event], None], is_begun: bool, given: _Time) -> Client:
    most = MOST_WAIT if args.max_wait is None else min(args.max_wait * 60, MOST_WAIT)
    # an address that never answered is more often wrong than down
    first = most if is_begun or args.max_wait is not None else 0.0
    try:
        return Client(
            args.url,
            _token(args.token_file),
            allow_http=args.allow_http,
            timeout=given.timeout,
            max_wait=most,
            first_contact=first,
            on=on,
            sleep=given.sleep,
        )
    except ValueError as wrong:
        raise SyncError(str(wrong), "usage")


def _run(args: argparse.Namespace, given: _Time) -> int:
    on = _Printer(args.json, args.quiet)
    filters = _filters(args.filter)
    with Copy(args.sink) as copy:
        client = _client(args, on, not args.rebuild and copy.load("state") is not None, given)
        options: Dict[str, Any] = {"filters": filters, "initial": args.initial, "on": on}
        outcome = sync(client, copy, new_filters=args.new_filters, rebuild=args.rebuild, bulk=args.bulk, **options)
        # it ended at the edition with which it began, which may be a day old
        if outcome.is_resumed or outcome.is_from_files:
            warnings = outcome.warnings
            outcome = sync(client, copy, **options)
            outcome.warnings[:0] = warnings
        if args.json:
            result = "skipped" if outcome.is_skipped else "completed"
            print(json.dumps({"event": "end", "result": result, **outcome._asdict()}))
        for warning in outcome.warnings:
            print("Warning: " + warning, file=sys.stderr)
        if outcome.is_skipped:
            print("Skipped: another run is in progress. Nothing was changed.", file=sys.stderr)
            return SKIPPED
        if not args.quiet and not args.json:
            print(_summary(outcome, copy))
    return DONE


def _summary(outcome: Outcome, copy: Copy) -> str:
    counts = outcome.counts
    kinds = [
        "%d %s" % (counts[name], word)
        for name, word in (("open", "open"), ("archived", "archived"), ("merged", "merged"), ("fetched", "looked up"))
        if counts[name] or name == "open"
    ]
    return "\n".join(
        [
            "The copy in %s is up to date." % copy.title,
            "  run       %s run, %.1f s" % (outcome.kind, outcome.seconds),
            "  records   %d records in %d page%s" % (counts["records"], counts["pages"], "" if counts["pages"] == 1 else "s"),
            "  of these  " + ", ".join(kinds),
            "  state     " + (outcome.updated_since or "none yet: no record was delivered"),
        ]
    )


def _verify(args: argparse.Namespace, given: _Time) -> int:
    started = time.monotonic()
    with Copy(args.sink, read_only=True) as copy:
        source, state = copy.load("source") or {}, copy.load("state") or {}
        if state.get("filterHash", filter_hash({})) != filter_hash({}):
            raise SyncError("The copy has filters, and an edition has no digest of a part: verify compares whole copies.", "usage")
        client = _client(args, _Printer(False, args.quiet), True, given)
        page = client.page(limit=1)
        held = copy.read_digest()
    if page.digest is None:
        raise SyncError("The answer names no digest: something between the client and the API removed it.", "feed")
    is_all = source.get("initial") == "history"
    mine, theirs = (held.all, page.digest[1]) if is_all else (held.open, page.digest[0])
    report: Dict[str, Any] = {"equal": mine == theirs, "held": held.records, "edition": page.edition}
    if args.json:
        print(json.dumps({**report, "copy": mine, "stock": theirs}))
    elif mine == theirs:
        took = time.monotonic() - started
        print("The copy in %s equals edition %s: %d records, in %.1f s." % (copy.title, page.edition, held.records, took))
    else:
        print(
            "The copy in %s differs from edition %s: run first, as it may only be older."
            % (copy.title, page.edition)
        )
    return DONE if mine == theirs else DIFFERS


def _status(args: argparse.Namespace) -> int:
    with Copy(args.sink, read_only=True) as copy:
        state, source, held = copy.load("state") or {}, copy.load("source") or {}, copy.digest()
    if args.json:
        print(json.dumps({"state": state, "source": source, "held": held._asdict()}))
        return DONE
    known = "complete up to %s" % state.get("updatedSince") if state.get("updatedSince") else "no run was completed"
    rows = [("state", known + (", and a run to be continued" if "run" in state else ""))]
    rows += [("copy", "%d records" % held.records), ("source", source.get("url", "none"))]
    print("\n".join([copy.title] + ["  %-9s %s" % row for row in rows]))
    return DONE


def _print(args: argparse.Namespace, given: _Time) -> int:
    client = _client(args, _Printer(False, args.quiet), True, given)
    records = [client.get(args.id)] if args.command == "get" else client.list(**_filters(args.filter))
    for record in records:
        sys.stdout.write(record_text(record) + "\n")
    return DONE


def main(
    argv: Optional[List[str]] = None,
    *,
    sleep: Callable[[float], None] = time.sleep,
    timeout: float = MOST_SECONDS,
) -> int:
    """Returns the exit code."""
    given = _Time(sleep, timeout)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    args = _parser().parse_args(argv)
    try:
        if args.command == "run":
            return _run(args, given)
        if args.command == "verify":
            return _verify(args, given)
        return _status(args) if args.command == "status" else _print(args, given)
    except BrokenPipeError:
        sys.stderr.close()
        return DONE
    except KeyboardInterrupt:
        print("Stopped; the copy and its state are as last committed.", file=sys.stderr)
        return GAVE_UP
    except (TenderError, OSError) as fault:
        code = getattr(fault, "code", "") or "sink"
        if getattr(args, "json", False):
            print(json.dumps({"event": "end", "result": "aborted", "code": code, "message": str(fault)}))
        else:
            print("%s [%s]" % (fault, code), file=sys.stderr)
        return USAGE if code == "usage" else GAVE_UP


if __name__ == "__main__":
    sys.exit(main())
