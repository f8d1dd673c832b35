// How do the reviewers rate the films?
MATCH (:Person)-[r:REVIEWED]->(m:Movie)
RETURN m.title AS film, avg(r.rating) AS rating, count(*) AS reviews ORDER BY rating DESC, film;
