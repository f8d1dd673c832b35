// Who acted in The Matrix, and as whom?
MATCH (p:Person)-[r:ACTED_IN]->(:Movie {title: 'The Matrix'})
RETURN p.name AS actor, r.roles AS roles ORDER BY actor;
