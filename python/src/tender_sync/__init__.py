"""Reads tenders from a Tenderstock service, and keeps a copy that equals a published edition after every run.

    from tender_sync import Client, Copy, sync

    client = Client("https://api.example.org", token)
    for tender in client.list(cpv=["45000000"], nuts=["DE2"]):
        print(tender["title"])
    with Copy("sqlite:tenders.db") as copy:
        sync(client, copy)
"""

from .client import VERSION as __version__
from .client import Client, Page
from .contract import Lot, Organization, OriginalSource, TenderRecord
from .copies import Copy
from .digest import Digest, record_hash
from .errors import FeedError, ProblemError, SyncError, TenderError, UnreachableError
from .frames import frame
from .procedure import Outcome, sync

__all__ = [
    "Client",
    "Copy",
    "Digest",
    "FeedError",
    "Lot",
    "Organization",
    "OriginalSource",
    "Outcome",
    "Page",
    "ProblemError",
    "SyncError",
    "TenderError",
    "TenderRecord",
    "UnreachableError",
    "__version__",
    "frame",
    "record_hash",
    "sync",
]
