// Which three actors were together in more than one film?
MATCH DISTINCT SUBGRAPHS (a:Person)-[:ACTED_IN]->(m:Movie), (b:Person)-[:ACTED_IN]->(m), (c:Person)-[:ACTED_IN]->(m)
UNWIND [a.name, b.name, c.name] AS name
WITH m, a, b, c, name ORDER BY name
WITH m, a, b, c, collect(name) AS trio
WITH trio, collect(m.title) AS films WHERE size(films) > 1
UNWIND films AS film
WITH trio, film ORDER BY film
RETURN trio, collect(film) AS films ORDER BY trio;
