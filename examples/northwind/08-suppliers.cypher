// Which suppliers supply three categories or more?
MATCH (s:Supplier)-[:SUPPLIES]->(:Product)-[:PART_OF]->(c:Category)
WITH s, count(DISTINCT c) AS categories, collect(DISTINCT c.categoryName) AS names WHERE categories > 2
UNWIND names AS name
WITH s, categories, name ORDER BY name
RETURN s.companyName AS supplier, categories, collect(name) AS names ORDER BY supplier;
