"""A second verifier of a batch's evidence, from docs/batch-evidence.md and docs/audit-format.md alone.
Python's standard library; what both pages share (JCS, Ed25519, keys) is taken from the verifier of
audit exports.

    python3 verify_batch.py FILE KEYS [--csv CSV] [--signature SIG] [--export EXPORT]

FILE is an attestation, its PDF, or the proof of a subject. Exit 0 and "ok <kind> <batch id>", or
exit 1 and "bad <where>".
"""
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../core/audit"))
from verify_export import Bad, Keys, Verifier, b64, is_hash, jcs, need, strict, verifies  # noqa: E402


def sha256(data):
    return hashlib.sha256(data).digest()


def leaf(data):
    return sha256(b"\x00" + data)


def node(left, right):
    return sha256(b"\x01" + left + right)


def root_of(start, place, where):
    """The root that a path leads to."""
    at, count = place.get("leaf_index"), place.get("leaf_count")
    need(type(at) is int and type(count) is int and 0 <= at < count, where)
    path = place.get("path")
    need(isinstance(path, list) and all(map(is_hash, path)), where)
    path, last, value = [bytes.fromhex(one) for one in path], count - 1, start
    while last > 0:
        if at % 2 == 1 or at < last:
            need(path, where)
            value = node(path.pop(0), value) if at % 2 == 1 else node(value, path.pop(0))
        at, last = at // 2, last // 2
    need(not path, where)
    return value


def without(value, *names):
    return {name: member for name, member in value.items() if name not in names}


def signed(raw_key, message, signature, where):
    raw = b64(signature, 64)
    need(raw is not None and verifies(raw_key, message, raw), where)


class Chain:
    """What an export of a tenant's chain names of its batches."""

    def __init__(self, lines, keys):
        self.attestations, self.hashes = set(), {}
        verifier = Verifier(keys, None)
        try:
            for line in lines:
                verifier.line(line)
                value = strict(line)
                if value.get("type") == "event":
                    self.note(value["event"])
            verifier.end()
        except Bad:
            raise Bad("export") from None

    def note(self, event):
        if event.get("action") in ("aml.batch.completed", "aml.batch.reports.reissued"):
            self.attestations.add(event["attestation_sha256"])
        if event.get("action") == "aml.batch.chunk.screened":
            self.hashes[event["seq"]] = event["hash"]


def key_of(keys, attestation, chain_export=None):
    ring = Keys(keys, attestation["tenant_id"])
    if chain_export is not None:
        need(sha256(jcs(attestation).encode()).hex() in chain_export.attestations, "unnamed")
        need(attestation["key_id"] in ring.keys, "key-unknown")
        return ring.keys[attestation["key_id"]][0]
    chain, period = attestation.get("chain"), attestation.get("period")
    seq = chain.get("seq") if isinstance(chain, dict) else None
    at = period.get("completed_at") if isinstance(period, dict) else None
    return ring.document(attestation["key_id"], seq if type(seq) is int else None, at)


def check_attestation(attestation, keys, chain=None):
    need(isinstance(attestation, dict), "attestation")
    need(attestation.get("type") == "batch-attestation", "attestation")
    need(type(attestation.get("version")) is int and attestation["version"] == 1, "attestation")
    need(isinstance(attestation.get("tenant_id"), str), "attestation")
    need(isinstance(attestation.get("key_id"), str), "attestation")
    text = jcs(without(attestation, "signature")).encode()
    message = b"batch-attestation-v1\0" + text
    key = key_of(keys, attestation, chain)
    signed(key, message, attestation.get("signature"), "attestation")


def check_event(event, attestation, keys):
    need(isinstance(event, dict) and event.get("type") == "entry", "event")
    need(event.get("tenant_id") == attestation["tenant_id"], "event")
    need(type(event.get("seq")) is int and event["seq"] >= 1, "event")
    need(is_hash(event.get("hash")) and is_hash(event.get("previous_event_hash")), "event")
    body = jcs(without(event, "hash", "signature", "details", "details_salt")).encode()
    previous = bytes.fromhex(event["previous_event_hash"])
    digest = sha256(b"audit-event-v1\0" + previous + body)
    need(digest.hex() == event["hash"], "event")
    ring = Keys(keys, event["tenant_id"])
    key = ring.find(event.get("key_id"), event["seq"], True)
    ring.document(event["key_id"], event["seq"], event.get("occurred_at"))
    place = attestation.get("chain")
    need(place is None or event["seq"] <= place["seq"], "event")
    signed(key, b"audit-signature-v1\0" + digest, event.get("signature"), "event")
    need(event.get("action") == "aml.batch.chunk.screened", "event")
    need(event.get("target") == attestation["batch_id"], "event")
    need(is_hash(event.get("merkle_root")), "event")


def check_personal(proof, result):
    """Version 2: what the proof shows of the subject is what the line has committed to."""
    subject, salt = proof.get("subject"), b64(proof.get("salt"), 16)
    need(result.get("version") == 2 and is_hash(result.get("commitment")), "result")
    need(isinstance(subject, dict) and salt is not None, "result")
    need(isinstance(subject.get("external_id"), str), "result")
    need(sha256(salt + jcs(subject).encode()).hex() == result["commitment"], "result")


def check_proof(proof, keys, chain=None):
    need(type(proof.get("version")) is int and proof["version"] in (1, 2), "proof")
    attestation, event, text = (proof.get(name) for name in ("attestation", "event", "result"))
    check_attestation(attestation, keys, chain)
    check_event(event, attestation, keys)
    if chain is not None:
        need(chain.hashes.get(event["seq"]) == event["hash"], "event")
    need(isinstance(text, str), "result")
    result = strict(text.encode())
    if proof["version"] == 2:
        check_personal(proof, result)
    else:
        need(isinstance(result.get("external_id"), str), "result")
    in_chunk, in_results = proof.get("in_chunk"), proof.get("in_results")
    need(isinstance(in_chunk, dict) and isinstance(in_results, dict), "proof")
    need(in_chunk.get("leaf_count") == event["subjects"], "in_chunk")
    found = root_of(leaf(text.encode()), in_chunk, "in_chunk")
    need(found.hex() == event["merkle_root"], "in_chunk")
    need(in_results.get("leaf_count") == attestation["chunks"], "in_results")
    need(in_results.get("leaf_index") == event["chunk_no"], "in_results")
    found = root_of(leaf(bytes.fromhex(event["merkle_root"])), in_results, "in_results")
    need(found.hex() == attestation["results_root"], "in_results")
    ordinal = event["chunk_no"] * attestation["chunk_subjects"] + in_chunk["leaf_index"]
    need(result.get("ordinal") == ordinal, "result")
    return attestation


def attached(pdf):
    found = re.findall(rb"/Type /EmbeddedFile\b", pdf)
    need(len(found) == 1, "attachment")
    start = re.search(
        rb"/Type /EmbeddedFile\b.{0,400}?/Length (\d{1,9})\s*>>\s*stream\n", pdf, re.DOTALL
    )
    need(start is not None, "attachment")
    return pdf[start.end() : start.end() + int(start.group(1))]


def check_pdf(pdf, keys, signature, chain=None):
    text = attached(pdf)
    attestation = strict(text)
    check_attestation(attestation, keys, chain)
    need(jcs(attestation).encode() == text, "attachment")
    if signature is not None:
        message = b"batch-report-v1\0" + sha256(pdf)
        signed(key_of(keys, attestation, chain), message, signature, "pages")
    return attestation


def verify(path, keys, options):
    with open(path, "rb") as file:
        data = file.read()
    chain = None
    if "--export" in options:
        chain = Chain(options["--export"].removesuffix(b"\n").split(b"\n"), keys)
    if data.startswith(b"%PDF-"):
        kind, attestation = "pdf", check_pdf(data, keys, options.get("--signature"), chain)
    else:
        value = strict(data)
        kind = "proof" if value.get("type") == "batch-proof" else "attestation"
        attestation = check_proof(value, keys, chain) if kind == "proof" else value
        if kind == "attestation":
            check_attestation(value, keys, chain)
    if "--csv" in options:
        need(sha256(options["--csv"]).hex() == attestation["report_sha256"], "report_sha256")
    return kind, attestation


def main(file, key_file, *rest):
    with open(key_file, "rb") as keys_file:
        keys = strict(keys_file.read())
    options = {}
    for name, path in zip(rest[::2], rest[1::2]):
        with open(path, "rb") as file_of:
            options[name] = file_of.read()
    if "--signature" in options:
        options["--signature"] = options["--signature"].decode().strip()
    try:
        kind, attestation = verify(file, keys, options)
    except Bad as bad:
        print("bad", bad)
        return 1
    print("ok", kind, attestation["batch_id"])
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
