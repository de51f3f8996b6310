"""One run of the sync procedure (docs/specification.md, 8.2): fetches what changed, hands it to a copy, keeps
the state.

Why the copy is equal to the edition afterwards: the state is a `lastModified` that was delivered, so it never exceeds
that of the edition a run was pinned to; everything changed later carries a larger one, and is in range of the next run
(docs/sync/proof.md). Records and state are committed together; a crash in between repeats, and never skips."""

from __future__ import annotations

import hashlib
import json
import sqlite3
import time
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Set, Tuple

from .bulk import CURSOR, Files
from .client import Client, Event, Filter, Page, Seen, instant, instant_text
from .contract import FILTERS, TenderRecord
from .copies import Copy, State
from .digest import LOST, Digest
from .errors import FeedError, ProblemError, StagingLostError, SyncError
from .merges import MergeQueue

# No record was last changed before this time; with it as `updated_since`, archived records are delivered too.
ARCHIVE_FLOOR = "2022-01-01T00:00:00.000Z"
MOST_RESTARTS = 3
# More leftover records than this are better delivered by a run over the changes since.
MOST_SINGLE_CHECKS = 600
HOURS_TO_WARNING = 2
HOURS_TO_FAILURE = 6
_finished = {"closed", "awarded", "cancelled", "merged", LOST}


class Outcome(NamedTuple):
    """How a run ended that was not given up; `is_skipped`: another run is in progress (C154)."""

    is_skipped: bool
    kind: str
    is_resumed: bool
    # pages, records, open, archived, merged, fetched, restarts
    counts: Dict[str, int]
    updated_since: Optional[str]
    # What a person should know although the run completed.
    warnings: List[str]
    seconds: float
    # Whether records came from files of a whole edition.
    is_from_files: bool = False


class _Plan(NamedTuple):
    kind: str
    is_resumed: bool = False
    updated_since: Optional[str] = None
    cursor: Optional[str] = None
    largest: Optional[str] = None
    merges: Tuple[str, ...] = ()
    edition: Optional[int] = None
    oldest_held: Optional[str] = None
    is_repair: bool = False
    # The walk brings everything that a complete copy holds; what it leaves out is looked up: "all", or a "few" records.
    looks_up: str = ""


class _End(NamedTuple):
    state: State
    needs_delta: bool
    # None: they cannot be compared.
    is_different: Optional[bool]
    # A repair ended without a look at what the walk left out.
    is_unchecked: bool
    lost: int
    # Edition of the pages, the newest one that the copy has seen, and for how many hours: None unless it is older.
    behind: Optional[Tuple[int, int, int]]


def filter_hash(filters: Mapping[str, Filter]) -> str:
    """Names the filters: the order of names and codes, repeated codes, and empty filters make no difference."""
    canonical = [
        [name, sorted(set(value)) if isinstance(value, (list, tuple)) else value]
        for name, value in sorted(filters.items())
        if value is not None and value not in ([], ())
    ]
    text = json.dumps(canonical, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]


def sync(
    client: Client,
    copy: Copy,
    *,
    filters: Optional[Mapping[str, Filter]] = None,
    initial: str = "open",
    new_filters: bool = False,
    rebuild: bool = False,
    limit: int = 100,
    bulk: bool = False,
    on: Optional[Callable[[Event], None]] = None,
) -> Outcome:
    """Brings the copy up to date. `initial`: the first run brings what is open now, or with `history` everything since
    2022-01-01, archived records included. `new_filters`: if the filters differ from those of the copy, it is loaded
    again; `rebuild`: it is in any case. `bulk`: a first run comes from files, where the contract has them; the next run
    brings what changed since. Raises a TenderError for faults of the API, the network or the file; the state is then as last committed."""
    chosen = {name: value for name, value in (filters or {}).items() if value is not None and value not in ([], ())}
    unknown = [name for name in chosen if name not in FILTERS]
    if unknown:
        raise SyncError("There is no filter %s: use %s." % (unknown[0], ", ".join(FILTERS)), "usage")
    if initial not in ("open", "history"):
        raise SyncError('initial is "open" or "history".', "usage")
    if bulk and chosen:
        raise SyncError("Files hold whole editions: bulk takes no filters.", "usage")
    started = time.monotonic()
    counts = dict.fromkeys(("pages", "records", "open", "archived", "merged", "fetched", "restarts"), 0)
    if not copy.lock.acquire():
        return Outcome(True, "", False, counts, None, [], 0.0)
    try:
        if rebuild:
            copy.forget()
        run = _Run(client, copy, chosen, initial == "history", new_filters, limit, counts, on or (lambda event: None))
        files = run.files = Files(client, copy.files) if bulk else None
        first, end, warnings = run.complete()
        if files is not None:
            files.end()
            if files.refusal is not None:
                warnings.append("The list was loaded in place of files: " + files.refusal)
        since, is_from_files = end.state.get("updatedSince"), files is not None and files.is_used
        took = time.monotonic() - started
        return Outcome(False, first.kind, first.is_resumed, counts, since, warnings, took, is_from_files)
    except sqlite3.Error as fault:
        raise SyncError("%s: %s" % (copy.file, fault)) from fault
    finally:
        copy.lock.release()


class _Run:
    """One call of sync() that holds its lock."""

    def __init__(
        self,
        client: Client,
        copy: Copy,
        filters: Mapping[str, Filter],
        keeps_archived: bool,
        new_filters: bool,
        limit: int,
        counts: Dict[str, int],
        emit: Callable[[Event], None],
    ) -> None:
        self.client = client
        self.copy = copy
        self.filters = filters
        self.hash = filter_hash(filters)
        self.keeps_archived = keeps_archived
        self.new_filters = new_filters
        self.limit = limit
        self.counts = counts
        self.emit = emit
        self.files: Optional[Files] = None
        self.is_begun = False
        # From a commit of a page on, the run can be resumed.
        self.is_kept = False

    def complete(self) -> Tuple[_Plan, _End, List[str]]:
        try:
            return self._complete()
        except BaseException:
            # What was never committed has no cursor from which to continue; it must not stay in a staging either.
            if self.is_begun and not self.is_kept:
                self.copy.discard()
            raise

    def _complete(self) -> Tuple[_Plan, _End, List[str]]:
        stored = self._stored()
        first = self._begin(stored)
        end = self._walk_on(stored, first)
        # Once, and not again in later runs while the difference stays: what a whole run does not repair, the next one
        # will not repair either.
        if end.is_different and not first.is_repair and not (stored or {}).get("copy", {}).get("isDifferent"):
            self.emit({"event": "differs", "edition": end.state["copy"].get("edition")})
            end = self._repair(end, "few")
        # What was archived is closed now: the rest can be looked up one by one.
        if end.is_different and end.is_unchecked:
            end = self._repair(end, "all")
        self.copy.export()
        if end.is_different:
            raise SyncError(
                "The copy differs from edition %s, and a run over all records did not repair it. Rebuild the copy."
                % end.state["copy"].get("edition"),
                "differs",
            )
        return first, end, self._warnings(end)

    def _warnings(self, end: _End) -> List[str]:
        found: List[str] = []
        if end.lost > 0:
            found.append(
                "The stock no longer has %d of the copy's records; they are closed with the reason \"lost\". This happens "
                "after a restore from a backup: what the sources bring again is opened again." % end.lost
            )
        if end.behind is not None and end.behind[2] >= HOURS_TO_WARNING:
            text = (
                "The API has answered with older editions than the copy holds for %d hours (edition %d, the copy has seen "
                "%d): a node lags, or the service was restored without a new epoch and the copy is wrong. Ask its operator."
                % (end.behind[2], end.behind[0], end.behind[1])
            )
            if end.behind[2] >= HOURS_TO_FAILURE:
                raise SyncError(text, "behind")
            found.append("%s After %d hours runs fail." % (text, HOURS_TO_FAILURE))
        return found

    def _stored(self) -> Optional[State]:
        """The stored state, if it belongs to these filters (G4), this address and this beginning."""
        source = {"url": self.client.base_url, "initial": "history" if self.keeps_archived else "open"}
        stored = self.copy.load("state")
        if stored is None:
            self.copy.save("source", source)
            return None
        if not (isinstance(stored, dict) and stored.get("schema") == 1 and isinstance(stored.get("filterHash"), str)):
            raise SyncError("The stored state is damaged, or of a newer version. Restore it, or rebuild the copy.", "state")
        if stored["filterHash"] != self.hash:
            if not self.new_filters:
                raise SyncError(
                    "The copy was made with different filters, so its state says nothing about records that only the new "
                    "ones match. Use the former filters, or rebuild the copy (new_filters).",
                    "filters-changed",
                )
            self.copy.forget()
            self.copy.save("source", source)
            self.emit({"event": "restart", "reason": "filters-changed"})
            return None
        known = self.copy.load("source") or source
        if known != source:
            raise SyncError(
                "This copy comes from %s and began with %s: use the same, or rebuild it." % (known["url"], known["initial"]),
                "source-changed",
            )
        return stored

    def _begin(self, stored: Optional[State]) -> _Plan:
        """Decides what kind of run is due, and begins it."""
        run = (stored or {}).get("run")
        if run is not None:
            self.is_kept = True
            try:
                return self._begun(
                    _Plan(
                        run["kind"],
                        True,
                        run.get("updatedSince"),
                        run.get("cursor"),
                        run.get("largest"),
                        tuple(run.get("merges", ())),
                        run.get("edition"),
                        run.get("oldestHeld"),
                        bool(run.get("isRepair")),
                    )
                )
            except StagingLostError:
                pass
            # The cursor goes before the new staging is made: a crash in between must not resume into an empty one.
            self.copy.commit({name: value for name, value in (stored or {}).items() if name != "run"}, False)
            self.is_kept = False
            self.emit({"event": "restart", "reason": "staging-lost"})
        if stored is not None and stored.get("updatedSince"):
            return self._begun(_Plan("delta", updated_since=stored["updatedSince"]))
        return self._begun(_Plan("first", updated_since=ARCHIVE_FLOOR if self.keeps_archived else None))

    def _begun(self, plan: _Plan) -> _Plan:
        self.is_begun = True
        self.copy.begin(
            is_staged=plan.kind == "first", is_resumed=plan.is_resumed, keeps_archived=self.keeps_archived
        )
        self.emit({"event": "run", "kind": plan.kind, "resumed": plan.is_resumed, "updatedSince": plan.updated_since})
        return plan

    def _repair(self, before: _End, looks_up: str) -> _End:
        """Walks everything on top of the copy: missing records are added, old ones replaced, and records that are held
        as open and were not delivered are checked (G1)."""
        self.copy.begin(is_staged=False, is_resumed=False, keeps_archived=self.keeps_archived)
        self.is_kept = False
        open_times = [last for _, last, status in self.copy.all() if status not in _finished]
        plan = _Plan(
            "delta",
            updated_since=ARCHIVE_FLOOR if self.keeps_archived else None,
            oldest_held=min(open_times, default=None),
            is_repair=True,
            looks_up=looks_up,
        )
        end = self._walk_on(before.state, plan)
        return end._replace(lost=before.lost + end.lost)

    def _walk_on(self, stored: Optional[State], plan: _Plan) -> _End:
        """Walks the list, and then the changes since what was left open."""
        end = _Walk(self, stored, plan).walk()
        while end.needs_delta:
            before = end
            following = self._begin(before.state)
            if plan.is_repair and not before.is_unchecked:
                following = following._replace(is_repair=True)
            end = _Walk(self, before.state, following).walk()
            end = end._replace(is_unchecked=before.is_unchecked or end.is_unchecked, lost=before.lost + end.lost)
        return end


class _Walk:
    """One walk over the list, from its first page (or a kept cursor) to its end."""

    def __init__(self, run: _Run, stored: Optional[State], plan: _Plan) -> None:
        self._run = run
        self._stored: State = stored or {}
        self._plan = plan
        self._since = plan.updated_since
        self._cursor = plan.cursor
        self._largest = plan.largest
        self._edition = plan.edition
        # What is fetched must not contradict the newest edition that anything came from.
        self._newest = Seen(plan.edition or 0)
        # The newest place on the pages of this walk: the list ascends by time and id.
        self._latest = (plan.updated_since or "", "")
        self._restarts = 0
        # Edition and digest of the pages since the last restart; None when they named several, or none.
        self._stock: Optional[Tuple[int, Tuple[str, str]]] = None
        self._is_mixed = False
        self._sent_at: Optional[float] = None
        self._is_unchecked = plan.is_repair and plan.is_resumed
        self._lost = 0
        looks = plan.oldest_held is not None or plan.looks_up != ""
        self._seen: Optional[Set[str]] = set() if looks and not plan.is_resumed else None
        self._merges = MergeQueue(run.copy, run.keeps_archived, self._fetch, self._write_fetched)

    def walk(self) -> _End:
        run = self._run
        self._merges.restore(self._plan.merges)
        while True:
            page = self._page()
            if page is None:
                continue
            self._check(page)
            if page.edition is not None:
                self._edition = max(page.edition, self._edition or 0)
            self._newest.see(page.edition)
            self._note_stock(page)
            self._sent_at = page.sent_at
            self._write(page.data)
            run.counts["pages"] += 1
            run.counts["records"] += len(page.data)
            if page.data:
                self._largest = max(self._largest or "", page.data[-1]["lastModified"])
            run.emit({"event": "page", "records": len(page.data), "counts": dict(run.counts)})
            if page.next_cursor is None:
                return self._finish()
            self._cursor = page.next_cursor
            self._commit_page()

    def _note_stock(self, page: Page) -> None:
        is_other = self._stock is not None and self._stock[0] != page.edition
        if page.edition is None or page.digest is None or is_other:
            self._is_mixed = True
        self._stock = None if self._is_mixed else (page.edition or 0, page.digest or ("", ""))

    def _page(self) -> Optional[Page]:
        """None: the cursor was refused, and the walk continues without it."""
        run = self._run
        is_of_files = self._cursor is not None and self._cursor.startswith(CURSOR)
        is_start = self._cursor is None and self._since in (None, ARCHIVE_FLOOR)
        if run.files is not None and self._plan.kind == "first" and (is_of_files or is_start):
            page = run.files.page(self._cursor)
            if page is not None:
                return page
        if is_of_files:
            self._restart("cursor-refused")
            return None
        try:
            query: Dict[str, Filter] = {"limit": run.limit, "updated_since": self._since, "cursor": self._cursor}
            query.update(run.filters)
            return run.client.page(**query)
        except ProblemError as problem:
            # A stored cursor that is refused for whatever reason must not block all later runs.
            is_kept = self._cursor is not None and self._cursor == self._plan.cursor
            is_cursors = self._cursor is not None and problem.status == 400
            if not (is_cursors and (is_kept or problem.slug.startswith("cursor-"))) or self._restarts == MOST_RESTARTS:
                raise
            self._restart("cursor-expired" if problem.slug == "cursor-expired" else "cursor-refused")
            return None

    def _restart(self, reason: str) -> None:
        """C155: a delta restarts from the stored state. A first run has none; restarting it would leave records open
        for ever that were archived in between (G1). It continues with the changes since the last record that it delivered:
        everything before that one is in the copy, and everything that changed since has a later time, archived or not."""
        is_first = self._plan.kind == "first"
        self._restarts += 1
        self._run.counts["restarts"] += 1
        self._cursor = None
        self._stock = None
        self._is_mixed = False
        self._since = (self._largest or self._plan.updated_since) if is_first else self._plan.updated_since
        # The next part may come from a node that lags, and bring old versions of what the copy did not take from the
        # first part: the state must not pass their successors by. A first run skipped nothing below its largest.
        if not is_first:
            self._largest = None
        self._latest = (self._since or "", "")
        self._commit_page()
        self._run.emit({"event": "restart", "reason": reason, "updatedSince": self._since})

    def _check(self, page: Page) -> None:
        """The list ascends and its cursor moves, so it ends; otherwise an answer was mixed up on the way."""
        for record in page.data:
            place = (record["lastModified"], record["id"])
            if place <= self._latest:
                raise FeedError("Record %s of %s follows a later one, or precedes updated_since." % (place[1], place[0]))
            self._latest = place
        if page.next_cursor is None:
            return
        if page.next_cursor == self._cursor:
            raise FeedError("The API answered a page with the cursor of that same page.")
        if not page.data:
            raise FeedError("The API answered a page without records that is not the last.")

    def _write(self, records: List[TenderRecord]) -> None:
        copy, counts = self._run.copy, self._run.counts
        merged = [each for each in records if each.get("archiveReason") == "merged" and each.get("mergedInto")]
        merged_ids = {each["id"] for each in merged}
        is_open = [each for each in records if "archiveReason" not in each]
        archived = [each for each in records if "archiveReason" in each and each["id"] not in merged_ids]
        if is_open:
            copy.put(is_open, False)
        if archived:
            copy.put(archived, True)
        counts["open"] += len(is_open)
        counts["archived"] += len(archived)
        ids = {each["id"] for each in records}
        if self._seen is not None:
            self._seen |= ids
        due = self._merges.due(list(merged), ids)
        if due:
            copy.put(due, True)
        counts["merged"] += len(due)

    def _fetch(self, id_: str) -> TenderRecord:
        self._run.counts["fetched"] += 1
        return self._run.client.get(id_, self._newest)

    def _write_fetched(self, record: Mapping[str, Any]) -> None:
        """A survivor must be there even if it is archived meanwhile and was not held."""
        self._run.copy.put([record], False)

    def _base_state(self) -> State:
        return {"schema": 1, "filterHash": self._run.hash}

    def _commit_page(self) -> None:
        """Keeps where the run stands."""
        plan = self._plan
        place = {
            "kind": plan.kind,
            "cursor": self._cursor,
            "updatedSince": self._since,
            "largest": self._largest,
            "merges": self._merges.waiting_ids or None,
            "edition": self._edition,
            "oldestHeld": plan.oldest_held,
            "isRepair": plan.is_repair or None,
        }
        kept: State = {name: self._stored[name] for name in ("updatedSince", "copy") if name in self._stored}
        run = {name: value for name, value in place.items() if value is not None}
        self._run.copy.commit({**self._base_state(), **kept, "run": run}, False)
        self._run.is_kept = True

    def _finish(self) -> _End:
        copy = self._run.copy
        self._settle_merges()
        stored_since: Optional[str] = self._stored.get("updatedSince")
        # The open records alone say nothing about those that were archived meanwhile.
        is_of_open_only = self._plan.is_repair and self._plan.updated_since is None
        floor = _earlier(self._look_at_left_over(), stored_since if is_of_open_only else None)
        reached = max(stored_since or "", self._largest or "") or None
        updated_since = _earlier(reached, floor)
        needs_delta = updated_since != reached
        held = copy.digest()
        is_different = None if needs_delta else self._is_different(held, reached)
        behind, behind_since = self._behind()
        known = self._known_copy(held, is_different)
        if behind_since is not None:
            known["behindSince"] = behind_since
        state: State = {**self._base_state(), "copy": known}
        if updated_since is not None:
            state["updatedSince"] = updated_since
        copy.commit(state, True)
        return _End(state, needs_delta, is_different, self._is_unchecked, self._lost, behind)

    def _behind(self) -> Tuple[Optional[Tuple[int, int, int]], Optional[str]]:
        """By the `Date` of the answers: the clock of this machine decides nothing (C149)."""
        known = self._stored.get("copy", {})
        newest = known.get("edition")
        if self._edition is None or newest is None or self._edition >= newest or self._sent_at is None:
            return None, None
        since = known.get("behindSince") or instant_text(self._sent_at)
        hours = int((self._sent_at - instant(since)) // 3600)
        return (self._edition, newest, hours), since

    def _is_different(self, held: Digest, reached: Optional[str]) -> Optional[bool]:
        newest_seen = max(self._stored.get("copy", {}).get("edition") or 0, self._edition or 0)
        # There is no digest of what filters leave; an older edition comes from a node that lags.
        if self._run.filters or self._stock is None or self._stock[0] < newest_seen:
            return None
        open_sum, all_sum = self._stock[1]
        if held.all == all_sum if self._run.keeps_archived else held.open == open_sum:
            return False
        # A record that was fetched by its id, or that a run before a crash left, may be of a later edition.
        may_be_later = held.newest is not None and (reached is None or held.newest > reached)
        return None if may_be_later else True

    def _known_copy(self, held: Digest, is_different: Optional[bool]) -> Dict[str, Any]:
        before = self._stored.get("copy", {})
        edition = max(self._edition or 0, before.get("edition") or 0)
        known: Dict[str, Any] = {"records": held.records, "open": held.open, "all": held.all}
        if edition > 0:
            known["edition"] = edition
        was_different = before.get("isDifferent") is True
        was_repaired = self._plan.is_repair and not self._is_unchecked
        if is_different is False:
            known["isDifferent"] = False
        # A difference that a repair may still remove is not noted: if this process is killed now, the next run
        # finds it.
        elif was_different or (is_different and was_repaired):
            known["isDifferent"] = True
        return known

    def _look_at_left_over(self) -> Optional[str]:
        """Checks the records that are held and were not delivered. Returns the `updated_since` from which the changes
        to them must still be walked; None if nothing is open."""
        plan, seen = self._plan, self._seen
        if seen is None:
            return plan.oldest_held
        # With the archived records, a walk over everything leaves out only what the stock does not have.
        finished = {LOST} if plan.looks_up and self._run.keeps_archived else _finished
        left = {id_: last for id_, last, status in self._run.copy.all() if id_ not in seen and status not in finished}
        if not left:
            return None
        if len(left) > MOST_SINGLE_CHECKS and plan.looks_up != "all":
            self._is_unchecked = True
            return min(left.values())
        floor: Optional[str] = None
        lost: List[str] = []
        for id_, last in left.items():
            found = self._look_up(id_, last)
            if found == "old":
                floor = _earlier(floor, last)
            elif found == "lost":
                lost.append(id_)
        self._settle_merges()
        for id_ in lost:
            held = self._run.copy.record(id_)
            if held is not None:
                self._run.copy.put([{**held, "status": LOST, "archiveReason": LOST}], True)
        self._lost += len(lost)
        return floor

    def _look_up(self, id_: str, held_since: str) -> str:
        """`old`: the answer is no newer than what is held; perhaps it came from a node that lags. `lost`: in a repair,
        an edition that is not older than the copy's does not have it."""
        try:
            record = self._fetch(id_)
        except ProblemError as problem:
            if problem.status != 404:
                raise
            known = self._stored.get("copy", {}).get("edition")
            is_proof = self._edition is not None and known is not None and self._edition >= known
            # A 404 without the API's own type comes from something in between.
            return "lost" if self._plan.looks_up and is_proof and problem.slug == "not-found" else "old"
        self._write([record])
        return "new" if record["lastModified"] > held_since else "old"

    def _settle_merges(self) -> None:
        merges, orphans = self._merges.settle()
        # A pointer to an unknown record does not help, but the record is no longer open.
        if merges or orphans:
            self._run.copy.put(orphans + merges, True)
        self._run.counts["merged"] += len(merges)


def _earlier(one: Optional[str], other: Optional[str]) -> Optional[str]:
    return min((each for each in (one, other) if each is not None), default=None)
