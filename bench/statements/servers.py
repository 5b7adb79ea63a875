"""ClickHouse servers on loopback, one process each: the shards and replicas of a cluster that is named `two`.

    pip install chdb==3.2.0               # ClickHouse 24.8: its library holds the whole server
    apt-get install libzookeeper-java     # with a Java: what replicas and ON CLUSTER need
    python bench/statements/servers.py --shards 2 --replicas 2

    python bench/statements/servers.py --library node_modules/@chdb/lib-linux-x64-gnu/libchdb.so    # ClickHouse 26.7

The second library has no ON CLUSTER: a proxy at port + 400 does such a statement on every server, with tables that are not
replicated. They too drop a block that they had before.

The user is `bot` with the password `statements`; server N listens at port + N. All of it ends with SIGINT or
SIGTERM and removes what it wrote.
"""

import argparse, ctypes, glob, http.client, importlib.util, os, re, shutil, signal, subprocess, sys, tempfile, threading, time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

MAIN = "_Z25mainEntryClickHouseServeriPPc"
# It listens for as long as its query runs.
LISTEN = """SYSTEM START LISTEN TCP; SYSTEM START LISTEN HTTP;
SELECT sleepEachRow(1) FROM numbers(100000) FORMAT Null
SETTINGS function_sleep_max_microseconds_per_block = 0, max_block_size = 1, max_threads = 1"""
ZOOKEEPER = ["java", "-Xmx256m", "-cp", "/usr/share/java/*", "org.apache.zookeeper.server.quorum.QuorumPeerMain"]
USERS = """<clickhouse>
  <profiles><default/></profiles><quotas><default/></quotas>
  <users>
    <bot>
      <password>statements</password><networks><ip>127.0.0.1</ip></networks><profile>default</profile><quota>default</quota>
      <access_management>1</access_management>
    </bot>
    <default><password></password><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota></default>
  </users>
</clickhouse>"""


def call(function, arguments):
    given = [argument.encode() for argument in arguments]
    return function(len(given), (ctypes.c_char_p * (len(given) + 1))(*given, None))


def serve(folder, library):
    config = f"--config-file={folder}/config.xml"
    if library is None:
        # Importing the package itself would start its engine in this process.
        package = os.path.dirname(importlib.util.find_spec("chdb").origin)
        server = ctypes.CDLL(glob.glob(f"{package}/_chdb*.so")[0])
        sys.exit(call(server[MAIN], ["clickhouse-server", config]))
    engine = ctypes.CDLL(library)
    engine.chdb_query_cmdline.restype = ctypes.c_void_p
    engine.chdb_result_error.restype = ctypes.c_char_p
    engine.chdb_result_error.argtypes = [ctypes.c_void_p]
    arguments = ["clickhouse", config, f"--path={folder}/data", "--query", LISTEN]
    sys.exit((engine.chdb_result_error(call(engine.chdb_query_cmdline, arguments)) or b"").decode())


def configuration(options, folder, shard, replica):
    node = lambda shard, replica: options.port + shard * options.replicas + replica
    here = node(shard, replica)
    servers = lambda shard: "".join(
        f"<replica><host>127.0.0.1</host><port>{node(shard, replica) + 100}</port>"
        "<user>bot</user><password>statements</password></replica>"
        for replica in range(options.replicas)
    )
    shards = "".join(
        f"<shard><internal_replication>true</internal_replication>{servers(shard)}</shard>" for shard in range(options.shards)
    )
    return f"""<clickhouse>
  <logger><level>warning</level><log>{folder}/server.log</log><errorlog>{folder}/errors.log</errorlog></logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>{here}</http_port><tcp_port>{here + 100}</tcp_port>
  <interserver_http_port>{here + 200}</interserver_http_port><interserver_http_host>127.0.0.1</interserver_http_host>
  <path>{folder}/data/</path><tmp_path>{folder}/tmp/</tmp_path><user_files_path>{folder}/files/</user_files_path>
  <users_config>{folder}/users.xml</users_config><default_profile>default</default_profile>
  <mark_cache_size>100000000</mark_cache_size>
  <max_server_memory_usage>3000000000</max_server_memory_usage>
  <macros><shard>{shard}</shard><replica>{replica}</replica></macros>
  <remote_servers><two>{shards}</two></remote_servers>
  <zookeeper><node><host>127.0.0.1</host><port>{options.port + 300}</port></node></zookeeper>
  <distributed_ddl><path>/clickhouse/ddl</path></distributed_ddl>
  <merge_tree><non_replicated_deduplication_window>{1000 if options.library else 0}</non_replicated_deduplication_window></merge_tree>
</clickhouse>"""


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def wait_for(address, process):
    for _ in range(600):
        if process.poll() is not None:
            sys.exit(f"the server of {address} ended with {process.returncode}; is the port free?")
        try:
            urllib.request.urlopen(address, timeout=1).read()
            # Another process may answer there already.
            time.sleep(1)
            if process.poll() is None:
                return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{address} does not answer after a minute")


class OnEveryServer(BaseHTTPRequestHandler):
    """Does a statement with ON CLUSTER on every server, and passes any other on to the first one."""

    protocol_version = "HTTP/1.1"

    def body(self):
        if self.headers.get("Transfer-Encoding") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        # The client sends each row as a chunk of its own: appended to `bytes`, all of it would be copied for every row.
        data = bytearray()
        while size := int(self.rfile.readline(), 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return bytes(data)

    def do_POST(self):
        body = self.body()
        alone = re.sub(rb"\s+ON\s+CLUSTER\s+'[^']*'", b"", body)
        everywhere = alone != body and "query=" not in self.path
        if everywhere:
            body = re.sub(rb"\bReplicated(\w*MergeTree)", rb"\1", alone)
        left_out = ("host", "content-length", "transfer-encoding", "connection")
        headers = {name: value for name, value in self.headers.items() if name.lower() not in left_out}
        for port in self.server.ports if everywhere else self.server.ports[:1]:
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            text = answer.read()
            connection.close()
            if answer.status != 200:
                break
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in left_out and name.lower() != "keep-alive":
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST

    def log_message(self, *_):
        pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=18123, help="of the first node; the 400 after it are used as well")
    parser.add_argument("--shards", type=int, default=2)
    parser.add_argument("--replicas", type=int, default=1, help="of each shard")
    parser.add_argument("--library", type=os.path.abspath, help="libchdb.so; the package chdb where not given")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    root = tempfile.mkdtemp(prefix="statements-")
    processes = []

    def start(command, folder):
        os.makedirs(folder, exist_ok=True)
        environment = {**os.environ, "CLICKHOUSE_WATCHDOG_ENABLE": "0"}
        processes.append(subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
        return processes[-1]

    try:
        keeper = f"{root}/zookeeper"
        write(
            f"{keeper}/zoo.cfg",
            f"tickTime=500\ndataDir={keeper}/data\nclientPort={options.port + 300}\nclientPortAddress=127.0.0.1\n"
            "admin.enableServer=false\n",
        )
        if options.library is None:
            start([*ZOOKEEPER, f"{keeper}/zoo.cfg"], keeper)
        for index in range(options.shards * options.replicas):
            folder = f"{root}/{index}"
            write(f"{folder}/users.xml", USERS)
            write(f"{folder}/config.xml", configuration(options, folder, *divmod(index, options.replicas)))
            command = [sys.executable, os.path.abspath(__file__), "serve", folder, *filter(None, [options.library])]
            wait_for(f"http://127.0.0.1:{options.port + index}/ping", start(command, folder))
        address = f"http://127.0.0.1:{options.port}"
        if options.library is not None:
            proxy = ThreadingHTTPServer(("127.0.0.1", options.port + 400), OnEveryServer)
            proxy.ports = [options.port + index for index in range(options.shards * options.replicas)]
            threading.Thread(target=proxy.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{options.port + 400}"
        print(f"{options.shards} shards of {options.replicas} at {address}, cluster two", flush=True)
        signal.pause()
    except KeyboardInterrupt:
        pass
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
        shutil.rmtree(root, ignore_errors=True)


if sys.argv[1:2] == ["serve"]:
    serve(sys.argv[2], (sys.argv[3:] or [None])[0])
else:
    main()
