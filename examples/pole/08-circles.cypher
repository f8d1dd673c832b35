// How many groups of three, four and five people all know each other?
MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person) WHERE IS_CLIQUE([a, b, c], 'KNOWS')
RETURN 3 AS people, count(*) AS groups
UNION ALL
MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person) WHERE IS_CLIQUE([a, b, c, d], 'KNOWS')
RETURN 4 AS people, count(*) AS groups
UNION ALL
MATCH DISTINCT SUBGRAPHS (a:Person), (b:Person), (c:Person), (d:Person), (e:Person) WHERE IS_CLIQUE([a, b, c, d, e], 'KNOWS')
RETURN 5 AS people, count(*) AS groups;
