// Which two people call each other most?
MATCH (a:Person)-[:HAS_PHONE]->(:Phone)-[:CALLER|CALLED]-(c:PhoneCall)-[:CALLER|CALLED]-(:Phone)<-[:HAS_PHONE]-(b:Person)
WHERE a.nhs_no < b.nhs_no
RETURN a.name + ' ' + a.surname AS one, b.name + ' ' + b.surname AS other, count(DISTINCT c) AS calls ORDER BY calls DESC, one, other LIMIT 5;
