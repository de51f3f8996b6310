"""Data frames of pandas or polars, where one of them is installed: one row per tender, with the columns of
all tables."""

from __future__ import annotations

import importlib
from typing import Any, Dict, Iterable, List, Mapping, Union

from .contract import COLUMNS
from .copies import Copy, row_of
from .errors import TenderError


def frame(tenders: Union[Copy, Iterable[Mapping[str, Any]]], library: str = "pandas") -> Any:
    """A data frame of a copy, or of records: `frame(copy)`, `frame(client.list(cpv=["45000000"]), "polars")`. Times are
    times of UTC, and what is unknown is null."""
    if library not in ("pandas", "polars"):
        raise TenderError('The library is "pandas" or "polars".', "usage")
    try:
        module = importlib.import_module(library)
    except ImportError:
        raise TenderError("%s is not installed here: install it, with pip for example." % library, "usage")
    rows = (list(row.values()) for row in tenders.rows()) if isinstance(tenders, Copy) else map(row_of, tenders)
    columns: Dict[str, List[Any]] = {column.name: [] for column in COLUMNS}
    for row in rows:
        for column, value in zip(COLUMNS, row):
            columns[column.name].append(bool(value) if column.type == "boolean" and value is not None else value)
    return _pandas(module, columns) if library == "pandas" else _polars(module, columns)


def _pandas(pandas: Any, columns: Dict[str, List[Any]]) -> Any:
    kinds = {"number": "float64", "integer": "Int64", "boolean": "boolean"}
    of = {}
    for column in COLUMNS:
        values = columns[column.name]
        if column.type == "instant":
            of[column.name] = pandas.to_datetime(pandas.Series(values, dtype="object"), utc=True, errors="coerce")
        else:
            of[column.name] = pandas.Series(values, dtype=kinds.get(column.type, "object"))
    return pandas.DataFrame(of)


def _polars(polars: Any, columns: Dict[str, List[Any]]) -> Any:
    kinds = {"number": polars.Float64, "integer": polars.Int64, "boolean": polars.Boolean}
    schema = {column.name: kinds.get(column.type, polars.String) for column in COLUMNS}
    times = [column.name for column in COLUMNS if column.type == "instant"]
    made = polars.DataFrame(columns, schema=schema)
    return made.with_columns(polars.col(times).str.to_datetime("%Y-%m-%dT%H:%M:%S%.fZ", time_zone="UTC", strict=False))
