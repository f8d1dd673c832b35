// Which products run out with none on order?
MATCH (s:Supplier)-[:SUPPLIES]->(p:Product)
WHERE p.unitsInStock + p.unitsOnOrder <= p.reorderLevel AND NOT p.discontinued
RETURN p.productName AS product, p.unitsInStock AS stock, p.unitsOnOrder AS ordered, p.reorderLevel AS level, s.companyName AS supplier ORDER BY product;
