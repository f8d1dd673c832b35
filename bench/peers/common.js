// measure tells the version, and runs the query so many times: a line of JSON each, so that whoever has had enough knows what there was.
export async function measure(version, runs, query) {
  console.log(JSON.stringify({ version }));
  for (let i = 0; i < runs; i++) {
    const start = performance.now();
    const result = await query();
    console.log(JSON.stringify({ result: String(result), seconds: (performance.now() - start) / 1000 }));
  }
}

// order is a WHERE for the row's order of vertices, which takes one match of each subgraph.
export function order(row, less) {
  return row.less ? "WHERE " + row.less.map(([u, v]) => less(u, v)).join(" AND ") : "";
}
