"""A second verifier of audit exports, from docs/audit-format.md alone. Python's standard library.

    python3 verify_export.py EXPORT KEYS [CHECKPOINT]

Exit 0 and "ok <events>", or exit 1 and "<reason> <seq> <line>". It exists to hold the format page
and the product's own verifier to each other, not to be fast: Ed25519 by Python's integers takes
milliseconds per signature.
"""
import base64
import hashlib
import json
import re
import sys

# Ed25519 (RFC 8032, 5.1), affine formulas in extended coordinates.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def add(a, b):
    (x1, y1, z1, t1), (x2, y2, z2, t2) = a, b
    m, n = (y1 - x1) * (y2 - x2) % P, (y1 + x1) * (y2 + x2) % P
    c, d = 2 * t1 * t2 * D % P, 2 * z1 * z2 % P
    e, f, g, h = n - m, d - c, d + c, n + m
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def multiply(k, point):
    total = IDENTITY
    while k:
        if k & 1:
            total = add(total, point)
        point = add(point, point)
        k >>= 1
    return total


def is_identity(point):
    return point[0] % P == 0 and (point[1] - point[2]) % P == 0


def decode(raw):
    sign, y = raw[31] >> 7, int.from_bytes(raw, "little") & (2**255 - 1)
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    x = P - x if x & 1 != sign else x
    return (x, y, 1, x * y % P)


BASE = decode((4 * pow(5, P - 2, P) % P).to_bytes(32, "little"))


def verifies(raw, message, signature):
    key, r = decode(raw), decode(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    if key is None or r is None or s >= L or is_identity(multiply(8, key)):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + raw + message).digest(), "little") % L
    left, right = multiply(8 * s, BASE), multiply(8, add(r, multiply(k, key)))
    minus = (-right[0] % P, right[1], right[2], -right[3] % P)
    return is_identity(add(left, minus))


# JCS (RFC 8785)
SHORT = {8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def jcs_string(text):
    return '"' + "".join(
        SHORT.get(ord(c)) or ("\\u%04x" % ord(c) if ord(c) < 32 else c) for c in text
    ) + '"'


def jcs_number(value):
    if isinstance(value, int):
        return str(value)
    if value == 0:
        return "0"
    sign, value = ("-", -value) if value < 0 else ("", value)
    mantissa, _, exponent = repr(value).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) + int(exponent or 0)
    digits = (whole + fraction).lstrip("0")
    point -= len(whole + fraction) - len(digits)
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits + "0" * (point - len(digits))
    elif 0 < point <= 21:
        text = digits[:point] + "." + digits[point:]
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        tail = "." + digits[1:] if len(digits) > 1 else ""
        text = digits[0] + tail + "e" + ("+" if point > 0 else "-") + str(abs(point - 1))
    return sign + text


def jcs(value):
    if value is None or value is True or value is False:
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return jcs_string(value)
    if isinstance(value, (int, float)):
        return jcs_number(value)
    if isinstance(value, list):
        return "[" + ",".join(map(jcs, value)) + "]"
    keys = sorted(value, key=lambda key: key.encode("utf-16-be"))
    return "{" + ",".join(jcs_string(key) + ":" + jcs(value[key]) for key in keys) + "}"


class Bad(Exception):
    def __init__(self, reason, seq=None):
        super().__init__(reason)
        self.seq = seq


def need(condition, reason, seq=None):
    if not condition:
        raise Bad(reason, seq)


def strict(raw):
    def unique(pairs):
        need(len({key for key, _ in pairs}) == len(pairs), "line-malformed")
        return dict(pairs)

    def integer(text):
        need(abs(int(text)) < 2**53, "line-malformed")
        return int(text)

    def constant(_):
        raise Bad("line-malformed")

    try:
        text = raw.decode("utf-8")
        value = json.loads(
            text, object_pairs_hook=unique, parse_int=integer, parse_constant=constant
        )
        jcs(value).encode("utf-8")  # a lone surrogate cannot be encoded
    except (ValueError, RecursionError):
        raise Bad("line-malformed") from None
    need(isinstance(value, dict), "line-malformed")
    return value


def b64(text, size):
    try:
        raw = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        return None
    return raw if len(raw) == size and base64.b64encode(raw).decode() == text else None


def is_hash(value):
    return isinstance(value, str) and re.fullmatch("[0-9a-f]{64}", value) is not None


class Keys:
    def __init__(self, document, tenant):
        self.keys, self.retired = {}, {}
        for jwk in document["keys"]:
            text = '{"crv":"Ed25519","kty":"OKP","x":"%s"}' % jwk["x"]
            digest = hashlib.sha256(text.encode()).digest()
            thumbprint = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            if thumbprint != jwk["kid"]:
                sys.exit("keys: kid is not the thumbprint")
            held = jwk.get("held", {"default": {"from": 1, "until": None}})
            raw = base64.urlsafe_b64decode(jwk["x"] + "=")
            self.keys[jwk["kid"]] = (raw, held.get(tenant, held["default"]))
            self.retired[jwk["kid"]] = jwk.get("retired_at")

    def find(self, kid, seq, from_counts):
        need(kid in self.keys, "key-unknown")
        raw, held = self.keys[kid]
        is_open = held["until"] is None or seq <= held["until"]
        need(is_open and (not from_counts or held["from"] <= seq), "key-not-held")
        return raw


    def document(self, kid, seq, at):
        """The key of a document that speaks of the chain up to seq (None: it does not say)."""
        need(kid in self.keys, "key-unknown")
        raw, held = self.keys[kid]
        if seq is None:
            need(held["until"] is None, "key-not-held")
            return raw
        retired = self.retired[kid]
        is_early = not isinstance(retired, str) or (isinstance(at, str) and at <= retired)
        need(is_early and (held["until"] is None or seq <= held["until"]), "key-not-held")
        return raw


OPEN = {
    "screening": ("query_normalized", "query_salt", "query_commitment"),
    "entry": ("details", "details_salt", "details_commitment"),
}
UUID = "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
TIMESTAMP = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"


class Verifier:
    def __init__(self, keys, outside):
        self.key_document, self.outside = keys, outside
        self.tenant, self.seq, self.hash = None, 0, "0" * 64
        self.events, self.is_anchored, self.is_closed, self.is_met = 0, True, False, False
        self.number, self.unnamed = 0, {}  # line; lines of events without open members, by seq

    def line(self, raw):
        self.number += 1
        value = strict(raw)
        if self.tenant is None:
            return self.header(value)
        kind = value.get("type")
        need(kind in ("event", "checkpoint"), "line-malformed")
        need(set(value) == {"type", kind}, "line-malformed")
        return self.event(value[kind]) if kind == "event" else self.checkpoint(value[kind])

    def header(self, value):
        need(value.get("type") == "export", "header-missing")
        need(value.get("version") == 1, "version-unknown")
        self.tenant = value.get("tenant_id")
        need(isinstance(self.tenant, str) and self.tenant, "header-missing")
        first = value.get("from_seq")
        need(type(first) is int and first >= 1, "header-missing")
        self.keys = Keys(self.key_document, self.tenant)
        self.seq, self.is_anchored = first - 1, first == 1
        if self.outside is not None:
            self.signed(self.outside)
            need(self.outside["seq"] >= self.seq, "checkpoint-uncovered")
        if self.is_anchored:
            self.meet()

    def signed(self, checkpoint):
        names = {"tenant_id", "seq", "hash", "at", "key_id", "signature"}
        need(isinstance(checkpoint, dict) and set(checkpoint) == names, "checkpoint-invalid")
        need(type(checkpoint["seq"]) is int and checkpoint["seq"] >= 0, "checkpoint-invalid")
        need(is_hash(checkpoint["hash"]), "checkpoint-invalid")
        seq = checkpoint["seq"]
        need(checkpoint["tenant_id"] == self.tenant, "checkpoint-invalid", seq)
        try:
            raw = self.keys.find(checkpoint["key_id"], seq, False)
        except Bad:
            raise Bad("checkpoint-invalid", seq) from None
        statement = {k: v for k, v in checkpoint.items() if k != "signature"}
        message = b"audit-checkpoint-v1\0" + jcs(statement).encode()
        signature = b64(checkpoint["signature"], 64)
        need(signature and verifies(raw, message, signature), "checkpoint-invalid", seq)

    def meet(self):
        if self.outside is not None and self.outside["seq"] == self.seq:
            need(self.outside["hash"] == self.hash, "checkpoint-mismatch", self.seq)
            self.is_met = True

    def checkpoint(self, checkpoint):
        self.signed(checkpoint)
        need(checkpoint["seq"] <= self.seq, "tail-missing")
        if not self.is_anchored:
            need(checkpoint["seq"] == self.seq, "start-unanchored")
            self.hash, self.is_anchored = checkpoint["hash"], True
            self.meet()
        is_head = (checkpoint["seq"], checkpoint["hash"]) == (self.seq, self.hash)
        need(is_head, "checkpoint-mismatch", checkpoint["seq"])
        self.is_closed = True

    def event(self, event):
        need(isinstance(event, dict) and self.is_shaped(event), "event-malformed")
        value, salt, commitment = OPEN[event["type"]]
        unhashed = ("hash", "signature", value, salt)
        hashed = {k: v for k, v in event.items() if k not in unhashed}
        previous = bytes.fromhex(event["previous_event_hash"])
        message = b"audit-event-v1\0" + previous + jcs(hashed).encode()
        need(hashlib.sha256(message).hexdigest() == event["hash"], "hash-mismatch")
        is_open = self.open(event, value, salt, commitment)
        need(self.is_anchored, "start-unanchored")
        gap = self.gap(event)
        need(event["seq"] == (gap["until_seq"] if gap else self.seq) + 1, "chain-broken")
        need(event["previous_event_hash"] == self.hash, "chain-broken")
        if gap:
            self.signed(gap["checkpoint"])
            outside = self.outside["seq"] if self.outside else 0
            is_lost = gap["from_seq"] <= outside <= gap["until_seq"]
            need(not is_lost, "checkpoint-lost", outside)
        raw = self.keys.find(event["key_id"], event["seq"], True)
        message = b"audit-signature-v1\0" + bytes.fromhex(event["hash"])
        need(verifies(raw, message, b64(event["signature"], 64)), "signature-invalid")
        self.seq, self.hash = event["seq"], event["hash"]
        self.events, self.is_closed = self.events + 1, False
        self.erased(event, is_open)
        self.meet()

    def gap(self, event):
        gap = event.get("gap")
        is_resumed = event["type"] == "entry" and event.get("action") == "audit.chain.resumed"
        if not is_resumed or not isinstance(gap, dict):
            return None
        ends = (gap.get("from_seq"), gap.get("until_seq"))
        return gap if ends == (self.seq + 1, event["seq"] - 1) else None

    def erased(self, event, is_open):
        if not is_open:
            self.unnamed[event["seq"]] = self.number
        is_erasure = event.get("action") == "audit.personal_data.erased"
        named = event.get("erased_seq")
        if event["type"] == "entry" and is_erasure and type(named) is int:
            if named < event["seq"]:
                self.unnamed.pop(named, None)

    def is_shaped(self, event):
        def like(name, pattern):
            value = event.get(name)
            return isinstance(value, str) and re.fullmatch(pattern, value, re.ASCII) is not None

        is_placed = type(event.get("seq")) is int and event["seq"] >= 1
        is_named = event.get("tenant_id") == self.tenant and event.get("type") in OPEN
        is_signed = isinstance(event.get("key_id"), str) and b64(event.get("signature"), 64)
        is_screening = event.get("type") == "screening"
        return (
            is_placed and is_named and is_signed
            and is_hash(event.get("hash")) and is_hash(event.get("previous_event_hash"))
            and like("event_id", UUID) and (not is_screening or like("screening_id", UUID))
            and like("occurred_at", TIMESTAMP)
        )

    def open(self, event, value, salt, commitment):
        need(is_hash(event.get(commitment)), "commitment-mismatch")
        if value not in event and salt not in event:
            return False
        raw = b64(event.get(salt), 16)
        need(value in event and raw, "commitment-mismatch")
        digest = hashlib.sha256(raw + jcs(event[value]).encode()).hexdigest()
        need(digest == event[commitment], "commitment-mismatch")
        return True

    def end(self):
        need(self.tenant is not None, "header-missing")
        need(self.outside is None or self.is_met, "tail-missing")
        need(self.is_closed, "tail-missing")
        for seq, line in self.unnamed.items():
            self.number = line
            raise Bad("erasure-missing", seq)


def main(export, keys, checkpoint=None):
    with open(keys, encoding="utf-8") as file:
        document = json.load(file)
    outside = None
    if checkpoint:
        with open(checkpoint, encoding="utf-8") as file:
            outside = json.load(file)
    verifier = Verifier(document, outside)
    try:
        with open(export, "rb") as file:
            for raw in file:
                verifier.line(raw.removesuffix(b"\n"))
        verifier.end()
    except Bad as bad:
        print(bad, verifier.seq + 1 if bad.seq is None else bad.seq, verifier.number)
        return 1
    print("ok", verifier.events)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
