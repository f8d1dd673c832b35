// Package draw makes pictures: of the nodes and relationships in an answer, of a plan, and of a schema.
//
//	rows, err := db.Query(ctx, "MATCH p = (:Person)-[:KNOWS]->(:Person) RETURN p LIMIT 40", nil)
//	...
//	picture, err := draw.Rows(ctx, rows, draw.Options{})
//	...
//	err = picture.SVG(file)
//
// Each function takes what the root package returns, and returns a Picture. A Picture writes itself as SVG, PNG, HTML, DOT or GEXF. The same
// argument gives the same bytes. The places come from a layout by stress, so that the distance of two dots follows the length of the shortest path
// between them. A picture has limits; Picture.Notes and the picture itself say what it leaves out. The package opens no file and asks no network,
// except that PNG reads fonts of the machine for letters that Go's own fonts lack.
package draw
