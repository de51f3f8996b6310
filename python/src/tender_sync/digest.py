"""The digest of records (docs/sync/digest.md): sums modulo 2^256 of the SHA-256 of their canonical JSON (RFC 8785).

As a program, it reads records from standard input, one a line, and writes {"records": n, "digest": "open=..., all=..."},
which a whole copy has in common with the header X-Stock-Digest of its edition; with --forms, the canonical form of each."""

from __future__ import annotations

import decimal
import hashlib
import json
import re
import sys
from typing import Any, Mapping, NamedTuple, Optional

# `status` and `archiveReason` of a record that the stock no longer has. The API uses neither.
LOST = "lost"
LOST_HASH = bytes(32)

_escapes = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}
_special = re.compile('[\\x00-\\x1f"\\\\\\ud800-\\udfff]')


class Digest(NamedTuple):
    """What a copy holds, as 64 hexadecimal digits: `open` over the records that are not archived."""

    records: int
    open: str
    all: str
    newest: Optional[str]


def _escaped(found: "re.Match[str]") -> str:
    character = found.group()
    if character >= "\ud800":  # half a surrogate pair, which no file holds
        return "\ufffd"
    return _escapes.get(character) or "\\u%04x" % ord(character)


def _text(value: str) -> str:
    return '"' + _special.sub(_escaped, value) + '"'


def _number(value: float) -> str:
    """As ECMAScript writes it, from the shortest digits that give the same double (which is what repr finds)."""
    double = float(value)
    if double == 0:
        return "0"
    sign, parts, power = decimal.Decimal(repr(double)).as_tuple()
    digits = "".join(map(str, parts))
    point = len(digits) + int(power)
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        shown = digits + "0" * (point - count)
    elif 0 < point <= 21:
        shown = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        shown = "0." + "0" * -point + digits
    else:
        shown = "%s%se%+d" % (digits[0], "." + digits[1:] if count > 1 else "", point - 1)
    return "-" + shown if sign else shown


def _code_units(name: str) -> bytes:
    return name.encode("utf-16-be", "surrogatepass")


def canonical_json(value: Any) -> str:
    """A value that `json.loads` returned, as canonical JSON."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical_json, value)) + "]"
    names = sorted(value, key=_code_units)
    return "{" + ",".join(_text(name) + ":" + canonical_json(value[name]) for name in names) + "}"


def record_hash(record: Mapping[str, Any]) -> bytes:
    """`checkedAt` moves while the record stays the same (C26); a lost record adds nothing, as no edition has it."""
    if record.get("archiveReason") == LOST:
        return LOST_HASH
    form = canonical_json({name: value for name, value in record.items() if name != "checkedAt"})
    return hashlib.sha256(form.encode("utf-8")).digest()


class DigestSum:
    """A digest that is being computed."""

    def __init__(self) -> None:
        self._records = self._open = self._all = 0
        self._newest: Optional[str] = None

    def add(self, hashed: bytes, is_open: bool, last_modified: str) -> None:
        number = int.from_bytes(hashed, "big")
        self._records += 1
        self._all += number
        if is_open:
            self._open += number
        if self._newest is None or last_modified > self._newest:
            self._newest = last_modified

    @property
    def digest(self) -> Digest:
        modulus = 1 << 256
        return Digest(self._records, "%064x" % (self._open % modulus), "%064x" % (self._all % modulus), self._newest)


def _main() -> None:
    total = DigestSum()
    for line in sys.stdin.buffer:
        record = json.loads(line.decode("utf-8"))
        if "--forms" in sys.argv:
            sys.stdout.buffer.write(canonical_json(record).encode("utf-8", "surrogatepass") + b"\n")
        else:
            total.add(record_hash(record), "archiveReason" not in record, record.get("lastModified", ""))
    if "--forms" not in sys.argv:
        found = total.digest
        print(json.dumps({"records": found.records, "digest": "open=%s, all=%s" % (found.open, found.all)}))


if __name__ == "__main__":
    _main()
