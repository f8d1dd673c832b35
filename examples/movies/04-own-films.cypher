// Who directed a film and acted in it?
MATCH (p:Person)-[:DIRECTED]->(m:Movie)<-[:ACTED_IN]-(p)
RETURN p.name AS director, collect(m.title) AS films ORDER BY director;
