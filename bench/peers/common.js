import crypto from "node:crypto";

// measure tells the version, and runs the query so many times: a line of JSON each, so that whoever has had enough knows what there was.
// After two runs it stops once enough seconds have gone by.
export async function measure(version, runs, query, show = String, enough = Infinity) {
  console.log(JSON.stringify({ version }));
  const began = performance.now();
  for (let i = 0; i < runs && (i < 2 || performance.now() - began < enough * 1000); i++) {
    const start = performance.now();
    const result = await query();
    const seconds = (performance.now() - start) / 1000;
    console.log(JSON.stringify({ result: show(result), seconds }));
  }
}

// order is a WHERE for the row's order of vertices, which takes one match of each subgraph.
export function order(row, less) {
  return row.less ? "WHERE " + row.less.map(([u, v]) => less(u, v)).join(" AND ") : "";
}

// answer is the number of rows and a checksum that does not depend on their order, as bench/suite/user.go computes them.
export function answer(rows) {
  const lines = rows.map((r) => Buffer.from(r.map(cell).join("|"))).sort(Buffer.compare);
  const hash = crypto.createHash("sha256").update(lines.join("\n")).digest("hex");
  return `${rows.length} rows ${hash.slice(0, 12)}`;
}

// cell rounds fractions to ten digits, because programs add them up in different orders. Kùzu gives integers as numbers too.
function cell(v) {
  if (v === null || v === undefined) return "null";
  return typeof v === "number" && !Number.isInteger(v) ? String(+v.toPrecision(10)) : String(v);
}
