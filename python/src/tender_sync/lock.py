"""One run at a time (C154): a lock of the operating system, which ends with its process, however that ends."""

from __future__ import annotations

import os
import sys
from typing import Optional


class FileLock:
    """A lock on a file beside the copy; the file itself stays."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: Optional[int] = None

    def acquire(self) -> bool:
        """Returns whether this process holds it now."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None
