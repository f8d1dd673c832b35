#!/usr/bin/env bash
# Renews the tables and pictures of docs/performance.md, but those of group user, and the files in bench/results: bench/renew.sh DATA [PEERS.csv]
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: bench/renew.sh DATA [PEERS.csv]" >&2; exit 2; }
data=$(realpath "$1")
peers=${2:+--peers=$(realpath "$2")}
cd "$(dirname "$0")/.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
go build -o "$bin/motif" ./cmd/motif
mkdir -p bench/results
"$bin/motif" bench suite --data "$data" --workers 1,2 --scale 20 --only labelled,sets,unlabelled,lsqb,growth,kernels ${peers:+"$peers"} \
    --out docs/performance.md --out bench/results/suite.txt --out bench/results/suite.csv
cd bench/plot
go run . ../results/suite.csv ../../docs/img
