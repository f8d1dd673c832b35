// Who works for whom?
MATCH (e:Employee)
OPTIONAL MATCH (e)-[:REPORTS_TO]->(boss:Employee)
RETURN e.firstName + ' ' + e.lastName AS employee, boss.lastName AS reportsTo, COUNT { (:Employee)-[:REPORTS_TO]->(e) } AS below ORDER BY below DESC, employee;
