// Which customers buy what Alfreds Futterkiste buys?
MATCH (:Customer {customerID: 'ALFKI'})-[:PURCHASED]->(:Order)-[:ORDERS]->(p:Product)
WITH collect(DISTINCT p) AS mine
MATCH (other:Customer)-[:PURCHASED]->(:Order)-[:ORDERS]->(p:Product)
WHERE p IN mine AND other.customerID <> 'ALFKI'
RETURN other.companyName AS customer, count(DISTINCT p) AS shared ORDER BY shared DESC, customer LIMIT 5;
