"""Computes the digest of a copy without any code of the service, with only json and hashlib of Python.

Reads records as JSON, one a line, from standard input; writes {"records": n, "digest": "open=..., all=..."}, which a whole copy has in
common with the header X-Stock-Digest of its edition. With --forms it writes the canonical form (RFC 8785) of each line instead.
"""
import decimal
import hashlib
import json
import sys

ESCAPES = {"\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", '"': '\\"', "\\": "\\\\"}


def text(value):
    found = ['"']
    for character in value:
        code = ord(character)
        if character in ESCAPES:
            found.append(ESCAPES[character])
        elif code < 0x20:
            found.append("\\u%04x" % code)
        elif 0xD800 <= code <= 0xDFFF:  # half a surrogate pair, which no file holds
            found.append("\ufffd")
        else:
            found.append(character)
    return "".join(found) + '"'


def number(value):
    """ECMA-262, Number::toString, from the shortest digits that give the same double (which is what repr finds)."""
    double = float(value)
    if double == 0:
        return "0"
    sign, digits, exponent = decimal.Decimal(repr(double)).as_tuple()
    digits = "".join(map(str, digits))
    point = len(digits) + exponent
    digits = digits.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        shown = digits + "0" * (point - count)
    elif 0 < point <= 21:
        shown = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        shown = "0." + "0" * -point + digits
    else:
        power = point - 1
        shown = digits[0] + ("." + digits[1:] if count > 1 else "") + "e" + ("+" if power > 0 else "-") + str(abs(power))
    return ("-" if sign else "") + shown


def canonical(value):
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return text(value)
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(text(name) + ":" + canonical(value[name]) for name in names) + "}"


def main():
    sums = {"open": 0, "all": 0}
    records = 0
    for line in sys.stdin.buffer:
        record = json.loads(line.decode("utf-8"))
        if "--forms" in sys.argv:
            sys.stdout.buffer.write(canonical(record).encode("utf-8", "surrogatepass") + b"\n")
            continue
        record.pop("checkedAt", None)
        number = int.from_bytes(hashlib.sha256(canonical(record).encode("utf-8")).digest(), "big")
        sums["all"] += number
        if "archiveReason" not in record:
            sums["open"] += number
        records += 1
    if "--forms" not in sys.argv:
        digest = ", ".join("%s=%064x" % (name, total % 2**256) for name, total in sums.items())
        print(json.dumps({"records": records, "digest": digest}))


main()
