// In which months of 1997 were most orders shipped after the day they were wanted?
MATCH (o:Order) WHERE o.shippedDate > o.requiredDate AND o.orderDate.year = 1997
RETURN o.orderDate.month AS month, count(*) AS late ORDER BY late DESC, month;
