// Which films did Tom Hanks act in, and how old did he get in the year of each?
MATCH (p:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m:Movie)
RETURN m.released AS year, m.title AS film, m.released - p.born AS age ORDER BY year, film;
