// How many films lie between Kevin Bacon and the other actors?
MATCH (bacon:Person {name: 'Kevin Bacon'})
CALL algo.bfs(bacon, {type: 'ACTED_IN', direction: 'BOTH'}) YIELD node, depth
WITH node, depth WHERE depth > 0 AND node:Person
RETURN depth / 2 AS films, count(*) AS actors ORDER BY films;
