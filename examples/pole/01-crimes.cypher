// What kinds of crimes are there, and how many of each?
MATCH (c:Crime) RETURN c.type AS crime, count(*) AS number ORDER BY number DESC, crime;
