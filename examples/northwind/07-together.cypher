// Which two products are most often in one order?
MATCH DISTINCT SUBGRAPHS (a:Product)<-[:ORDERS]-(o:Order)-[:ORDERS]->(b:Product)
WITH CASE WHEN a.productName < b.productName THEN [a.productName, b.productName] ELSE [b.productName, a.productName] END AS pair, count(*) AS orders
RETURN pair, orders ORDER BY orders DESC, pair LIMIT 5;
