package enginetest

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/motifql/motif"
	"github.com/motifql/motif/internal/csr"
)

// longQueries are cliques, counts by formulas, groups and DISTINCT. On RMAT 15 they take 2 ms to 3 s.
var longQueries = []struct{ name, query string }{
	{"clique3", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a) RETURN count(*)"},
	{"clique4", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a)--(c), (b)--(d) RETURN count(*)"},
	{"clique5", "MATCH DISTINCT SUBGRAPHS (a)--(b), (a)--(c), (a)--(d), (b)--(c), (b)--(d), (c)--(d), (e)--(a), (e)--(b), (e)--(c), (e)--(d) RETURN count(*)"},
	{"clique6", "MATCH DISTINCT SUBGRAPHS (a)--(b), (a)--(c), (a)--(d), (b)--(c), (b)--(d), (c)--(d), (e)--(a), (e)--(b), (e)--(c), (e)--(d), " +
		"(f)--(a), (f)--(b), (f)--(c), (f)--(d), (f)--(e) RETURN count(*)"},
	{"diamond", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a), (a)--(c) RETURN count(*)"},
	{"cycle4", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a) RETURN count(*)"},
	{"cycle4-induced", "MATCH DISTINCT INDUCED SUBGRAPHS (a)--(b)--(c)--(d)--(a) RETURN count(*)"},
	{"cycle5", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(e)--(a) RETURN count(*)"},
	{"house", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(d)--(a), (a)--(e)--(b) RETURN count(*)"},
	{"paw", "MATCH DISTINCT SUBGRAPHS (a)--(b)--(c)--(a)--(d) RETURN count(*)"},
	{"wedge", "MATCH DIFFERENT NODES (a)--(b)--(c) RETURN count(*)"},
	{"path4", "MATCH DIFFERENT NODES (a)--(b)--(c)--(d) RETURN count(*)"},
	{"path5", "MATCH DIFFERENT NODES (a)--(b)--(c)--(d)--(e) RETURN count(*)"},
	{"walk5", "MATCH (a)-->(b)-->(c)-->(d)-->(e) RETURN count(*)"},
	{"node", "MATCH (a)--(b)--(c) RETURN id(a) AS k, count(*) AS n ORDER BY n DESC, k LIMIT 10"},
	{"node-triangle", "MATCH (a)-->(b)-->(c), (a)-->(c) RETURN a AS k, count(*) AS n ORDER BY n DESC, id(k) LIMIT 10"},
	{"value", "MATCH (a)-->(b)-->(c), (a)-->(c) RETURN id(a) % 10 AS k, count(*) AS n, max(id(c)) AS m, avg(id(b)) AS v ORDER BY k"},
	{"values", "MATCH (a)--(b)--(c)--(d) RETURN a.x AS x, d.x AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10"},
	{"pair", "MATCH (a)--(b)--(c) WHERE id(a) < id(c) RETURN id(a) AS x, id(c) AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10"},
	{"pair-value", "MATCH (a)--(b)--(c) WHERE id(a) < id(c) RETURN a.x AS x, id(c) AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10"},
	{"pair-again", "MATCH (a)--(b)--(c) WHERE id(a) < id(c) WITH id(a) AS x, id(c) AS y, count(*) AS n RETURN n, count(*) AS k ORDER BY n LIMIT 10"},
	{"edge-triangles", "MATCH (a)-->(b)-->(c), (a)-->(c) RETURN id(a) AS x, id(b) AS y, count(*) AS n ORDER BY n DESC, x, y LIMIT 10"},
	{"distinct", "MATCH (a:A)-->(b)-->(c) RETURN DISTINCT a.x AS x, id(c) AS y ORDER BY y, x LIMIT 20"},
	{"distinct-pairs", "MATCH (a:A)-->(b)-->(c) WITH DISTINCT a, c RETURN count(*)"},
	{"count-distinct", "MATCH (a:A)-->(b)-->(c) WHERE a.x < c.x RETURN count(DISTINCT b) AS n, count(DISTINCT c) AS m"},
	{"search", "MATCH (a)-->(b)-->(c) WHERE (a.x + c.x) % 3 <> 1 RETURN count(*)"},
}

// lsqbQueries are the nine LSQB queries.
var lsqbQueries = []struct{ name, query string }{
	{"q1", "MATCH (:Country)<-[:IS_PART_OF]-(:City)<-[:IS_LOCATED_IN]-(:Person)<-[:HAS_MEMBER]-(:Forum)-[:CONTAINER_OF]->(:Post)<-[:REPLY_OF]-(:Comment)-[:HAS_TAG]->(:Tag)-[:HAS_TYPE]->(:TagClass) RETURN count(*)"},
	{"q2", "MATCH (p:Person)-[:KNOWS]-(q:Person), (p)<-[:HAS_CREATOR]-(c:Comment)-[:REPLY_OF]->(m:Post)-[:HAS_CREATOR]->(q) RETURN count(*)"},
	{"q3", "MATCH (c:Country) MATCH (p:Person)-[:IS_LOCATED_IN]->(x:City)-[:IS_PART_OF]->(c) MATCH (q:Person)-[:IS_LOCATED_IN]->(y:City)-[:IS_PART_OF]->(c) " +
		"MATCH (r:Person)-[:IS_LOCATED_IN]->(z:City)-[:IS_PART_OF]->(c) MATCH (p)-[:KNOWS]-(q)-[:KNOWS]-(r)-[:KNOWS]-(p) RETURN count(*)"},
	{"q4", "MATCH (:Tag)<-[:HAS_TAG]-(m:Message)-[:HAS_CREATOR]->(p:Person), (m)<-[:LIKES]-(q:Person), (m)<-[:REPLY_OF]-(c:Comment) RETURN count(*)"},
	{"q5", "MATCH (s:Tag)<-[:HAS_TAG]-(m:Message)<-[:REPLY_OF]-(c:Comment)-[:HAS_TAG]->(t:Tag) WHERE s <> t RETURN count(*)"},
	{"q6", "MATCH (p:Person)-[:KNOWS]-(q:Person)-[:KNOWS]-(r:Person)-[:HAS_INTEREST]->(t:Tag) WHERE p <> r RETURN count(*)"},
	{"q7", "MATCH (:Tag)<-[:HAS_TAG]-(m:Message)-[:HAS_CREATOR]->(p:Person) OPTIONAL MATCH (m)<-[:LIKES]-(q:Person) OPTIONAL MATCH (m)<-[:REPLY_OF]-(c:Comment) RETURN count(*)"},
	{"q8", "MATCH (s:Tag)<-[:HAS_TAG]-(m:Message)<-[:REPLY_OF]-(c:Comment)-[:HAS_TAG]->(t:Tag) WHERE NOT (c)-[:HAS_TAG]->(s) AND s <> t RETURN count(*)"},
	{"q9", "MATCH (p:Person)-[:KNOWS]-(q:Person)-[:KNOWS]-(r:Person)-[:HAS_INTEREST]->(t:Tag) WHERE NOT (p)-[:KNOWS]-(r) AND p <> r RETURN count(*)"},
}

// lsqbNodes are kinds of nodes, and how many there are for each person and beside.
var lsqbNodes = []struct {
	each, beside int
	labels       []string
}{
	{1, 0, []string{"Person"}}, {0, 1300, []string{"City"}}, {0, 110, []string{"Country"}}, {0, 16000, []string{"Tag"}}, {0, 70, []string{"TagClass"}},
	{2, 0, []string{"Forum"}}, {20, 0, []string{"Post", "Message"}}, {40, 0, []string{"Comment", "Message"}},
}

// lsqbRelationships are types, and how many relationships leave each node.
var lsqbRelationships = []struct {
	each           int
	from, kind, to string
}{
	{1, "Person", "IS_LOCATED_IN", "City"}, {1, "City", "IS_PART_OF", "Country"}, {20, "Person", "KNOWS", "Person"},
	{20, "Person", "HAS_INTEREST", "Tag"}, {1, "Tag", "HAS_TYPE", "TagClass"}, {15, "Forum", "HAS_MEMBER", "Person"},
	{10, "Forum", "CONTAINER_OF", "Post"}, {1, "Post", "HAS_CREATOR", "Person"}, {1, "Comment", "HAS_CREATOR", "Person"},
	{1, "Post", "HAS_TAG", "Tag"}, {2, "Comment", "HAS_TAG", "Tag"}, {1, "Comment", "REPLY_OF", "Post"},
	{30, "Person", "LIKES", "Post"}, {30, "Person", "LIKES", "Comment"},
}

// lsqbGraph returns a database with the labels and types of LSQB. The first nodes of a kind have more relationships than the last ones.
func lsqbGraph(t testing.TB, persons int) *motif.DB {
	t.Helper()
	rng, b, made := rand.New(rand.NewPCG(1, 2)), csr.NewBuilder(), map[string][]uint32{}
	for _, k := range lsqbNodes {
		var labels []csr.LabelID
		for _, l := range k.labels {
			labels = append(labels, b.Label(l))
		}
		for range k.each*persons + k.beside {
			made[k.labels[0]] = append(made[k.labels[0]], b.AddVertex(labels...))
		}
	}
	for _, r := range lsqbRelationships {
		of, to := b.Type(r.kind), made[r.to]
		for _, v := range made[r.from] {
			for range r.each {
				if w := to[int(float64(len(to))*rng.Float64()*rng.Float64())]; w != v {
					b.AddEdge(v, w, of)
				}
			}
		}
	}
	b.DropRepeats(b.Type("KNOWS"))
	return built(t, b)
}

// BenchmarkUnits measures how much more CPU time 64 units take than the whole query (x-of-whole). Eight jobs, which share nothing but the graph,
// then take runs of a sixteenth of that time and their rests in turn: how much more that takes (x-of-rests), and how late a run ends in the
// quietest round (ms-late). What each of them prepares is measured by a run that ends at once, and x-of-work leaves it out: it is the work of
// the eight jobs without their preparation, over that of one job which runs a single unit to its end.
func BenchmarkUnits(b *testing.B) {
	rmat := kernelGraph(b, 15)
	defer rmat.Close()
	for _, q := range longQueries {
		b.Run(q.name, func(b *testing.B) { benchUnits(b, rmat, q.query) })
	}
	lsqb := lsqbGraph(b, 10_000)
	defer lsqb.Close()
	for _, q := range lsqbQueries {
		b.Run("lsqb-"+q.name, func(b *testing.B) { benchUnits(b, lsqb, q.query) })
	}
}

// benchUnits measures one query. Each round has a job of its own, since a job keeps what its units have prepared. Opening it counts.
func benchUnits(b *testing.B, db *motif.DB, query string) {
	whole := func() { drainRows(b)(db.Query(b.Context(), query, nil)) }
	whole() // derive what both need
	job, err := db.Distribute(b.Context(), query, nil)
	if err != nil {
		b.Fatal(err)
	}
	defer job.Close()
	var one, cut, rests, alone, ready time.Duration
	late, units := time.Hour, 0
	for b.Loop() {
		took := cpuOf(b, whole)
		one += took
		cut += cpuOf(b, func() {
			j := openJob(b, db, job)
			defer j.Close()
			boxes := j.Units(64)
			units = len(boxes)
			runUnits(b, j, boxes)
		})
		alone += cpuOf(b, func() {
			j := openJob(b, db, job)
			defer j.Close()
			runUnits(b, j, j.Units(1))
		})
		ready += cpuOf(b, func() {
			j := openJob(b, db, job)
			defer j.Close()
			prepareUnit(b, j)
		})
		rests += cpuOf(b, func() { late = min(late, runRests(b, db, job, took/16)) })
	}
	b.ReportMetric(one.Seconds()*1000/float64(b.N), "ms-whole")
	b.ReportMetric(float64(cut)/float64(one), "x-of-whole")
	b.ReportMetric(float64(rests)/float64(one), "x-of-rests")
	b.ReportMetric(ready.Seconds()*1000/float64(b.N), "ms-ready")
	b.ReportMetric(float64(rests-8*ready)/float64(alone-ready), "x-of-work")
	b.ReportMetric(late.Seconds()*1000, "ms-late")
	b.ReportMetric(float64(units), "units")
}

// openJob opens a job again.
func openJob(t testing.TB, db *motif.DB, job *motif.Job) *motif.Job {
	j, err := db.OpenJob(t.Context(), job.Spec())
	if err != nil {
		t.Fatal(err)
	}
	return j
}

// prepareUnit runs a unit for a nanosecond, so that it does about the least work that is possible after it is ready.
func prepareUnit(t testing.TB, job *motif.Job) {
	unit := job.Units(1)[0]
	if pieces := job.Cut(unit, 1024); len(pieces) > 0 {
		unit = pieces[len(pieces)-1]
	}
	if _, _, err := job.Run(t.Context(), unit, motif.Budget{Time: 1}); err != nil {
		t.Fatal(err)
	}
}

// runRests has eight jobs take eight units and their rests in turn, each with a budget. It returns how late a run ended at most; the first one
// of each job, which filters, is not asked.
func runRests(t testing.TB, db *motif.DB, job *motif.Job, budget time.Duration) (late time.Duration) {
	var jobs []*motif.Job
	for range 8 {
		j := openJob(t, db, job)
		defer j.Close()
		jobs = append(jobs, j)
	}
	var total motif.Part
	units := job.Units(8)
	for i := 0; len(units) > 0; i++ {
		began := time.Now()
		p, rest, err := jobs[i%8].Run(t.Context(), units[0], motif.Budget{Time: budget})
		if i >= 8 {
			late = max(late, time.Since(began)-budget)
		}
		if err == nil {
			err = job.Merge(t.Context(), &total, p)
		}
		if err != nil {
			t.Fatal(err)
		}
		units = append(units[1:], rest...)
	}
	drainRows(t)(job.Rows(t.Context(), total))
	return late
}

// runUnits runs units to their ends, merges their parts and reads the rows.
func runUnits(t testing.TB, job *motif.Job, units []motif.Unit) {
	drainRows(t)(job.Rows(t.Context(), mergeUnits(t, job, units)))
}

// drainRows returns a function that reads rows to their end.
func drainRows(t testing.TB) func(*motif.Rows, error) {
	return func(rows *motif.Rows, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
}
