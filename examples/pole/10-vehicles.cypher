// Which makes of vehicles are most often involved in crimes?
MATCH (v:Vehicle)-[:INVOLVED_IN]->(c:Crime)
RETURN v.make AS make, count(DISTINCT v) AS vehicles, count(DISTINCT c) AS crimes ORDER BY crimes DESC, make LIMIT 5;
