// From which countries do most orders come?
MATCH (c:Customer)-[:PURCHASED]->(o:Order)
RETURN c.country AS country, count(DISTINCT c) AS customers, count(o) AS orders ORDER BY orders DESC, country LIMIT 5;
