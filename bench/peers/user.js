// A row of group user on Kuzu, Ladybug or DuckDB: user.js PROGRAM JSON. With "load" in place of a row, it loads the graph.
import fs from "node:fs";
import path from "node:path";
import { answer, measure } from "./common.js";

const program = process.argv[2];
const { load, row, folder, runs } = JSON.parse(process.argv[3]);
const enough = 5;
const types = program === "DuckDB" ? { int: "BIGINT", length: "BIGINT", string: "VARCHAR" } : { int: "INT64", length: "INT64", string: "STRING" };

async function openDuckDB(file, readOnly) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const db = await DuckDBInstance.create(file, { threads: "1", memory_limit: "6GB", ...(readOnly ? { access_mode: "READ_ONLY" } : {}) });
  const conn = await db.connect();
  const rows = async (text) => (await conn.runAndReadAll(text)).getRows();
  return { rows, version: (await rows("SELECT version()"))[0][0], language: "sql", close() { conn.closeSync(); db.closeSync(); } };
}

async function openKuzu(file, readOnly) {
  const { default: library } = await import(program === "Kuzu" ? "kuzu" : "@ladybugdb/core");
  const db = new library.Database(file, 6 * 2 ** 30, true, readOnly);
  const conn = new library.Connection(db, 1);
  await db.init();
  await conn.init();
  const rows = async (text) => {
    const result = await conn.query(text);
    const list = await result.getAll();
    result.close();
    return list.map((r) => Object.values(r));
  };
  return { rows, version: library.VERSION, language: "kuzu", async close() { await conn.close(); await db.close(); } };
}

const open = program === "DuckDB" ? openDuckDB : openKuzu;
const columns = (table) => table.columns.map(([name, , kind]) => `${name} ${types[kind]}`);

async function loadDuckDB(db, graph) {
  for (const t of graph.tables) {
    const name = t.type ?? t.label;
    const all = t.type ? ["src BIGINT", "dst BIGINT", ...columns(t)] : columns(t).map((c) => c.replace(/^id .*/, "$& PRIMARY KEY"));
    await db.rows(`CREATE TABLE "${name}"(${all.join(", ")})`);
    await db.rows(`COPY "${name}" FROM '${path.join(folder, name)}.csv' (HEADER false, DELIMITER ',', QUOTE '"', ESCAPE '"')`);
  }
  for (const view of graph.views ?? []) await db.rows(view);
}

async function loadKuzu(db, graph) {
  for (const t of graph.tables) {
    const name = t.type ?? t.label;
    const all = t.type ? [`FROM \`${t.from}\` TO \`${t.to}\``, ...columns(t)] : [...columns(t), "PRIMARY KEY(id)"];
    await db.rows(`CREATE ${t.type ? "REL" : "NODE"} TABLE \`${name}\`(${all.join(", ")})`);
    await db.rows(`COPY \`${name}\` FROM '${path.join(folder, name)}.csv' (HEADER=false, AUTO_DETECT=false, DELIM=',', QUOTE='"', ESCAPE='"', PARALLEL=false)`);
  }
}

// writer makes n nodes a run, in one transaction, by single statements, or by one statement.
async function writer(db, { write, n }) {
  const sql = program === "DuckDB";
  await db.rows(sql ? "CREATE TABLE Item(id BIGINT, name VARCHAR)" : "CREATE NODE TABLE Item(id INT64, name STRING, PRIMARY KEY(id))");
  const one = (i) => db.rows(sql ? `INSERT INTO Item VALUES (${i}, 'item ${i}')` : `CREATE (:Item {id: ${i}, name: 'item ${i}'})`);
  const many = (from, to) => db.rows(sql ? `INSERT INTO Item SELECT i, 'item ' || i FROM range(${from}, ${to}) t(i)`
    : `UNWIND range(${from}, ${to - 1}) AS i CREATE (:Item {id: i, name: concat('item ', CAST(i AS STRING))})`);
  let made = 0;
  return async () => {
    const to = made + n;
    if (write === "batch") await many(made, to);
    if (write === "transaction") await db.rows(sql ? "BEGIN" : "BEGIN TRANSACTION");
    if (write !== "batch") for (let i = made; i < to; i++) await one(i);
    if (write === "transaction") await db.rows("COMMIT");
    made = to;
    return `${n} nodes`;
  };
}

const file = path.join(folder, program);
if (load) {
  if (!fs.existsSync(file)) {
    const db = await open(file + "-loading", false);
    await (program === "DuckDB" ? loadDuckDB : loadKuzu)(db, load);
    await db.rows("CHECKPOINT");
    await db.close();
    fs.renameSync(file + "-loading", file);
  }
} else if (row.write) {
  fs.mkdirSync(folder, { recursive: true });
  const db = await open(path.join(fs.mkdtempSync(path.join(folder, "new-")), "db"), false);
  await measure(db.version, runs, await writer(db, row), String, enough);
} else {
  const db = await open(file, true);
  const text = row[db.language] ?? row.cypher;
  await measure(db.version, runs, () => db.rows(text), answer, enough);
}
process.exit(0);
