"""Becomes the FalkorDB server after tying its life to the process that asked for it.

Run as a script, not imported by the service: `python -I -S launcher.py <owner pid> <program> <arguments>`. The kernel
is to be asked for the death signal between fork and exec, and doing that in the forked copy of a process with threads
(`preexec_fn`) can deadlock; a fresh interpreter of 15 ms cannot.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(arguments: list[str]) -> None:
    """Ask for SIGTERM at the owner's death, where the kernel offers that, and become the program."""
    owner = int(arguments[0])
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl refused PR_SET_PDEATHSIG")
        if os.getppid() != owner:  # It died before the request was made.
            sys.exit(1)
    os.execv(arguments[1], arguments[1:])  # noqa: S606 - no shell is wanted.


if __name__ == "__main__":
    main(sys.argv[1:])
