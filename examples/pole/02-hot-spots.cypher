// Where do most crimes happen?
MATCH (l:Location)<-[:OCCURRED_AT]-(:Crime)
WITH l, count(*) AS crimes
RETURN l.address AS address, l.postcode AS postcode, crimes ORDER BY crimes DESC, address, postcode LIMIT 5;
