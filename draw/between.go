package draw

import (
	"context"
	"fmt"

	"github.com/motifql/motif"
)

// Querier runs queries: a *motif.DB or a *motif.Tx.
type Querier interface {
	Query(ctx context.Context, text string, params motif.Params, opts ...motif.QueryOption) (*motif.Rows, error)
}

// Between returns a function for Options.Between, which finds the relationships between nodes by a query on db.
func Between(ctx context.Context, db Querier, opts ...motif.QueryOption) func(nodes []uint64) ([]motif.Relationship, error) {
	return func(nodes []uint64) (rels []motif.Relationship, err error) {
		text := fmt.Sprintf("MATCH (a)-[r]->(b) WHERE id(a) IN $ids AND id(b) IN $ids RETURN r ORDER BY id(r) LIMIT %d", maxEdges(MostNodes)+1)
		ids := make([]int64, len(nodes))
		for i, n := range nodes {
			ids[i] = int64(n)
		}
		rows, err := db.Query(ctx, text, motif.Params{"ids": ids}, opts...)
		if err != nil {
			return nil, err
		}
		for r, err := range motif.Into[motif.Relationship](rows) {
			if err != nil {
				return nil, err
			}
			rels = append(rels, r)
		}
		return rels, nil
	}
}
