"""The commands `lazuli` and `lazuli-storage`, and `python -m lazuli_storage`."""

import os
import subprocess
import sys
from typing import NoReturn

from ._server import executable


def main() -> NoReturn:
    program = executable()
    # The name that this was started by decides what is served: a link named azurite-blob serves blobs.
    name = os.path.basename(sys.argv[0])
    if name in ("__main__.py", ""):
        name = "lazuli"
    if os.name != "nt":
        # The server takes the place of this process: signals and the exit code are its own.
        os.execv(program, [name, *sys.argv[1:]])
    # Windows has no exec. Both processes get Ctrl-C from the console, and the server decides when to end.
    with subprocess.Popen([name, *sys.argv[1:]], executable=program) as child:
        while True:
            try:
                sys.exit(child.wait())
            except KeyboardInterrupt:
                continue


if __name__ == "__main__":
    main()
