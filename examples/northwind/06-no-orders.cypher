// Which customers never ordered anything?
MATCH (c:Customer) WHERE NOT EXISTS { (c)-[:PURCHASED]->() }
RETURN c.companyName AS customer, c.country AS country ORDER BY customer;
