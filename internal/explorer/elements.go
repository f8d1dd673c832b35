package explorer

import (
	"context"
	"fmt"
	"net/http"

	"github.com/motifql/motif"
	picture "github.com/motifql/motif/draw"
)

// count returns the number of nodes.
func (s *server) count(ctx context.Context) (int64, error) {
	rows, err := s.db.Query(ctx, "MATCH (n) RETURN count(*)", nil, s.limits()...)
	if err != nil {
		return 0, err
	}
	return motif.One[int64](rows)
}

// The limits of a request for neighbours.
const (
	mostNeighbours = 50  // of a node at once
	mostCentres    = 100 // nodes at once
)

type neighboursIn struct {
	Nodes []int64 `json:"nodes"`
	Skip  int64   `json:"skip"`
	Limit int64   `json:"limit"`
}

// elements is a part of the graph.
type elements struct {
	Nodes         []motif.Node         `json:"nodes"`
	Relationships []motif.Relationship `json:"relationships"`
	nodes, rels   map[uint64]bool
}

func newElements() elements {
	return elements{Nodes: []motif.Node{}, Relationships: []motif.Relationship{}, nodes: map[uint64]bool{}, rels: map[uint64]bool{}}
}

func (e *elements) node(n motif.Node) {
	if !e.nodes[n.ID] {
		e.nodes[n.ID] = true
		e.Nodes = append(e.Nodes, n)
	}
}

func (e *elements) relationship(r motif.Relationship) {
	if !e.rels[r.ID] {
		e.rels[r.ID] = true
		e.Relationships = append(e.Relationships, r)
	}
}

// neighbours finds some neighbours of each node. One goroutine works, so that the order is the same at each call.
func (s *server) neighbours(ctx context.Context, in *neighboursIn) (any, error) {
	if len(in.Nodes) > mostCentres || in.Skip < 0 || in.Limit < 0 || in.Limit > mostNeighbours {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("neighbours come for at most %d nodes, at most %d of each", mostCentres, mostNeighbours)}
	}
	end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	out := struct {
		elements
		More []int64 `json:"more"`
	}{newElements(), []int64{}}
	for _, id := range in.Nodes {
		rows, err := s.db.Query(ctx, "MATCH (n)-[r]-(m) WHERE id(n) = $id RETURN m, r SKIP $skip LIMIT $limit",
			motif.Params{"id": id, "skip": in.Skip, "limit": in.Limit + 1}, s.limits(motif.WithWorkers(1))...)
		if err != nil {
			return nil, err
		}
		n := int64(0)
		for row, err := range rows.All() {
			if err != nil {
				return nil, err
			}
			if n++; n > in.Limit {
				out.More = append(out.More, id)
				break
			}
			out.node(row.At(0).(motif.Node))
			out.relationship(row.At(1).(motif.Relationship))
		}
	}
	return out, nil
}

// mostShell is how many nodes the shells show.
const mostShell = 1000

type shellsIn struct {
	Kind string `json:"kind"`
}

type level struct {
	Level int64 `json:"level"`
	Nodes int64 `json:"nodes"`
}

type shellNode struct {
	Level int64      `json:"level"`
	Node  motif.Node `json:"node"`
}

// shellQueries give the nodes with their levels.
var shellQueries = map[string]string{
	"core":  "CALL algo.kcore() YIELD node, core AS level WITH node, level ",
	"truss": "CALL algo.ktruss() YIELD source, target, truss UNWIND [source, target] AS node WITH node, max(truss) AS level ",
}

// shells lists the nodes of the densest levels, by cores or by trusses: whole levels, or a part of the densest one.
func (s *server) shells(ctx context.Context, in *shellsIn) (any, error) {
	head, ok := shellQueries[in.Kind]
	if !ok {
		return nil, &failure{Status: http.StatusUnprocessableEntity, Message: fmt.Sprintf("there are no shells of the kind %q; there are core and truss", in.Kind)}
	}
	end, err := s.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := s.db.Query(ctx, head+"RETURN level, count(*) ORDER BY level DESC", nil, s.limits()...)
	if err != nil {
		return nil, err
	}
	levels, least, total, shown := []level{}, int64(0), int64(0), int64(0)
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		l := level{row.At(0).(int64), row.At(1).(int64)}
		if len(levels) == 0 || total == shown && total+l.Nodes <= mostShell {
			least, shown = l.Level, total+l.Nodes
		}
		levels, total = append(levels, l), total+l.Nodes
	}
	nodes, ids := []shellNode{}, []uint64{}
	rows, err = s.db.Query(ctx, head+"WHERE level >= $least RETURN node, level ORDER BY level DESC, id(node) LIMIT $most", motif.Params{"least": least, "most": mostShell}, s.limits()...)
	if err != nil {
		return nil, err
	}
	for row, err := range rows.All() {
		if err != nil {
			return nil, err
		}
		n := row.At(0).(motif.Node)
		nodes, ids = append(nodes, shellNode{row.At(1).(int64), n}), append(ids, n.ID)
	}
	rels, err := picture.Between(ctx, s.db, s.limits()...)(ids)
	if err != nil {
		return nil, err
	}
	return map[string]any{"kind": in.Kind, "levels": levels, "nodes": nodes, "relationships": append([]motif.Relationship{}, rels...), "shown": len(nodes), "total": total}, nil
}
