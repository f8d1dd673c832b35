"""Writes the graphs as plain text that owes nothing to Motif's store: undirected simple edges, and a label a vertex.

edges.csv     u,v with u < v, once each
both.csv      u,v and v,u
oriented.csv  from the end of smaller degree (then smaller id) to the other
labels.csv    v,label with label = splitmix64(v xor 42) mod 5
"""

import os
import subprocess

MASK = (1 << 64) - 1


def splitmix(z):
    z = (z + 0x9E3779B97F4A7C15) & MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def label(v):
    return splitmix(v ^ 42) % 5


def lines_of(name, data, motif):
    files = {"slashdot": "soc-Slashdot0902.txt.zst", "wiki-Vote": "wiki-Vote.txt.zst"}
    if name in files:
        command = ["zstd", "-dc", os.path.join(data, files[name])]
    else:
        command = [motif, "gen", "rmat", "--scale", name.removeprefix("kron")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        yield from process.stdout
    if process.returncode:
        raise RuntimeError(f"{command[0]} failed")


def write(name, data, motif, folder):
    """Writes the files of a graph unless they are there."""
    if os.path.exists(os.path.join(folder, "labels.csv")):
        return
    os.makedirs(folder, exist_ok=True)
    edges, last = set(), 0
    for line in lines_of(name, data, motif):
        if not line.startswith("#"):
            u, v = map(int, line.split()[:2])
            last = max(last, u, v)
            if u != v:
                edges.add((min(u, v), max(u, v)))
    edges = sorted(edges)
    degree = [0] * (last + 1)
    for u, v in edges:
        degree[u] += 1
        degree[v] += 1
    with open(os.path.join(folder, "edges.csv"), "w") as plain, open(os.path.join(folder, "both.csv"), "w") as both, \
            open(os.path.join(folder, "oriented.csv"), "w") as oriented:
        for u, v in edges:
            plain.write(f"{u},{v}\n")
            both.write(f"{u},{v}\n{v},{u}\n")
            if (degree[u], u) > (degree[v], v):
                u, v = v, u
            oriented.write(f"{u},{v}\n")
    labels = [label(v) for v in range(last + 1)]
    pairs = {(i, j): open(os.path.join(folder, f"edges_{i}_{j}.csv"), "w") for i in range(5) for j in range(5) if i != j}
    for u, v in edges:
        if labels[u] != labels[v]:
            pairs[labels[u], labels[v]].write(f"{u},{v}\n")
            pairs[labels[v], labels[u]].write(f"{v},{u}\n")
    for f in pairs.values():
        f.close()
    for i in range(5):
        with open(os.path.join(folder, f"nodes_{i}.csv"), "w") as f:
            f.writelines(f"{v}\n" for v, l in enumerate(labels) if l == i)
    with open(os.path.join(folder, "labels.csv"), "w") as f:
        f.writelines(f"{v},{l}\n" for v, l in enumerate(labels))
