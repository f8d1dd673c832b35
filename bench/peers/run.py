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
import user_graphs

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
USER = {peer: ["node", os.path.join(HERE, "user.js"), peer] for peer in ("DuckDB", "Kuzu", "Ladybug")}
USER_RUNS = 6  # the first is apart
WRITES = {"transaction": 10_000, "single": 1_000, "batch": 100_000}


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
    """One row on one peer: version, result, seconds of the first and the best run, and a status."""
    user = "form" not in row
    command = USER[peer] if user else PEERS[peer]
    process = subprocess.Popen(command + [json.dumps({"row": row, "folder": folder, "runs": USER_RUNS if user else RUNS})],
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    out, version, result, first, best, status = lines(process), "", "", None, None, "ok"
    try:
        while (line := out.get(timeout=limit if version else LOADING)) is not None:
            said = json.loads(line)
            if "version" in said:
                version = said["version"]
                continue
            if result not in ("", said["result"]):
                raise RuntimeError(f"{peer} {row['row']}: {result} in one run, {said['result']} in another")
            result, seconds = said["result"], said["seconds"]
            if user and first is None:
                first = seconds
            else:
                best = min(best or seconds, seconds)
    except queue.Empty:
        status = "ok" if best or first else "stopped"
    finally:
        process.kill()
        process.wait()
    best = best or first
    if status == "ok" and best is None:
        status = "failed"
        print(process.stderr.read()[-300:], file=sys.stderr)
    return {"row": row["row"], "peer": peer, "version": version, "result": result, "status": status,
            "first_seconds": f"{first:.6f}" if first else "", "seconds": f"{best or limit:.6f}" if status != "failed" else ""}


def user_rows():
    """The rows of group user: queries, with the graph that each needs, and writes."""
    with open(os.path.join(HERE, "..", "suite", "user.json")) as f:
        user = json.load(f)
    by_name = {g["name"]: g for g in user["graphs"]}
    for q in user["queries"]:
        graph = q["name"].split("/")[0]
        yield {**q, "row": q["name"], "graph": graph, "tables": by_name[graph]}
    for write, n in WRITES.items():
        yield {"row": f"write/{write}", "graph": "new-store", "write": write, "n": n}


def prepare(row, data, motif, folder, peers):
    """Writes the row's graph, and loads it for group user."""
    if "form" in row:
        graphs.write(row["graph"], data, motif, folder)
    elif "tables" in row:
        tables = row.pop("tables")
        user_graphs.write(tables, data, folder)
        for peer in peers:
            if peer in USER and not os.path.exists(os.path.join(folder, peer)):
                subprocess.run(USER[peer] + [json.dumps({"load": tables, "folder": folder})], check=True, timeout=LOADING)


def main():
    data, out, motif = sys.argv[1:4]
    only = sys.argv[4:]
    limit = float(os.environ.get("LIMIT", "60"))
    peers = os.environ.get("PEERS", ",".join(PEERS | USER)).split(",")
    work = os.environ.get("WORK") or tempfile.mkdtemp(prefix="motif-peers-")
    with open(os.path.join(HERE, "rows.json")) as f:
        rows = [r for r in json.load(f) + list(user_rows()) if not only or r["row"] in only or "user" in only and "form" not in r]
    results, wrong = [], 0
    with open(out, "w", newline="") as f:
        table = csv.DictWriter(f, ["row", "peer", "version", "result", "first_seconds", "seconds", "status"])
        table.writeheader()
        for row in rows:
            folder = os.path.join(work, row["graph"])
            prepare(row, data, motif, folder, peers)
            found = {str(row["want"])} if "want" in row else set()
            for peer in peers:
                if peer not in (PEERS if "form" in row else USER):
                    continue
                if row.get("form") in NOT_FOR.get(peer, ()) or (peer, row["row"]) in NOT_ROWS:
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
