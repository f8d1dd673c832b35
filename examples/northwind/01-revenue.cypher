// Which five products bring in most?
MATCH (:Order)-[l:ORDERS]->(p:Product)
RETURN p.productName AS product, round(sum(l.unitPrice * l.quantity * (1 - l.discount))) AS revenue ORDER BY revenue DESC LIMIT 5;
