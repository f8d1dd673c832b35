#!/usr/bin/env bash
# Renews the tables of group user in docs/performance.md: bench/renew_user.sh DATA. It measures DuckDB, Kùzu and Ladybug first.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: bench/renew_user.sh DATA" >&2; exit 2; }
data=$(realpath "$1")
cd "$(dirname "$0")/.."
work=${WORK:-$(mktemp -d)}
mkdir -p "$work"
go build -o "$work/motif" ./cmd/motif
# Programs that disagree end the first command with status 1, and the second says which answer is wrong.
WORK=$work PEERS=DuckDB,Kuzu,Ladybug LIMIT=${LIMIT:-30} bench/peers/run.sh "$data" bench/results/peers-user.csv user || true
"$work/motif" bench suite --data "$data" --workers 1,2 --only user --peers bench/results/peers-user.csv \
    --out docs/performance.md --out bench/results/user.txt --out bench/results/user.csv
