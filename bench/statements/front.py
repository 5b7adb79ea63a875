"""ClickHouse's HTTP interface in front of the engine that a release of the packages chdb or chdb-core holds.

    pip install chdb==4.0.2        # ClickHouse 25.8; chdb-core 26.9.0: 26.9
    python bench/statements/front.py --port 18123

It serves what the statement tests ask and no more, on loopback, to user `bot` with the password `statements`.
"""

import argparse, base64, gzip, re, tempfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import chdb

AUTHORIZATION = "Basic " + base64.b64encode(b"bot:statements").decode()
# Of the HTTP layer; everything else in an address is a setting.
OPTIONS = {"query", "query_id", "database", "default_format", "wait_end_of_query", "session_id", "role"}
INSERT = re.compile(r"\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE | re.DOTALL)
FORMAT = re.compile(r"\s+FORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)


class Engine:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="statements-")
        self.path = f"{self.folder}/data"
        self.root = chdb.connect(self.path)
        self.version = self.root.query("SELECT version()", "TSV").bytes().decode().strip()

    def run(self, options, body):
        settings = {name: value for name, value in options.items() if name not in OPTIONS}
        connection = chdb.connect(self.path)
        try:
            return self.statement(connection, settings, options, body)
        finally:
            connection.close()

    def statement(self, connection, settings, options, body):
        database = (options.get("database") or "default").replace("\\", "\\\\").replace("`", "\\`")
        connection.query(f"USE `{database}`")
        # Last: afterwards nothing can be set any more.
        readonly = settings.pop("readonly", None)
        sets = [f"{name} = {quoted(value)}" for name, value in settings.items()]
        sets += [f"readonly = {readonly}"] if readonly else []
        if sets:
            connection.query("SET " + ", ".join(sets))
        head = options.get("query", "")
        insert = INSERT.match(head)
        if insert is None:
            text = f"{head}\n{body.decode()}".strip()
            found = FORMAT.search(text)
            result = connection.query(FORMAT.sub("", text), found[1] if found else options.get("default_format", "TabSeparated"))
        else:
            with tempfile.NamedTemporaryFile(dir=self.folder) as file:
                file.write(body)
                file.flush()
                result = connection.query(f"{insert[1]} FROM INFILE '{file.name}' COMPRESSION 'none' FORMAT {insert[2]}")
        return result.bytes() if hasattr(result, "bytes") else b""


def quoted(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body, code=None):
        self.send_response(status)
        if code:
            self.send_header("X-ClickHouse-Exception-Code", code)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            data = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        else:
            # The client sends each row as a chunk of its own: appended to `bytes`, all of it would be copied for every row.
            data = bytearray()
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        return gzip.decompress(data) if self.headers.get("Content-Encoding") == "gzip" else data

    def do_POST(self):
        body = self.body()
        url = urlsplit(self.path)
        if url.path == "/ping":
            return self.answer(200, b"Ok.\n")
        if self.headers.get("Authorization") != AUTHORIZATION:
            return self.answer(403, b"Code: 516. DB::Exception: Authentication failed. (AUTHENTICATION_FAILED)", "516")
        try:
            self.answer(200, self.server.engine.run(dict(parse_qsl(url.query, keep_blank_values=True)), body))
        except Exception as error:
            text = str(error)
            found = re.search(r"Code: (\d+)\..*", text, re.DOTALL)
            self.answer(500, (found[0] if found else text).encode(), found[1] if found else "1000")

    do_GET = do_POST

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=18123)
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.engine = Engine()
    print(f"ClickHouse {server.engine.version} at http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


main()
