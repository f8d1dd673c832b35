// One row on Kùzu. Labelled graphs have a node table a label, and a relationship table each way between two labels; other rows have one
// table of nodes and one of relationships, in the form that the row asks for.
import fs from "node:fs";
import path from "node:path";
import kuzu from "kuzu";
import { measure, order } from "./common.js";

const { row, folder, runs } = JSON.parse(process.argv[2]);
const file = path.join(folder, `kuzu-${row.form}`);
const fresh = !fs.existsSync(file);
const db = new kuzu.Database(file, 4 * 2 ** 30);
const conn = new kuzu.Connection(db, 1);

async function run(text) {
  const result = await conn.query(text);
  const rows = await result.getAll();
  result.close();
  return rows;
}

const csv = (name) => `"${path.join(folder, name)}" (HEADER=false)`;

async function load() {
  if (row.form !== "labelled") {
    await run("CREATE NODE TABLE N(id INT64, PRIMARY KEY(id))");
    await run("CREATE REL TABLE E(FROM N TO N)");
    await run(`COPY N FROM (LOAD FROM ${csv("labels.csv")} RETURN CAST(column0 AS INT64))`);
    await run(`COPY E FROM ${csv(row.form + ".csv")}`);
    return;
  }
  for (let i = 0; i < 5; i++) {
    await run(`CREATE NODE TABLE N${i}(id INT64, PRIMARY KEY(id))`);
    await run(`COPY N${i} FROM ${csv(`nodes_${i}.csv`)}`);
  }
  for (let i = 0; i < 5; i++) {
    for (let j = 0; j < 5; j++) {
      if (i === j) continue;
      await run(`CREATE REL TABLE E${i}${j}(FROM N${i} TO N${j})`);
      await run(`COPY E${i}${j} FROM ${csv(`edges_${i}_${j}.csv`)}`);
    }
  }
}

const labelled = row.form === "labelled";
const node = (v) => (labelled ? `(v${v}:N${v})` : `(v${v}:N)`);
const rel = ([u, v]) => `${node(u)}-[:${labelled ? `E${u}${v}` : "E"}]->${node(v)}`;
const where = order(row, (u, v) => `v${u}.id < v${v}.id`);
const query = `MATCH ${row.edges.map(rel).join(", ")} ${where} RETURN COUNT(*) AS n`;

if (fresh) await load();
await measure(kuzu.VERSION, runs, async () => (await run(query))[0].n);
process.exit(0);
