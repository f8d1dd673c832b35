// With whom did Tom Hanks act more than once?
MATCH (:Person {name: 'Tom Hanks'})-[:ACTED_IN]->(m:Movie)<-[:ACTED_IN]-(other:Person)
WITH other, count(DISTINCT m) AS films WHERE films > 1
RETURN other.name AS actor, films ORDER BY films DESC, actor;
