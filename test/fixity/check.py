#!/usr/bin/env python3
"""Checks a data directory of Curlew without any code of Curlew: python3 check.py DATA

Prints a line for each finding: what (ledger, segment, exchange or file), its key, its address, the problem, with tabs
between them. Exit code 1 if there is one. Standard library only. Lists of everything are fine here: it is for tests.
"""
import hashlib
import json
import os
import re
import sqlite3
import sys
import zlib
from datetime import datetime, timezone
from urllib.parse import parse_qsl, urljoin, urlsplit

FOUND = []


def tell(what, key, address, problem):
    FOUND.append(what)
    print(what, key, address, problem, sep="\t")


def sha256_of_file(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


class Bad(Exception):
    """A member that is not one sound record."""


def parse_record(data):
    """The fields and the block of a WARC record, once its own digests are known to fit."""
    head, separator, rest = data.partition(b"\r\n\r\n")
    lines = head.decode("utf-8", "replace").split("\r\n")
    if not separator or lines[0] != "WARC/1.1":
        raise Bad("no WARC record")
    fields = {}
    for line in lines[1:]:
        name, colon, value = line.partition(":")
        if not colon:
            raise Bad("a field without a colon")
        fields[name.lower()] = value.strip()
    if fields.get("content-length") != str(len(rest) - 4) or rest[-4:] != b"\r\n\r\n":
        raise Bad("not as long as it says")
    block = rest[:-4]
    if fields.get("warc-block-digest", digest(block)) != digest(block):
        raise Bad("block digest")
    if "warc-payload-digest" in fields and fields["warc-type"] != "revisit" and "warc-truncated" not in fields:
        if fields["warc-payload-digest"] != digest(payload_of(block)):
            raise Bad("payload digest")
    return fields, block


def digest(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def payload_of(block):
    return block.partition(b"\r\n\r\n")[2]


def gunzip(data):
    """The content of the first member of the data, and how long the member is."""
    engine = zlib.decompressobj(31)
    try:
        content = engine.decompress(data) + engine.flush()
    except zlib.error as error:
        raise Bad(str(error)) from error
    if not engine.eof:
        raise Bad("cut off")
    return content, len(data) - len(engine.unused_data)


def read_member(segment, offset, length):
    data = segment[offset : offset + length]
    if len(data) < length:
        raise Bad("bytes are missing")
    content, used = gunzip(data)
    if used != length:
        raise Bad("bytes follow it")
    return parse_record(content)


def milliseconds(date):
    moment = datetime.strptime(date, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=timezone.utc)
    return round(moment.timestamp() * 1000)


def check_request(segment, row):
    fields, block = read_member(segment, row["request_offset"], row["request_length"])
    if fields["warc-type"] != "request":
        raise Bad("not a request")
    check_head(fields, row)
    return block


def check_head(fields, row):
    if fields["warc-target-uri"] != row["url"] or milliseconds(fields["warc-date"]) != row["at"]:
        raise Bad("of another address or time")


def check_response(segment, row):
    fields, block = read_member(segment, row["response_offset"], row["response_length"])
    status = re.match(rb"HTTP/1\.1 (\d{3}) ", block)
    if status is None or int(status[1]) != row["status"]:
        raise Bad("another status")
    body_hash = "sha256:" + row["body_sha256"].hex()
    if row["revisit_of"] is not None:
        good = fields["warc-type"] == "revisit" and fields.get("warc-payload-digest") == body_hash
    elif row["file_path"] is not None:
        said = (fields.get("curlew-file-digest"), fields.get("curlew-file-length"))
        good = fields["warc-type"] == "response" and said == (body_hash, str(row["body_size"]))
    else:
        good = fields["warc-type"] == "response" and fields.get("warc-payload-digest") == body_hash
        good = good and len(payload_of(block)) == row["body_size"]
    if not good:
        raise Bad("not the body that the row says")
    check_head(fields, row)
    return fields, block


def check_owner(row, request, block, before, answers):
    """The exchange is one that its request led to: the first is what the request asks for, others are where they were sent."""
    extra = json.loads(request["extra"] or "{}")
    if extra.get("via") == "browser":
        return  # Scripts may lead anywhere.
    if row["hop"] == 0:
        address = urlsplit(request["url"])
        asked = address._replace(netloc=address.netloc.rpartition("@")[2], fragment="").geturl()
        if asked != row["url"]:
            raise Bad("its request has another address")
        if block.split(b" ", 1)[0].decode() != request["method"]:
            raise Bad("its request has another method")
        if not is_body(extra.get("body"), payload_of(block).decode("utf-8", "replace")):
            raise Bad("its request has another body")
    elif before is None:
        raise Bad("the redirect to it is not there")
    elif before["id"] in answers:
        fields, answer = answers[before["id"]]
        location = re.search(rb"\r\nlocation:[ \t]*([^\r]*)", answer.partition(b"\r\n\r\n")[0], re.IGNORECASE)
        if location is None or urljoin(fields["warc-target-uri"], location[1].decode()).partition("#")[0] != row["url"]:
            raise Bad("nothing redirects to it")


def is_body(body, sent):
    if body is None:
        return sent == ""
    if "***" in sent:
        return True  # Taken out by --redact-archive.
    if body["kind"] == "form":
        return parse_qsl(sent, keep_blank_values=True) == [tuple(field) for field in body["fields"]]
    return json.loads(sent) == body["value"] if body["kind"] == "json" else sent == body["text"]


def check_gap(name, key, segment, start, end):
    """Between records that rows refer to there is nothing but the record about the file itself."""
    while start < end:
        try:
            content, used = gunzip(segment[start:end])
            fields, _ = parse_record(content)
        except Bad as problem:
            tell("segment", key, name, f"byte {start}: {problem}")
            return
        if fields["warc-type"] != "warcinfo":
            tell("segment", key, name, f"byte {start}: a record of {fields['warc-target-uri']} that no row refers to")
        start += used


def check_archive(data, ledger):
    rows = {row["id"]: row for row in ledger.execute("SELECT * FROM exchanges")}
    kept = {key: row for key, row in rows.items() if "lost" not in row.keys() or row["lost"] is None}
    segments = {}
    for row in ledger.execute("SELECT segments.*, status FROM segments LEFT JOIN runs ON runs.id = run_id"):
        name = f"curlew-{row['id']:08}.warc.gz"
        path = os.path.join(data, "archive", name)
        content = None
        if os.path.isfile(path):
            with open(path, "rb") as file:
                content = file.read()
        size, end = len(content or b""), row["committed_end"]
        is_other = os.path.lexists(path) and not os.path.isfile(path)
        if is_other or size < end or (size > end and row["status"] == "completed"):
            tell("segment", row["id"], name, f"{size} bytes, {end} expected")
        segments[row["id"]] = (content or b"")[:end] if row["status"] == "completed" else content or b""
        places = sorted((r["request_offset"], r["response_offset"] + r["response_length"])
                        for r in rows.values() if r["segment_id"] == row["id"])
        covered = 0
        for start, stop in [*places, (end, end)]:
            if start > covered:
                check_gap(name, row["id"], segments[row["id"]], covered, min(start, end, size))
            covered = max(covered, stop)
    for name in os.listdir(os.path.join(data, "archive")):
        number = re.fullmatch(r"curlew-(\d{8})\.warc\.gz", name)
        if number and int(number[1]) not in segments:
            tell("segment", int(number[1]), name, "unknown")
    unreadable, blocks, answers = set(), {}, {}
    for key, row in kept.items():
        for check, found in ((check_request, blocks), (check_response, answers)):
            try:
                found[key] = check(segments.get(row["segment_id"], b""), row)
            except (Bad, KeyError, ValueError) as problem:
                tell("exchange", key, row["url"], f"{check.__name__}: {problem!r}")
                if check is check_response:
                    unreadable.add(key)
    requests = {row["id"]: row for row in ledger.execute("SELECT id, method, url, extra FROM requests")}
    before, owners = {}, set()
    for key, row in sorted(rows.items()):
        places = {(row["segment_id"], row["request_offset"]), (row["segment_id"], row["response_offset"])}
        if places & owners:
            tell("exchange", key, row["url"], "another row has the same bytes")
        owners |= places
        if key in blocks and key in answers and row["request_id"] in requests:
            try:
                last = before.get((row["request_id"], row["hop"] - 1))
                check_owner(row, requests[row["request_id"]], blocks[key], last, answers)
            except (Bad, ValueError) as problem:
                tell("exchange", key, row["url"], str(problem))
        before[row["request_id"], row["hop"]] = row
    if ledger.execute("SELECT 1 FROM sqlite_schema WHERE name = 'different_answers'").fetchone():
        for (key,) in ledger.execute("SELECT exchange_id FROM different_answers"):
            if key in rows and rows[key]["lost"] is not None and rows[key]["replaced_by"] is None:
                tell("exchange", key, rows[key]["url"], "replaced by a different answer")
    for key, row in kept.items():
        if row["revisit_of"] is not None:
            holder = kept.get(row["revisit_of"])
            if holder is None or holder["revisit_of"] is not None or holder["file_path"] is not None:
                tell("exchange", key, row["url"], "the exchange with its body is not there")
            elif holder["body_sha256"] != row["body_sha256"]:
                tell("exchange", key, row["url"], "refers to another body")
            elif holder["id"] in unreadable:
                tell("exchange", key, row["url"], "its body is damaged")
        elif row["file_path"] is not None:
            check_file(data, f"files/{row['file_path']}", row["url"], row["body_sha256"].hex())


def check_file(data, path, address, sha256):
    full = os.path.join(data, path)
    if not os.path.isfile(full):
        tell("file", path, address, "missing")
    elif sha256_of_file(full) != sha256:
        tell("file", path, address, "other bytes")


def check_mirror(data, ledger):
    tables = {row[0] for row in ledger.execute("SELECT name FROM sqlite_schema")}
    table = "case_files" if "case_files" in tables else "downloads"
    held = f"""SELECT file_path, file_sha256, action_token_norm FROM {table} JOIN cases ON cases.id = case_id
        WHERE file_sha256 IS NOT NULL"""
    known = set()
    for path, sha256, token in ledger.execute(held):
        known.add(os.path.join(data, "pdfs", path))
        check_file(data, f"pdfs/{path}", token, sha256)
    for path, sha256, address in ledger.execute("SELECT file_path, sha256, source_url FROM csv_versions"):
        if path:
            check_file(data, path, address, sha256)
    for directory, _, names in os.walk(os.path.join(data, "pdfs")):
        for name in names:
            full = os.path.join(directory, name)
            if full not in known and f"{os.sep}.partial" not in directory:
                tell("file", os.path.relpath(full, data), "", "unknown")


REFERENCES = {
    "records": "SELECT id FROM records WHERE request_id NOT IN (SELECT id FROM requests)",
    "exchanges": "SELECT id FROM exchanges WHERE request_id NOT IN (SELECT id FROM requests)",
    "requests": "SELECT id FROM requests WHERE run_id NOT IN (SELECT id FROM runs)",
    "segments": "SELECT id FROM exchanges WHERE segment_id NOT IN (SELECT id FROM segments)",
    "bodies": """SELECT exchange_id FROM bodies WHERE NOT EXISTS (SELECT 1 FROM exchanges WHERE id = exchange_id
        AND body_sha256 = sha256 AND revisit_of IS NULL AND file_path IS NULL)""",
}


def check_ledger(path, ledger):
    for (line,) in ledger.execute("PRAGMA integrity_check"):
        if line != "ok":
            tell("ledger", "", path, line)
    for row in ledger.execute("PRAGMA foreign_key_check"):
        tell("ledger", row[0], path, f"row {row[1]} refers to nothing")
    for table, sql in REFERENCES.items():
        for row in ledger.execute(sql):
            tell("ledger", table, path, f"row {row[0]} refers to nothing")
    counted = {}
    for run, host, verdict, state in ledger.execute("SELECT run_id, host_id, verdict, state FROM requests"):
        key = (run, host, verdict if state == 3 else "pending")
        counted[key] = counted.get(key, 0) + 1
    sql = "SELECT records.run_id, host_id, errors FROM records JOIN requests ON requests.id = request_id"
    for run, host, errors in ledger.execute(sql):
        for what in ("record",) if errors is None else ("record", "invalid"):
            counted[run, host, what] = counted.get((run, host, what), 0) + 1
    for run, host, what, n in ledger.execute("SELECT run_id, host_id, verdict, n FROM run_counts"):
        if counted.pop((run, host, what), 0) != n:
            tell("ledger", "run_counts", path, f"run {run}: {what}")
    for run, _, what in counted:
        tell("ledger", "run_counts", path, f"run {run}: {what}")


def main(data):
    path = os.path.join(data, "ledger.sqlite")
    try:
        ledger = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
        ledger.row_factory = sqlite3.Row
        check_ledger(path, ledger)
        check_archive(data, ledger)
        check_mirror(data, ledger)
    except sqlite3.DatabaseError as error:
        tell("ledger", "", path, str(error))
    return 1 if FOUND else 0


sys.exit(main(sys.argv[1]))
