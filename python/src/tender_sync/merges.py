"""Merges wait here until the record that remains is in the copy (C158)."""

from __future__ import annotations

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Set, Tuple, Union

from .copies import Copy
from .errors import ProblemError

# Longest chain of merges that is followed; the API points at the final survivor, so one step is the rule.
MOST_HOPS = 8

Record = Mapping[str, Any]


class MergeQueue:
    """One run's merges."""

    def __init__(
        self, copy: Copy, keeps_archived: bool, fetch: Callable[[str], Record], write: Callable[[Record], None]
    ) -> None:
        self._copy = copy
        self._keeps_archived = keeps_archived
        self._fetch = fetch
        self._write = write
        self._waiting: Dict[str, Record] = {}
        # Survivors that were fetched: where each led, or None for an unknown one.
        self._fetched: Dict[str, Optional[str]] = {}

    @property
    def waiting_ids(self) -> List[str]:
        """Part of the state, so that a resumed run does not forget them."""
        return list(self._waiting)

    def restore(self, ids: Iterable[str]) -> None:
        """The merges that an interrupted run left waiting."""
        for each in ids:
            record = self._find(each)
            if record is not None and record.get("mergedInto"):
                self._waiting[each] = record
            elif record is not None:
                self._write(record)

    def due(self, merged: List[Record], delivered: Set[str]) -> List[Record]:
        """The merges that can be applied now that the records of a page were written; the others wait."""
        fresh = {record["id"] for record in merged}
        woken = [
            record for id_, record in self._waiting.items() if record["mergedInto"] in delivered and id_ not in fresh
        ]
        found = self._copy.held({*fresh, *(record["mergedInto"] for record in merged + woken)})
        due: List[Record] = []
        for record in merged + woken:
            id_ = record["id"]
            self._waiting.pop(id_, None)
            if id_ in fresh and not self._keeps_archived and id_ not in found:
                continue
            if record["mergedInto"] in found:
                due.append(record)
            else:
                self._waiting[id_] = record
        return due

    def settle(self) -> Tuple[List[Record], List[Record]]:
        """All that still wait, after their survivors were fetched; and those whose survivor the API does not know."""
        merges: List[Record] = []
        orphans: List[Record] = []
        for record in self._waiting.values():
            settled = self._settled(record, record["mergedInto"], 0)
            if settled == "orphan":
                orphans.append(record)
            elif not isinstance(settled, str):
                merges.append(settled)
        self._waiting.clear()
        return merges, orphans

    def _settled(self, record: Record, into: str, hops: int) -> Union[Record, str]:
        survivor = self._present(into, 0)
        if survivor is None:
            return "orphan"
        # Reopened meanwhile, while the record into which it was merged was merged into it: just written as it is now.
        if survivor == record["id"]:
            return "written"
        if survivor == into or hops == MOST_HOPS:
            return record
        # `into` was merged meanwhile. The record's present version names its survivor, and may never be delivered:
        # it may fit the filters no more. A node that lags may not have it; the next attempt may reach another.
        present = self._find(record["id"])
        if present is None or present["lastModified"] <= record["lastModified"]:
            return self._settled(record, into, hops + 1)
        if present.get("mergedInto"):
            return self._settled(present, present["mergedInto"], hops + 1)
        self._write(present)
        return "written"

    def _present(self, id_: str, hops: int) -> Optional[str]:
        """Makes sure that the record that remains is in the copy; returns its id."""
        if id_ in self._fetched:
            return self._fetched[id_]
        if hops == 0 and self._copy.held([id_]):
            return id_
        record = self._find(id_)
        survivor: Optional[str] = None
        if record is not None and record.get("mergedInto"):
            survivor = self._present(record["mergedInto"], hops + 1) if hops < MOST_HOPS else None
        elif record is not None:
            survivor = record["id"]
            self._write(record)
        self._fetched[id_] = survivor
        return survivor

    def _find(self, id_: str) -> Optional[Record]:
        try:
            return self._fetch(id_)
        except ProblemError as problem:
            if problem.status == 404:
                return None
            raise
