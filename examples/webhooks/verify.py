"""python3 verify.py SECRET ID TIMESTAMP SIGNATURES < body; ends with 0 when the webhook is genuine."""

import base64
import hashlib
import hmac
import sys
import time

TOLERANCE_SECONDS = 300


def verify(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """Whether laurel sent this body: the bytes of the request, unparsed."""
    timestamp = headers["webhook-timestamp"]
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{headers['webhook-id']}.{timestamp}.".encode() + body
    expected = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    return any(hmac.compare_digest(given, expected) for given in headers["webhook-signature"].split(" "))


if __name__ == "__main__":
    secret, *values = sys.argv[1:]
    headers = dict(zip(["webhook-id", "webhook-timestamp", "webhook-signature"], values))
    sys.exit(0 if verify(secret, headers, sys.stdin.buffer.read()) else 1)
