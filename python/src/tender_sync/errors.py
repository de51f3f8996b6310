"""What can go wrong, each with a code for programs; the message is for people."""

from __future__ import annotations

from typing import Any, Dict


class TenderError(Exception):
    """The base of all errors of this package."""

    code: str = "client"

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        if code:
            self.code = code


class ProblemError(TenderError):
    """The API refused, or kept answering 429, 503 or 5xx: its problem (RFC 9457) in `problem`."""

    def __init__(self, status: int, problem: Dict[str, Any]) -> None:
        self.status = status
        self.problem = problem
        kind = problem.get("type")
        _, mark, slug = kind.rpartition("#error-") if isinstance(kind, str) else ("", "", "")
        self.slug: str = slug if mark else ""
        super().__init__("%s (%d): %s" % (problem.get("title"), status, problem.get("detail")), self.slug or "problem")


class UnreachableError(TenderError):
    """No usable answer came, in as many attempts as the specification asks for (C153)."""

    code = "unreachable"


class FeedError(TenderError):
    """An answer that cannot be right: going on would silently make the copy wrong."""

    code = "feed"


class SyncError(TenderError):
    """The run ended early, for the reason in `code`: filters-changed, source-changed, state, differs, behind, busy,
    copy-damaged, sink."""

    code = "sink"


class StagingLostError(SyncError):
    """The pages of an interrupted first run are gone; the run begins again."""

    code = "staging-lost"
