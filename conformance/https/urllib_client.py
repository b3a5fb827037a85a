"""Python's own client, which trusts what OpenSSL trusts."""

import os
import urllib.parse
import urllib.request

url = urllib.parse.urlsplit(os.environ["AZURE_STORAGE_BLOB_ENDPOINT"])
assert urllib.request.urlopen(f"https://{url.netloc}/_lazuli/health").status == 200
