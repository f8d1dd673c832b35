package explorer

import (
	"strconv"
	"time"

	"github.com/motifql/motif"
)

// milliseconds returns a time as a number.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

type stage struct {
	Name  string  `json:"name"`
	MS    float64 `json:"ms"`
	Share float64 `json:"share"`
}

type warning struct {
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

type technique struct {
	Name string `json:"name"`
	Unit string `json:"unit"`
	Uses uint64 `json:"uses"`
}

type summary struct {
	Rows           int64       `json:"rows"`
	Limit          *limit      `json:"limit"`
	MS             float64     `json:"ms"`
	Stages         []stage     `json:"stages"`
	PartialMatches uint64      `json:"partialMatches"`
	PeakMemory     int64       `json:"peakMemory"`
	Warnings       []warning   `json:"warnings"`
	Changes        string      `json:"changes"`
	Techniques     []technique `json:"techniques"`
	Plan           *operator   `json:"plan,omitempty"`
}

// operator is an operator of a plan.
type operator struct {
	Operator string      `json:"operator"`
	Detail   string      `json:"detail"`
	Expected float64     `json:"expected"`
	Actual   *float64    `json:"actual"`
	MS       float64     `json:"ms"`
	Notes    []string    `json:"notes"`
	Match    *match      `json:"match,omitempty"`
	Children []*operator `json:"children"`
}

// match is how an operator has matched its pattern.
type match struct {
	Kernel         string      `json:"kernel"`
	Device         string      `json:"device"`
	Runs           uint64      `json:"runs"`
	PartialMatches uint64      `json:"partialMatches"`
	FilterMS       float64     `json:"filterMs"`
	SearchMS       float64     `json:"searchMs"`
	Nodes          []matchNode `json:"nodes"`
	Edges          []planEdge  `json:"edges"`
	Order          []int       `json:"order"`
}

type matchNode struct {
	Name     string  `json:"name"`
	Labels   string  `json:"labels"`
	Given    bool    `json:"given"`
	Tiers    []tier  `json:"tiers"`
	Visited  int64   `json:"visited"`
	Expected float64 `json:"expected"`
}

type tier struct {
	Name       string `json:"name"`
	Candidates int    `json:"candidates"`
}

type planEdge struct {
	Name     string `json:"name"`
	From     int    `json:"from"`
	To       int    `json:"to"`
	Types    string `json:"types"`
	Directed bool   `json:"directed"`
}

// summaryOf says what a query did.
func summaryOf(s motif.Summary, cut *limit) *summary {
	out := &summary{Rows: s.Rows, Limit: cut, MS: milliseconds(s.Total), PartialMatches: s.PartialMatches, PeakMemory: s.PeakMemory,
		Stages: []stage{}, Warnings: []warning{}, Techniques: []technique{}, Plan: operatorOf(s.Plan)}
	for _, x := range s.Stages {
		out.Stages = append(out.Stages, stage{x.Name, milliseconds(x.Time), x.Share})
	}
	for _, w := range s.Warnings {
		out.Warnings = append(out.Warnings, warning{w.Message, w.Hint})
	}
	for _, t := range s.Techniques {
		out.Techniques = append(out.Techniques, technique{t.Name, t.Unit, t.Uses})
	}
	if s.Changes.Any() {
		out.Changes = s.Changes.String()
	}
	return out
}

// operatorOf returns an operator and those that feed it.
func operatorOf(p *motif.Plan) *operator {
	if p == nil {
		return nil
	}
	out := &operator{Operator: p.Operator, Detail: p.Detail, Expected: p.EstimatedRows, MS: milliseconds(p.Time), Notes: append([]string{}, p.Notes...),
		Match: matchOf(p.Match), Children: []*operator{}}
	if p.ActualRows >= 0 {
		out.Actual = &p.ActualRows
	}
	for _, c := range p.Children {
		out.Children = append(out.Children, operatorOf(c))
	}
	return out
}

func matchOf(m *motif.PlanMatch) *match {
	if m == nil {
		return nil
	}
	out := &match{Kernel: m.Kernel, Device: m.Device, Runs: m.Runs, PartialMatches: m.PartialMatches, FilterMS: milliseconds(m.Filter), SearchMS: milliseconds(m.Search),
		Nodes: []matchNode{}, Edges: []planEdge{}, Order: append([]int{}, m.Order...)}
	for i, n := range m.Nodes {
		to := matchNode{Name: n.Name, Labels: n.Labels, Given: n.Given, Tiers: []tier{}, Visited: n.Visited, Expected: n.Expected}
		if to.Name == "" {
			to.Name = "#" + strconv.Itoa(i)
		}
		for _, f := range n.Filter {
			to.Tiers = append(to.Tiers, tier{f.Name, f.Candidates})
		}
		out.Nodes = append(out.Nodes, to)
	}
	for _, r := range m.Relationships {
		out.Edges = append(out.Edges, planEdge(r))
	}
	return out
}
