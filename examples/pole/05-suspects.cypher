// Who was party to more than one crime, and of what kinds?
MATCH (p:Person)-[:PARTY_TO]->(c:Crime)
WITH p, count(*) AS crimes, collect(DISTINCT c.type) AS kinds WHERE crimes > 1
RETURN p.name + ' ' + p.surname AS person, crimes, size(kinds) AS kinds ORDER BY crimes DESC, person;
