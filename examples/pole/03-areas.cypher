// Which areas have most vehicle crimes?
MATCH (:Crime {type: 'Vehicle crime'})-[:OCCURRED_AT]->(:Location)-[:LOCATION_IN_AREA]->(a:Area)
RETURN a.areaCode AS area, count(*) AS crimes ORDER BY crimes DESC, area LIMIT 5;
