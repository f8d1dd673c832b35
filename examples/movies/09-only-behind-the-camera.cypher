// Who directed or produced films, but never acted?
MATCH (p:Person) WHERE EXISTS { (p)-[:DIRECTED|PRODUCED]->() } AND NOT EXISTS { (p)-[:ACTED_IN]->() }
RETURN count(*) AS people, min(p.born) AS oldest, max(p.born) AS youngest;
