package pattern

import (
	"fmt"
	"slices"
	"strings"
)

// OrderStrategy is a way to choose the matching order. All give the same matches.
type OrderStrategy uint8

const (
	// OrderAuto is OrderCost, but a long count weighs the orders once more with what it can remember in each.
	OrderAuto OrderStrategy = iota
	// OrderSmallest starts from the smallest candidate set and goes on with the smallest one that is connected (GpSI,
	// "Research on subgraph matching optimization based on GPU", 2023, section 3.3).
	OrderSmallest
	// OrderRI looks at the pattern only: many edges to what is placed come first (Bonnici et al., "A subgraph isomorphism
	// algorithm and its application to biochemical data", 2013).
	OrderRI
	// OrderGraphQL joins next what leaves the fewest rows if every edge holds as often as its labels are joined in the
	// graph (He and Singh, "Graphs-at-a-time", 2008, section 4.4).
	OrderGraphQL
	// OrderCost takes the order with the fewest partial embeddings in all, as candidates and statistics tell.
	OrderCost
	orderStrategies
)

var strategyNames = [orderStrategies]string{"auto", "smallest", "ri", "graphql", "cost"}

// String returns the strategy's name.
func (s OrderStrategy) String() string {
	if s >= orderStrategies {
		return fmt.Sprint("strategy ", uint8(s))
	}
	return strategyNames[s]
}

// ParseOrderStrategy reads a name, in whatever case; "" is OrderAuto.
func ParseOrderStrategy(name string) (OrderStrategy, error) {
	if name == "" {
		return OrderAuto, nil
	}
	if i := slices.Index(strategyNames[:], strings.ToLower(name)); i >= 0 {
		return OrderStrategy(i), nil
	}
	return OrderAuto, fmt.Errorf("there is no order strategy %q; there are %s", name, strings.Join(strategyNames[:], ", "))
}

// AllOrderStrategies lists the strategies.
func AllOrderStrategies() []OrderStrategy {
	all := make([]OrderStrategy, orderStrategies)
	for i := range all {
		all[i] = OrderStrategy(i)
	}
	return all
}
