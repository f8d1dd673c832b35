// Who played more than two roles in one film?
MATCH (p:Person)-[r:ACTED_IN]->(m:Movie) WHERE size(r.roles) > 2
RETURN p.name AS actor, m.title AS film, r.roles AS roles ORDER BY actor, film;
