"""Measures every peer on every row: run.py DATA OUT MOTIF [ROW...]. See README.md."""

import csv
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading

import graphs

HERE = os.path.dirname(os.path.abspath(__file__))
RUNS = 3
PEERS = {
    "Kuzu": ["node", os.path.join(HERE, "kuzu.js")],
    "DuckDB": ["node", os.path.join(HERE, "duckdb.js")],
    "igraph": ["/usr/bin/python3", os.path.join(HERE, "python_peers.py"), "igraph"],
    "networkx": ["/usr/bin/python3", os.path.join(HERE, "python_peers.py"), "networkx"],
}
NOT_FOR = {"Kuzu": {"motifs4", "cores"}, "DuckDB": {"motifs4", "cores"}, "igraph": {"both"}, "networkx": {"both", "motifs4"}}
NOT_ROWS = {("networkx", "kron18/cores"), ("networkx", "kron18/tc"), ("networkx", "kron16/k4"), ("networkx", "slashdot/k4")}
LOADING = 300  # seconds


def lines(process):
    """A queue of the process's lines; None at their end."""
    out = queue.Queue()

    def read():
        for line in process.stdout:
            out.put(line)
        out.put(None)

    threading.Thread(target=read, daemon=True).start()
    return out


def ask(peer, row, folder, limit):
    """One row on one peer: version, result, best seconds and a status."""
    process = subprocess.Popen(PEERS[peer] + [json.dumps({"row": row, "folder": folder, "runs": RUNS})], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    out, version, result, best, status = lines(process), "", "", None, "ok"
    try:
        while (line := out.get(timeout=limit if version else LOADING)) is not None:
            said = json.loads(line)
            if "version" in said:
                version = said["version"]
                continue
            if result not in ("", said["result"]):
                raise RuntimeError(f"{peer} {row['row']}: {result} in one run, {said['result']} in another")
            result, best = said["result"], min(best or said["seconds"], said["seconds"])
    except queue.Empty:
        status = "ok" if best else "stopped"
    finally:
        process.kill()
        process.wait()
    if status == "ok" and best is None:
        status = "failed"
        print(process.stderr.read()[-300:], file=sys.stderr)
    return {"row": row["row"], "peer": peer, "version": version, "result": result, "status": status,
            "seconds": f"{best or limit:.4f}" if status != "failed" else ""}


def main():
    data, out, motif = sys.argv[1:4]
    only = sys.argv[4:]
    limit = float(os.environ.get("LIMIT", "60"))
    peers = os.environ.get("PEERS", ",".join(PEERS)).split(",")
    work = os.environ.get("WORK") or tempfile.mkdtemp(prefix="motif-peers-")
    with open(os.path.join(HERE, "rows.json")) as f:
        rows = [r for r in json.load(f) if not only or r["row"] in only]
    results, wrong = [], 0
    with open(out, "w", newline="") as f:
        table = csv.DictWriter(f, ["row", "peer", "version", "result", "seconds", "status"])
        table.writeheader()
        for row in rows:
            folder = os.path.join(work, row["graph"])
            graphs.write(row["graph"], data, motif, folder)
            found = {str(row["want"])} if "want" in row else set()
            for peer in peers:
                if row["form"] in NOT_FOR[peer] or (peer, row["row"]) in NOT_ROWS:
                    continue
                result = ask(peer, row, folder, limit)
                table.writerow(result)
                f.flush()
                print(" ".join(result.values()), file=sys.stderr)
                if result["status"] == "ok":
                    found.add(result["result"])
            if len(found) > 1:
                print(f"{row['row']}: the peers disagree: {found}", file=sys.stderr)
                wrong += 1
    sys.exit(1 if wrong else 0)


main()
