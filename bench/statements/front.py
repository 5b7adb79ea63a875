"""ClickHouse's HTTP interface in front of the engine that a release of the packages chdb or chdb-core holds.

    pip install chdb==3.2.0        # ClickHouse 24.8; chdb 4.0.2: 25.8; chdb-core 26.7.3 and 26.9.0: 26.7 and 26.9
    python bench/statements/front.py --port 18123
    python bench/statements/front.py --port 18123 --cluster two

It serves what the statement tests ask and no more, on loopback, to user `default` with the password `statements`.

With --cluster there is a cluster of two shards. Both are this engine itself, so both read the same tables:
`optimize_skip_unused_shards` sends a statement that names its repository to the one shard that has it, which gives each
row once. There is no Keeper: ON CLUSTER and Replicated are taken out of the statements, and inserts are deduplicated as
replicated tables do it.
"""

import argparse, base64, gzip, os, re, tempfile, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

import chdb

AUTHORIZATION = "Basic " + base64.b64encode(b"default:statements").decode()
# Of the HTTP layer; everything else in an address is a setting.
OPTIONS = {"query", "query_id", "database", "default_format", "wait_end_of_query", "session_id", "role"}
INSERT = re.compile(r"\s*(INSERT\s+INTO\s.*?)\s+FORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE | re.DOTALL)
FORMAT = re.compile(r"\s+FORMAT\s+(\w+)\s*;?\s*$", re.IGNORECASE)


def configuration(cluster):
    shard = (
        "<shard><internal_replication>true</internal_replication>"
        "<replica><host>localhost</host><port>9000</port></replica></shard>"
    )
    clusters = f"<remote_servers><{cluster}>{shard}{shard}</{cluster}></remote_servers>" if cluster else ""
    deduplicate = "<non_replicated_deduplication_window>1000</non_replicated_deduplication_window>"
    return f"<clickhouse><tcp_port>9000</tcp_port>{clusters}<merge_tree>{deduplicate if cluster else ''}</merge_tree></clickhouse>"


class Engine:
    def __init__(self, cluster):
        self.cluster = cluster
        self.folder = tempfile.mkdtemp(prefix="statements-")
        config = os.path.join(self.folder, "config.xml")
        with open(config, "w") as file:
            file.write(configuration(cluster))
        self.path = f"{self.folder}/data?config-file={config}"
        self.root = chdb.connect(self.path)
        self.version = self.root.query("SELECT version()", "TSV").bytes().decode().strip()
        # Before 25 a process has one connection: one statement at a time, and its settings are taken back.
        self.lock = threading.Lock() if int(self.version.split(".")[0]) < 25 else None

    def run(self, options, body):
        settings = {name: value for name, value in options.items() if name not in OPTIONS}
        if self.cluster:
            # Nobody listens at the address of the shards.
            settings |= {"optimize_skip_unused_shards": "1", "prefer_localhost_replica": "1"}
        if self.lock is None:
            connection = chdb.connect(self.path)
            try:
                return self.statement(connection, settings, options, body)
            finally:
                connection.close()
        settings.pop("readonly", None)
        with self.lock:
            try:
                return self.statement(self.root, settings, options, body)
            finally:
                for name in settings:
                    if not name.startswith("param_"):
                        self.root.query(f"SET {name} = DEFAULT")

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
            text = self.on_one_server(f"{head}\n{body.decode()}".strip())
            found = FORMAT.search(text)
            result = connection.query(FORMAT.sub("", text), found[1] if found else options.get("default_format", "TabSeparated"))
        elif self.lock is not None:
            # Its INFILE does not know which columns are given.
            result = connection.query(f"{insert[1]} FORMAT {insert[2]}\n{body.decode()}")
        else:
            with tempfile.NamedTemporaryFile(dir=self.folder) as file:
                file.write(body)
                file.flush()
                result = connection.query(f"{insert[1]} FROM INFILE '{file.name}' COMPRESSION 'none' FORMAT {insert[2]}")
        return result.bytes() if hasattr(result, "bytes") else b""

    def on_one_server(self, text):
        if not self.cluster:
            return text
        return re.sub(r"\bReplicated(\w*MergeTree)", r"\1", re.sub(r"\s+ON\s+CLUSTER\s+'[^']*'", "", text))


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
            data = b""
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
    parser.add_argument("--cluster", help="the name of a cluster of two shards")
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", options.port), Handler)
    server.engine = Engine(options.cluster)
    print(f"ClickHouse {server.engine.version} at http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


main()
