// How many steps of acquaintance lie between Jack Powell and Raymond Walker, who were both party to drug crimes?
MATCH (a:Person {name: 'Jack', surname: 'Powell'}), (b:Person {name: 'Raymond', surname: 'Walker'})
CALL algo.shortestPath(a, b, {types: ['KNOWS', 'KNOWS_LW', 'KNOWS_SN', 'KNOWS_PHONE', 'FAMILY_REL'], direction: 'BOTH'}) YIELD length
RETURN length AS steps;
