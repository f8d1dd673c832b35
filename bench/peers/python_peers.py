"""One row on igraph or networkx: python_peers.py NAME JSON, where JSON has row, folder and runs."""

import csv
import itertools
import json
import os
import sys
import time


def read(folder, name):
    with open(os.path.join(folder, name)) as f:
        return [tuple(map(int, line)) for line in csv.reader(f)]


def igraph_question(row, folder):
    import igraph

    labels = [l for _, l in read(folder, "labels.csv")]
    g = igraph.Graph(n=len(labels), edges=read(folder, "edges.csv"))
    form = row["form"]
    if form == "labelled":
        p = igraph.Graph(edges=row["edges"])
        return igraph.__version__, lambda: g.count_subisomorphisms_vf2(p, color1=labels, color2=list(range(p.vcount())))
    if form == "cores":
        return igraph.__version__, lambda: max(g.coreness())
    if form == "oriented":
        k = 1 + max(max(e) for e in row["edges"])
        return igraph.__version__, lambda: len(g.list_triangles()) if k == 3 else len(g.cliques(k, k))
    if form == "motifs4":
        # The isomorphism classes of connected graphs of four vertices, in the order path, claw, cycle, paw, diamond, clique.
        shapes = [[(0, 1), (1, 2), (2, 3)], [(0, 1), (0, 2), (0, 3)], [(0, 1), (1, 2), (2, 3), (0, 3)],
                  [(0, 1), (1, 2), (0, 2), (2, 3)], [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)], list(itertools.combinations(range(4), 2))]
        classes = [igraph.Graph(4, e).isoclass() for e in shapes]

        def motifs():
            found = g.motifs_randesu(size=4)
            return " ".join(str(int(found[c])) for c in classes)

        return igraph.__version__, motifs
    return None


def networkx_question(row, folder):
    import networkx
    from networkx.algorithms import isomorphism

    g = networkx.Graph(read(folder, "edges.csv"))
    form = row["form"]
    if form == "labelled":
        networkx.set_node_attributes(g, dict(read(folder, "labels.csv")), "label")
        p = networkx.Graph(row["edges"])
        networkx.set_node_attributes(p, {v: v for v in p}, "label")
        match = isomorphism.categorical_node_match("label", None)
        return networkx.__version__, lambda: sum(1 for _ in isomorphism.GraphMatcher(g, p, match).subgraph_monomorphisms_iter())
    if form == "cores":
        return networkx.__version__, lambda: max(networkx.core_number(g).values())
    if form == "oriented" and len(row["edges"]) == 3:
        return networkx.__version__, lambda: sum(networkx.triangles(g).values()) // 3
    return None


def main():
    order = json.loads(sys.argv[2])
    question = {"igraph": igraph_question, "networkx": networkx_question}[sys.argv[1]](order["row"], order["folder"])
    if question is None:
        return
    version, ask = question
    print(json.dumps({"version": version}), flush=True)
    for _ in range(order["runs"]):
        start = time.perf_counter()
        result = ask()
        print(json.dumps({"result": str(result), "seconds": time.perf_counter() - start}), flush=True)


main()
