// Who has done nothing, but knows most people who were party to a crime?
MATCH (p:Person)-[:KNOWS|KNOWS_LW|KNOWS_SN|KNOWS_PHONE|FAMILY_REL]-(friend:Person)-[:PARTY_TO]->(:Crime)
WHERE NOT EXISTS { (p)-[:PARTY_TO]->() }
RETURN p.name + ' ' + p.surname AS person, p.nhs_no AS number, count(DISTINCT friend) AS friends ORDER BY friends DESC, person, number LIMIT 5;
