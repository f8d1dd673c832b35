// One row on DuckDB: a table of relationships each way between two labels, or one table in the form that the row asks for.
import fs from "node:fs";
import path from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { measure, order } from "./common.js";

const { row, folder, runs } = JSON.parse(process.argv[2]);
const file = path.join(folder, `duckdb-${row.form}`);
const fresh = !fs.existsSync(file);
const db = await DuckDBInstance.create(file, { threads: "1", memory_limit: "6GB" });
const conn = await db.connect();
const run = async (text) => (await conn.runAndReadAll(text)).getRows();

const labelled = row.form === "labelled";
const table = ([u, v]) => (labelled ? `e${u}${v}` : "e");

async function load() {
  const copy = (name, csv) =>
    run(`CREATE TABLE ${name} AS SELECT * FROM read_csv('${path.join(folder, csv)}', header=false, columns={'u': 'UINTEGER', 'v': 'UINTEGER'}) ORDER BY u, v`);
  if (!labelled) return copy("e", row.form + ".csv");
  for (let i = 0; i < 5; i++) {
    for (let j = 0; j < 5; j++) {
      if (i !== j) await copy(`e${i}${j}`, `edges_${i}_${j}.csv`);
    }
  }
}

// Every edge is a table; a vertex is equal in all edges that it ends.
const at = new Map();
const same = [];
row.edges.forEach(([u, v], i) => {
  for (const [x, column] of [[u, `t${i}.u`], [v, `t${i}.v`]]) {
    if (at.has(x)) same.push(`${at.get(x)} = ${column}`);
    else at.set(x, column);
  }
});
const less = order(row, (u, v) => `${at.get(u)} < ${at.get(v)}`).replace("WHERE", "AND");
const from = row.edges.map((e, i) => `${table(e)} t${i}`).join(", ");
const query = `SELECT count(*) FROM ${from} WHERE ${same.join(" AND ")} ${less}`;

if (fresh) await load();
await measure((await run("SELECT version()"))[0][0], runs, async () => (await run(query))[0][0]);
process.exit(0);
