"""Lazuli, an Azure Storage server, as a command and as a server for tests.

    with lazuli_storage.Server() as server:
        client = BlobServiceClient.from_connection_string(server.connection_string)
"""

from ._server import Server, ServerError, executable

__all__ = ["Server", "ServerError", "executable", "__version__"]
__version__ = "0.0.0"
