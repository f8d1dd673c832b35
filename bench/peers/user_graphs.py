"""Writes the tables of a graph of group `user` as CSV without headers, NAME.csv, after ../suite/user.json."""

import csv
import os
import subprocess
import tempfile
import zipfile

import graphs

CLEAN = str.maketrans({"\n": " ", "\r": " ", '"': "'", "\\": "/"})


def unpack(graph, data, folder):
    """The files of the archive, in folder."""
    archive = os.path.join(data, graph["archive"])
    if not archive.endswith(".tar.zst"):
        return scored(archive, folder)
    with subprocess.Popen(["zstd", "-dc", archive], stdout=subprocess.PIPE) as zstd:
        subprocess.run(["tar", "xf", "-", "-C", folder], stdin=zstd.stdout, check=True)
    if "zip" in graph:
        with zipfile.ZipFile(os.path.join(folder, graph["zip"])) as z:
            z.extractall(folder)


def scored(archive, folder):
    """Directed edges, each pair once and no loops, with numbers that hashes of the ends give."""
    edges = set()
    text = subprocess.run(["zstd", "-dc", archive], stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in text.splitlines():
        if not line.startswith("#"):
            u, v = map(int, line.split()[:2])
            if u != v:
                edges.add((u, v))
    with open(os.path.join(folder, "nodes.csv"), "w") as f:
        f.write("id,lab,score\n")
        for v in sorted({v for e in edges for v in e}):
            f.write(f"{v},{graphs.splitmix(v ^ 77) % 5},{graphs.splitmix(v ^ 5) % 1000}\n")
    with open(os.path.join(folder, "edges.csv"), "w") as f:
        f.write("from,to,w\n")
        for u, v in sorted(edges):
            f.write(f"{u},{v},{graphs.splitmix(u * 1000003 + v) % 100}\n")


def lines(path, separator):
    """The cells of each line but the first. Only files with commas quote their cells."""
    with open(path, newline="", encoding="utf8") as f:
        reader = csv.reader(f, delimiter=separator, quoting=csv.QUOTE_MINIMAL if separator == "," else csv.QUOTE_NONE)
        next(reader)
        yield from reader


def cell(line, column):
    _, at, kind = column
    if kind == "length":
        return (int(line[at]) * 2654435761 >> 7) % 200
    return line[at].translate(CLEAN)


def write(graph, data, folder):
    """Writes the tables unless they are there."""
    done = os.path.join(folder, "done")
    if os.path.exists(done):
        return
    csv.field_size_limit(1 << 30)
    os.makedirs(folder, exist_ok=True)
    ids = {}
    with tempfile.TemporaryDirectory() as files:
        unpack(graph, data, files)
        for table in graph["tables"]:
            with open(os.path.join(folder, table.get("type", table.get("label")) + ".csv"), "w", newline="") as f:
                out = csv.writer(f, lineterminator="\n")
                for name in table["files"]:
                    for line in lines(os.path.join(files, graph["prefix"] + name + ".csv"), graph["separator"]):
                        ends = []
                        if "label" in table:
                            ids.setdefault(table["label"], set()).add(line[0])
                        elif line[0] in ids[table["from"]] and line[1] in ids[table["to"]]:
                            ends = line[:2]
                        else:
                            continue
                        out.writerow(ends + [cell(line, c) for c in table["columns"]])
    open(done, "w").close()
