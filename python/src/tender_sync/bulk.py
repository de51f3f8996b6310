"""A first load from files of a whole edition: loaded into a folder, each kept only with its digest, then read page by
page. Their order is that of the list, so a run that lost them goes on with the list, from the last record that it has."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import urllib.parse
import zlib
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, cast

from .client import BACKOFF, MANIFEST, Client, Page, checked_record, retry_after
from .contract import TenderRecord
from .copies import LineRecord
from .digest import record_hash
from .errors import FeedError, ProblemError, TenderError, UnreachableError

# With it the cursors of files begin.
CURSOR = "bulk:"
_PAGE = 100
# How often a manifest may name other files while they are loaded, and a file have a wrong digest.
_MOST_MANIFESTS = 4
_MOST_WRONG = 2
# One record in so many is hashed although its hash came with it.
_CHECKED_EACH = 50
_HEAD = ("id", "lastModified", "status", "archiveReason", "mergedInto")


class _NoFiles(TenderError):
    """Files cannot be loaded; the list brings the same records."""


class _StaleLink(Exception):
    """The link has ended, or the file is gone: a new manifest says where it is."""


class _Place(NamedTuple):
    """Between two lines: how many of a file were read."""

    file: int
    row: int


class Files:
    """Pages from files. `refusal`: why the records came from the list; None while they did not."""

    def __init__(self, client: Client, folder: str) -> None:
        self.refusal: Optional[str] = None
        self.is_used = False
        self._client = client
        self._folder = folder
        self._manifest: Optional[Dict[str, Any]] = None
        self._lines: Optional[Iterator[bytes]] = None
        self._heads: Optional[Iterator[bytes]] = None
        self._place = _Place(0, 0)

    def page(self, cursor: Optional[str]) -> Optional[Page]:
        """The first page, or the one of a cursor. None: there are no files, or no longer those of the cursor."""
        if self.refusal is not None:
            return None
        if self._manifest is None:
            self._manifest = self._loaded() if cursor else self._load()
        place = self._placed(cursor)
        if self._manifest is None or place is None:
            self.refusal = self.refusal or "the files of the run before are gone"
            return None
        if place != self._place:
            self._lines = None
            self._place = place
        try:
            records = self._next()
        except (OSError, EOFError, ValueError, RecursionError, zlib.error, FeedError) as fault:
            self.refusal = "a file cannot be read: %s" % fault
            return None
        self.is_used = True
        is_over = self._place.file == len(_records(self._manifest))
        following = None if is_over else "%s%s:%d:%d" % ((CURSOR, _print(self._manifest)) + self._place)
        digest = self._manifest.get("digest")
        return Page(records, following, self._manifest["edition"], digest and (digest["open"], digest["all"]), None)

    def end(self) -> None:
        """Removes the files."""
        self._lines = self._heads = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def _load(self) -> Optional[Dict[str, Any]]:
        """The newest edition that has files, when they are all here."""
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        try:
            for attempt in range(_MOST_MANIFESTS):
                manifest = self._client.manifest(is_manifest)
                if not _records(manifest):
                    raise _NoFiles("the manifest names no files of records")
                files = _loads(manifest)
                self._remove_others(files)
                try:
                    for file in files:
                        self._load_file(file)
                except _StaleLink as stale:
                    if attempt == _MOST_MANIFESTS - 1:
                        raise _NoFiles(str(stale))
                    continue
                # from here on a run that was cut off goes on without the service
                self._keep({**manifest, "files": [{**file, "url": ""} for file in files]})
                return manifest
        except ProblemError as problem:
            if problem.status == 401:
                raise
            self.refusal = str(problem.problem.get("detail"))
        except (_NoFiles, UnreachableError) as fault:
            self.refusal = str(fault)
        return None

    def _keep(self, manifest: Dict[str, Any]) -> None:
        beside = os.path.join(self._folder, "manifest.new")
        with open(beside, "w", encoding="utf-8") as out:
            json.dump(manifest, out)
            out.flush()
            os.fsync(out.fileno())
        os.replace(beside, os.path.join(self._folder, "manifest.json"))

    def _loaded(self) -> Optional[Dict[str, Any]]:
        """The manifest whose files were loaded completely."""
        try:
            with open(os.path.join(self._folder, "manifest.json"), encoding="utf-8") as file:
                manifest: Dict[str, Any] = json.load(file)
        except (OSError, ValueError):
            return None
        if not is_manifest(manifest) or any(_size(self._path(file)) != file["bytes"] for file in _loads(manifest)):
            return None
        return manifest

    def _path(self, file: Dict[str, Any]) -> str:
        return os.path.join(self._folder, file["sha256"] + ".gz")

    def _remove_others(self, files: List[Dict[str, Any]]) -> None:
        names = {os.path.basename(self._path(file)) for file in files}
        for name in os.listdir(self._folder):
            if re.fullmatch(r"\w+\.gz(\.part)?", name) and name.replace(".part", "") not in names:
                os.remove(os.path.join(self._folder, name))

    def _load_file(self, file: Dict[str, Any]) -> None:
        """From the byte on where an earlier load stopped. What made progress goes on at once."""
        client, path = self._client, self._path(file)
        # it got its name when its digest was right
        if _size(path) == file["bytes"]:
            return
        part = path + ".part"
        url = urllib.parse.urljoin(client.base_url + MANIFEST, file["url"])
        wrong = failures = 0
        waited = 0.0
        while True:
            have = _size(part)
            if have >= file["bytes"]:
                if have == file["bytes"] and _sum(part) == file["sha256"]:
                    os.replace(part, path)
                    return
                os.remove(part)
                wrong += 1
                if wrong == _MOST_WRONG:
                    raise _NoFiles("A file has another digest than its manifest says.")
                have = 0
            status, headers, cause = client.transfer(url, part, have, file["bytes"])
            if status in (403, 404, 410):
                raise _StaleLink("the link is answered %d" % status)
            if _size(part) > have:
                failures, waited = 0, 0.0
                continue
            wait: Optional[float] = None
            if status in (429, 503):
                wait = retry_after(headers)
            elif status == 0 or status == 408 or status >= 500:
                failures += 1
                wait = BACKOFF[failures - 1] if failures <= len(BACKOFF) else None
            if wait is None or not client.wait(wait, waited, "A file: " + cause):
                raise _NoFiles("A file cannot be loaded: " + cause)
            waited += wait

    def _placed(self, cursor: Optional[str]) -> Optional[_Place]:
        if cursor is None:
            return _Place(0, 0)
        found = re.fullmatch(r"bulk:([\w-]+):(\d+):(\d+)", cursor)
        if self._manifest is None or found is None or found.group(1) != _print(self._manifest):
            return None
        return _Place(int(found.group(2)), int(found.group(3)))

    def _next(self) -> List[Any]:
        """The records of a page, all of one file."""
        manifest = self._manifest or {}
        file = _records(manifest)[self._place.file]
        if self._lines is None:
            heads = _heads(manifest)
            self._lines = _lines(self._path(file), self._place.row)
            self._heads = _lines(self._path(heads[self._place.file]), self._place.row) if heads else None
        records: List[Any] = []
        row = self._place.row
        for line in self._lines:
            records.append(self._record(line, row + len(records)))
            if len(records) == _PAGE:
                break
        row += len(records)
        if row < file["rows"] and len(records) == _PAGE:
            self._place = _Place(self._place.file, row)
            return records
        # the end of a gzip file holds its checksum
        is_over = next(self._lines, None) is None and (self._heads is None or next(self._heads, None) is None)
        if not is_over or row != file["rows"]:
            raise ValueError("it has other lines than its manifest says, %d in place of %d" % (row, file["rows"]))
        self._lines = self._heads = None
        self._place = _Place(self._place.file + 1, 0)
        return records

    def _record(self, line: bytes, row: int) -> TenderRecord:
        """The record of a line, with its hash where a head has it."""
        line = line.rstrip(b"\n")
        record = checked_record(json.loads(line), None)
        if self._heads is None:
            return record
        head = json.loads(next(self._heads, b"{}"))
        if not isinstance(head, dict) or not re.fullmatch("[0-9a-f]{64}", str(head.get("hash"))):
            raise ValueError("a line is no head of a record")
        if head.get("bytes") != len(line):
            raise ValueError("the record %s has another length than its head says" % record["id"])
        is_its_head = all(record.get(name) == head.get(name) for name in _HEAD)
        if not is_its_head or (row % _CHECKED_EACH == 0 and record_hash(record).hex() != head["hash"]):
            raise ValueError("the head of the record %s is not its own" % record["id"])
        # a half surrogate pair, which no file holds, is written as an escape
        if b"\\ud" in line or b"\\uD" in line:
            return record
        return cast(TenderRecord, LineRecord(record, line.decode("utf-8"), bytes.fromhex(head["hash"])))


def _lines(path: str, skipped: int) -> Iterator[bytes]:
    with gzip.open(path, "rb") as file:
        for number, line in enumerate(file):
            if number >= skipped:
                yield line


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except FileNotFoundError:
        return 0


def _sum(path: str) -> str:
    total = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            total.update(block)
    return total.hexdigest()


def _print(manifest: Dict[str, Any]) -> str:
    """Tells the files of two manifests apart."""
    return "%d-%s" % (manifest["edition"], "".join(file["sha256"][:4] for file in _records(manifest))[-40:])


def _records(manifest: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The files from which a copy is made, in their order."""
    files: List[Dict[str, Any]] = manifest.get("files", [])
    return [file for file in files if file["format"] == "ndjson" and file["table"] == "tenders"]


def _heads(manifest: Dict[str, Any]) -> List[Dict[str, Any]]:
    """The heads of each of them; empty from a service that has none."""
    heads = [file for file in manifest.get("files", []) if file["format"] == "heads" and file["table"] == "tenders"]
    return heads if [file["rows"] for file in heads] == [file["rows"] for file in _records(manifest)] else []


def _loads(manifest: Dict[str, Any]) -> List[Dict[str, Any]]:
    """Everything that a copy is made from."""
    return _records(manifest) + _heads(manifest)


def is_manifest(value: Any) -> bool:
    """Whether it is a manifest of a form that this version knows."""

    def is_hash(text: Any) -> bool:
        return isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) is not None

    def is_file(file: Any) -> bool:
        return (
            isinstance(file, dict)
            and is_hash(file.get("sha256"))
            and all(isinstance(file.get(name), str) for name in ("url", "format", "table"))
            and all(isinstance(file.get(name), int) and file[name] > 0 for name in ("bytes", "rows"))
        )

    if not isinstance(value, dict) or value.get("schema") != 1 or not isinstance(value.get("edition"), int):
        return False
    digest, files = value.get("digest"), value.get("files")
    is_digest = digest is None or (isinstance(digest, dict) and is_hash(digest.get("open")) and is_hash(digest.get("all")))
    return is_digest and isinstance(files, list) and all(map(is_file, files))
