// Which officers investigate most drug crimes that are still open?
MATCH (c:Crime {type: 'Drugs', last_outcome: 'Under investigation'})-[:INVESTIGATED_BY]->(o:Officer)
RETURN o.rank AS rank, o.name + ' ' + o.surname AS officer, o.badge_no AS badge, count(*) AS crimes ORDER BY crimes DESC, officer, badge LIMIT 5;
