// Loads Northwind, a trading company of the nineties, from its CSV files in the folder $dir:
//   motif run northwind.db load.cypher -p dir=FOLDER
// FOLDER lies in the working directory, or in the folder that --import chooses.
// The files write NULL where there is nothing.

CREATE CONSTRAINT IF NOT EXISTS FOR (c:Category) REQUIRE c.categoryID IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (s:Supplier) REQUIRE s.supplierID IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (p:Product) REQUIRE p.productID IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (c:Customer) REQUIRE c.customerID IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (e:Employee) REQUIRE e.employeeID IS UNIQUE;
CREATE CONSTRAINT IF NOT EXISTS FOR (o:Order) REQUIRE o.orderID IS UNIQUE;

LOAD CSV WITH HEADERS FROM $dir + '/categories.csv' AS row
CREATE (:Category {categoryID: toInteger(row.categoryID), categoryName: row.categoryName, description: row.description});

LOAD CSV WITH HEADERS FROM $dir + '/suppliers.csv' AS row
CREATE (:Supplier {supplierID: toInteger(row.supplierID), companyName: row.companyName, city: row.city, country: row.country});

LOAD CSV WITH HEADERS FROM $dir + '/products.csv' AS row
MATCH (c:Category {categoryID: toInteger(row.categoryID)}), (s:Supplier {supplierID: toInteger(row.supplierID)})
CREATE (s)-[:SUPPLIES]->(:Product {productID: toInteger(row.productID), productName: row.productName, quantityPerUnit: row.quantityPerUnit,
    unitPrice: toFloat(row.unitPrice), unitsInStock: toInteger(row.unitsInStock), unitsOnOrder: toInteger(row.unitsOnOrder),
    reorderLevel: toInteger(row.reorderLevel), discontinued: row.discontinued <> '0'})-[:PART_OF]->(c);

LOAD CSV WITH HEADERS FROM $dir + '/customers.csv' AS row
CREATE (c:Customer)
SET c += row, c.region = CASE row.region WHEN 'NULL' THEN null ELSE row.region END, c.fax = CASE row.fax WHEN 'NULL' THEN null ELSE row.fax END;

LOAD CSV WITH HEADERS FROM $dir + '/employees.csv' AS row
CREATE (:Employee {employeeID: toInteger(row.employeeID), firstName: row.firstName, lastName: row.lastName, title: row.title,
    birthDate: date(substring(row.birthDate, 0, 10)), hireDate: date(substring(row.hireDate, 0, 10))});

LOAD CSV WITH HEADERS FROM $dir + '/employees.csv' AS row
WITH row WHERE row.reportsTo <> 'NULL'
MATCH (e:Employee {employeeID: toInteger(row.employeeID)}), (boss:Employee {employeeID: toInteger(row.reportsTo)})
CREATE (e)-[:REPORTS_TO]->(boss);

LOAD CSV WITH HEADERS FROM $dir + '/orders.csv' AS row
MATCH (c:Customer {customerID: row.customerID}), (e:Employee {employeeID: toInteger(row.employeeID)})
CREATE (c)-[:PURCHASED]->(o:Order {orderID: toInteger(row.orderID), orderDate: date(substring(row.orderDate, 0, 10)),
    requiredDate: date(substring(row.requiredDate, 0, 10)), freight: toFloat(row.freight), shipCity: row.shipCity, shipCountry: row.shipCountry})<-[:SOLD]-(e)
SET o.shippedDate = CASE row.shippedDate WHEN 'NULL' THEN null ELSE date(substring(row.shippedDate, 0, 10)) END;

LOAD CSV WITH HEADERS FROM $dir + '/order-details.csv' AS row
MATCH (o:Order {orderID: toInteger(row.orderID)}), (p:Product {productID: toInteger(row.productID)})
CREATE (o)-[:ORDERS {unitPrice: toFloat(row.unitPrice), quantity: toInteger(row.quantity), discount: toFloat(row.discount)}]->(p);
