"""A copy in a SQLite file: the records, their columns, and the state in the same transaction. NDJSON is such a copy, in
a folder beside the file, with the file written again at the end of each run that changed something."""

from __future__ import annotations

import json
import os
import re
import sqlite3
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Tuple, TypeVar

from .contract import COLUMNS, TenderRecord
from .digest import Digest, DigestSum, record_hash
from .errors import StagingLostError, SyncError
from .lock import FileLock

State = Dict[str, Any]
Result = TypeVar("Result")

_sql_types = {"number": "REAL", "integer": "INTEGER", "boolean": "INTEGER"}
_columns = ", ".join(column.name for column in COLUMNS)
_half_pairs = re.compile("[\ud800-\udfff]")
# To this one, tables are made; a newer number was made by a newer version.
_schema = 1


class LineRecord(Dict[str, Any]):
    """A record with the line from which it was read, and the hash that came with it."""

    def __init__(self, record: Mapping[str, Any], text: str, given: bytes) -> None:
        super().__init__(record)
        self.text, self.hash = text, given


def record_text(record: Mapping[str, Any]) -> str:
    """As it is stored: without half surrogate pairs, which no file holds."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    return _half_pairs.sub("\ufffd", text)


def row_of(record: Mapping[str, Any]) -> List[Any]:
    """The values of COLUMNS for a record."""
    return [_value(record, column.paths, column.type, column.list) for column in COLUMNS]


def _value(record: Mapping[str, Any], paths: Tuple[str, ...], kind: str, shown: str) -> Any:
    for path in paths:
        value: Any = record
        for step in path.split("."):
            if isinstance(value, list):
                index = int(step)
                value = value[index] if -len(value) <= index < len(value) else None
            else:
                value = value.get(step) if isinstance(value, dict) else None
        if shown == "codes":
            value = " ".join(value or [])
        elif shown == "count":
            value = len(value or [])
        elif shown == "names" and value is not None:
            value = "; ".join(str(each.get("name")) for each in value)
        if value is not None:
            return float(value) if kind == "number" else int(value) if kind == "boolean" else value
    return None


class Copy:
    """Where a copy is: `sqlite:tenders.db`, `ndjson:tenders.ndjson`, or the path of a SQLite file."""

    def __init__(self, target: str, *, read_only: bool = False) -> None:
        kind, mark, path = target.partition(":")
        if mark and kind in ("sqlite", "ndjson") and path:
            self.kind = kind
        else:
            self.kind, path = "sqlite", target
        self.file = os.path.realpath(path)
        if path.endswith((".ndjson", ".jsonl")) and self.kind == "sqlite":
            raise SyncError("%s: write ndjson:%s for a file of lines." % (target, path), "usage")
        database = self.file
        if self.kind == "ndjson":
            folder = self.file + ".sync"
            if not read_only:
                os.makedirs(folder, mode=0o700, exist_ok=True)
            database = os.path.join(folder, "copy.db")
        self.title = "%s %s" % (self.kind, path)
        self.lock = FileLock(database + ".lock")
        # Where the files of a first load are meanwhile.
        self.files = database + ".files"
        self._is_staged = False
        self._keeps_archived = False
        self._set = ""
        if read_only and not os.path.exists(database):
            database = ":memory:"
        try:
            self._db = sqlite3.connect(database, timeout=60, isolation_level=None)
            self._guarded(lambda: self._open(read_only))
        except sqlite3.Error as fault:
            raise SyncError("%s cannot be opened: %s" % (self.file, fault)) from fault

    def _open(self, read_only: bool) -> None:
        has_tables = self._has("tender_sync_python")
        if not has_tables and self._has("tender"):
            raise SyncError(
                "%s holds a table tender that this client did not create: choose another file. Nothing was changed."
                % self.file
            )
        if has_tables:
            made = self.load("schema") or 0
            if made > _schema:
                raise SyncError("%s was written by a newer version of this client: update it." % self.file, "state")
        if read_only and has_tables:
            self._db.execute("PRAGMA query_only = 1")
            return
        # readers go on while a run writes, and a commit is on the disk when it returns
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = FULL")
        known = {row[1] for row in self._db.execute("PRAGMA table_info(tender)")}
        missing = [column for column in COLUMNS if column.name not in known]
        # another run may be writing now
        if has_tables and not missing:
            return
        self._db.execute("BEGIN IMMEDIATE")
        self._db.execute("CREATE TABLE IF NOT EXISTS tender_sync_python (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
        self._create("")
        for column in missing if known else []:
            self._db.execute("ALTER TABLE tender ADD COLUMN %s %s" % (column.name, _sql_type(column.type)))
        for name in ("status", "last_modified", "submission_date", "publication_date"):
            self._db.execute("CREATE INDEX IF NOT EXISTS tender_%s ON tender (%s)" % (name, name))
        self.save("schema", _schema)
        self._db.execute("COMMIT")

    def _has(self, table: str) -> bool:
        found = self._db.execute("SELECT 1 FROM sqlite_master WHERE name = ? AND type IN ('table', 'view')", (table,))
        return found.fetchone() is not None

    def _create(self, of: str) -> None:
        columns = ", ".join("%s %s" % (column.name, _sql_type(column.type)) for column in COLUMNS)
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS tender%s (%s, record TEXT NOT NULL, record_hash BLOB NOT NULL, PRIMARY KEY (id))"
            % (of, columns)
        )

    def _guarded(self, work: Callable[[], Result]) -> Result:
        try:
            return work()
        except (sqlite3.Error, OSError) as fault:
            self._roll_back()
            text = str(fault)
            if "locked" in text:
                raise SyncError("Another program holds %s: %s" % (self.file, text), "busy") from fault
            if "full" in text:
                raise SyncError("The disk of %s is full: make space." % self.file) from fault
            if "malformed" in text or "not a database" in text:
                raise SyncError("%s is damaged: %s. Restore it, or rebuild it." % (self.file, text), "copy-damaged") from fault
            raise SyncError("%s: %s" % (self.file, text)) from fault
        except BaseException:
            self._roll_back()
            raise

    def _roll_back(self) -> None:
        if self._db.in_transaction:
            self._db.execute("ROLLBACK")

    def load(self, name: str) -> Any:
        """A value that is kept beside the records: `state`, `source` …; None for a missing one."""
        if not self._has("tender_sync_python"):
            return None
        row = self._db.execute("SELECT value FROM tender_sync_python WHERE name = ?", (name,)).fetchone()
        try:
            return json.loads(row[0]) if row else None
        except ValueError:
            raise SyncError("The stored state of %s is damaged: restore it, or rebuild the copy." % self.file, "state")

    def save(self, name: str, value: Any) -> None:
        self._db.execute("INSERT OR REPLACE INTO tender_sync_python VALUES (?, ?)", (name, json.dumps(value)))

    def forget(self) -> None:
        """Forgets the state, and what a first run staged: the next run reloads the copy."""

        def work() -> None:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute("DROP TABLE IF EXISTS tender_staging")
            self._db.execute("DELETE FROM tender_sync_python WHERE name IN ('state', 'source')")
            self._db.execute("COMMIT")

        self._guarded(work)

    def begin(self, *, is_staged: bool, is_resumed: bool, keeps_archived: bool) -> None:
        """Starts or resumes a run. What a first run brings is not visible before its end."""

        def work() -> None:
            self._roll_back()
            has_staging = self._has("tender_staging")
            if is_staged and is_resumed and not has_staging:
                raise StagingLostError("The pages of the interrupted first run are gone.")
            self._db.execute("BEGIN IMMEDIATE")
            if has_staging and not (is_staged and is_resumed):
                self._db.execute("DROP TABLE tender_staging")
            if is_staged:
                self._create("_staging")
            self._db.execute("COMMIT")

        self._guarded(work)
        self._is_staged, self._keeps_archived = is_staged, keeps_archived
        self._set = "_staging" if is_staged else ""

    def put(self, records: Iterable[Mapping[str, Any]], known_only: bool) -> None:
        """Never replaces a newer version by an older one (G5); the same one again changes nothing (C159)."""

        def work() -> None:
            # From the first write on: a run that waits holds no lock.
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
            for record in records:
                self._put(record, known_only and not self._keeps_archived)

        self._guarded(work)

    def _put(self, record: Mapping[str, Any], known_only: bool) -> None:
        find = "SELECT last_modified, record_hash FROM tender%s WHERE id = ?" % self._set
        held = self._db.execute(find, (record["id"],)).fetchone()
        if held is None and known_only:
            return
        # times have one fixed form, so their order is that of the texts
        if held is not None and record["lastModified"] < held[0]:
            return
        if isinstance(record, LineRecord):
            clean: Mapping[str, Any] = record
            text, hashed = record.text, record.hash
        else:
            text = record_text(record)
            # only a text that was changed is read again
            clean = json.loads(text) if "\ufffd" in text else record
            hashed = record_hash(clean)
        if held is not None and record["lastModified"] == held[0] and hashed == bytes(held[1]):
            return
        places = ", ".join("?" * (len(COLUMNS) + 2))
        into = "INSERT OR REPLACE INTO tender%s (%s, record, record_hash) VALUES (%s)" % (self._set, _columns, places)
        self._db.execute(into, row_of(clean) + [text, hashed])

    def commit(self, state: State, is_end: bool) -> None:
        """Makes everything since the last commit durable, and the state with it; the end of a first run replaces what
        the copy held, as a whole."""

        def work() -> None:
            if not self._db.in_transaction:
                self._db.execute("BEGIN IMMEDIATE")
            if is_end and self._is_staged:
                names = _columns + ", record, record_hash"
                # rows are replaced and the table stays: views and indexes of the reader's own survive
                self._db.execute("DELETE FROM tender")
                self._db.execute("INSERT INTO tender (%s) SELECT %s FROM tender_staging" % (names, names))
                self._db.execute("DROP TABLE tender_staging")
            self.save("state", state)
            self._db.execute("COMMIT")

        self._guarded(work)
        if is_end:
            self._is_staged, self._set = False, ""

    def discard(self) -> None:
        """Undoes everything after the last commit; of a first run everything."""

        def work() -> None:
            self._roll_back()
            if self._is_staged:
                self._db.execute("DROP TABLE IF EXISTS tender_staging")

        self._guarded(work)

    def held(self, ids: Iterable[str]) -> Dict[str, str]:
        """`lastModified` by id of the records that are held, with what this run wrote."""
        find = "SELECT last_modified FROM tender%s WHERE id = ?" % self._set
        found = ((each, self._db.execute(find, (each,)).fetchone()) for each in ids)
        return {each: row[0] for each, row in found if row}

    def record(self, tender_id: str) -> Optional[TenderRecord]:
        """One record as it is held."""
        row = self._db.execute("SELECT record FROM tender%s WHERE id = ?" % self._set, (tender_id,)).fetchone()
        return json.loads(row[0]) if row else None

    def records(self) -> Iterator[TenderRecord]:
        """All records of the copy, by id, as they were delivered."""
        if self._has("tender"):
            for row in self._db.execute("SELECT record FROM tender ORDER BY id"):
                yield json.loads(row[0])

    def rows(self) -> Iterator[Dict[str, Any]]:
        """All records as plain columns."""
        names = [column.name for column in COLUMNS]
        if self._has("tender"):
            for row in self._db.execute("SELECT %s FROM tender ORDER BY id" % _columns):
                yield dict(zip(names, row))

    def all(self) -> List[Tuple[str, str, str]]:
        """Id, time and status of all records, as committed."""
        return self._db.execute("SELECT id, last_modified, status FROM tender").fetchall()

    def digest(self) -> Digest:
        """Of what is held, with what this run wrote: computed from the stored hashes."""
        total = DigestSum()
        if self._has("tender"):
            of = "SELECT record_hash, archive_reason IS NULL, last_modified FROM tender%s" % self._set
            for hashed, is_open, last_modified in self._db.execute(of):
                total.add(bytes(hashed), bool(is_open), last_modified)
        return total.digest

    def read_digest(self) -> Digest:
        """Of what people read: every record, or every line of the file, is hashed again."""
        total = DigestSum()
        for record in self.records() if self.kind == "sqlite" else _lines(self.file):
            total.add(record_hash(record), "archiveReason" not in record, record["lastModified"])
        return total.digest

    def export(self) -> None:
        """Writes the file of lines, if it is not what the last run left: beside its place, then into it."""
        if self.kind != "ndjson":
            return
        found = self.digest()
        size = os.path.getsize(self.file) if os.path.exists(self.file) else -1
        if self.load("exported") == [found.all, found.records, size]:
            return

        def work() -> None:
            beside = os.path.join(self.file + ".sync", "new.ndjson")
            with open(beside, "w", encoding="utf-8", newline="\n") as out:
                for (text,) in self._db.execute("SELECT record FROM tender ORDER BY id"):
                    out.write(text + "\n")
                out.flush()
                os.fsync(out.fileno())
            written = os.path.getsize(beside)
            os.replace(beside, self.file)
            if hasattr(os, "O_DIRECTORY"):
                folder = os.open(os.path.dirname(self.file), os.O_DIRECTORY)
                os.fsync(folder)
                os.close(folder)
            self.save("exported", [found.all, found.records, written])

        self._guarded(work)

    def close(self) -> None:
        self._roll_back()
        self._db.close()

    def __enter__(self) -> "Copy":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _sql_type(kind: str) -> str:
    return _sql_types.get(kind, "TEXT")


def _lines(path: str) -> Iterator[Dict[str, Any]]:
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                record = json.loads(line)
                record["lastModified"]
            except (ValueError, KeyError, TypeError):
                raise SyncError("Line %d of %s is not a record." % (number, path), "copy-damaged")
            yield record
