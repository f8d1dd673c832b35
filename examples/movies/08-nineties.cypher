// How many films came out in each year of the nineties, and with how many actors?
UNWIND range(1990, 1999) AS year
OPTIONAL MATCH (m:Movie {released: year})
OPTIONAL MATCH (m)<-[:ACTED_IN]-(p:Person)
RETURN year, count(DISTINCT m) AS films, count(DISTINCT p) AS actors ORDER BY year;
