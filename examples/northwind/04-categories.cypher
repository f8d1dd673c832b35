// How many products has each category, and what do they cost?
MATCH (p:Product)-[:PART_OF]->(c:Category)
RETURN c.categoryName AS category, count(*) AS products, min(p.unitPrice) AS cheapest, max(p.unitPrice) AS dearest ORDER BY category;
