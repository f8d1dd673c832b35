#!/usr/bin/env bash
# Measures Kùzu, DuckDB, Ladybug, igraph and networkx on the suite's graphs: run.sh DATA OUT.csv [ROW...]. See README.md.
set -euo pipefail
[ $# -ge 2 ] || { echo "usage: run.sh DATA OUT.csv [ROW...]" >&2; exit 2; }
data=$(realpath "$1") out=$(realpath "$2")
shift 2
cd "$(dirname "$0")"
[ -d node_modules/kuzu ] && [ -d node_modules/@ladybugdb ] || npm install --no-audit --no-fund --no-package-lock >&2
[ -f node_modules/kuzu/kuzujs.node ] || (cd node_modules/kuzu && node install.js >&2)
case ${PEERS:-igraph} in *igraph* | *networkx*)
    /usr/bin/python3 -c 'import igraph, networkx' || { echo "apt install python3-igraph python3-networkx" >&2; exit 1; } ;;
esac
WORK=${WORK:-$(mktemp -d)}
export WORK
[ -x "$WORK/motif" ] || (cd ../.. && go build -o "$WORK/motif" ./cmd/motif)
exec /usr/bin/python3 run.py "$data" "$out" "$WORK/motif" "$@"
