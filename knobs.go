package motif

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/lang"
	"github.com/motifql/motif/planner"
)

// Knob is a choice of how queries are matched. No setting of any knob changes an answer, unless it is how soon a limit of
// time or memory is reached.
type Knob struct {
	Name    string
	Values  []string // what it can be set to, the default first; nil: a number
	About   []string // what each of the values does
	Several bool     // takes several values, separated by commas
	Help    string
}

// Knobs lists the knobs there are; see Set.
func Knobs() []Knob {
	var orders []string
	for _, s := range pattern.AllOrderStrategies() {
		orders = append(orders, s.String())
	}
	techniques, counted := []string{"none"}, []string{"all are used"}
	for m := range pattern.AllTechniques() {
		techniques, counted = append(techniques, m.String()), append(counted, m.Owner()+", counted: "+m.Unit())
	}
	return []Knob{
		{Name: "order", Values: orders, Help: "how the order is chosen in which a pattern is matched",
			About: []string{"by cost, and for long counts by what they can remember", "the smallest candidate sets first", "by the pattern only",
				"looking one step ahead", "by estimates of all that a search visits"}},
		{Name: "filter", Values: pattern.FilterDepths, Help: "how far the candidates of query nodes are filtered",
			About: []string{"all there is, but signatures only once they are worth building", "labels and conditions only", "degrees, too",
				"signatures of the neighbourhood, too", "all there is"}},
		{Name: "kernel", Values: pattern.KernelChoices, Help: "who answers complete patterns",
			About: []string{"who is expected to be faster", "the join", "the clique kernel wherever it can"}},
		{Name: "without", Values: techniques, About: counted, Several: true, Help: "techniques to do without, as PROFILE names them"},
		{Name: "device", Values: deviceNames, Help: "what the kernels run on",
			About: []string{"the CPU, and a GPU where that is expected to be faster", "the CPU only", "GPUs, wherever they have a kernel: all of them, or one, such as cuda:1"}[:len(deviceNames)]},
		{Name: "workers", Help: "goroutines for one query; 0: as many as the database was opened with"},
	}
}

// known refuses a value that a knob does not have.
func (k Knob) known(value string) error {
	what, values := k.Name, []string{value}
	if k.Several {
		what, values = "technique", strings.Split(value, ",")
	}
	for _, v := range values {
		v = strings.ToLower(strings.TrimSpace(v))
		if v == "" || k.Values == nil || slices.Contains(k.Values, v) || k.Name == "device" {
			continue
		}
		if near, ok := lang.Suggest(v, k.Values); ok {
			return fmt.Errorf("there is no %s %q; did you mean %s?", what, v, near)
		}
		return fmt.Errorf("there is no %s %q: there are %s", what, v, strings.Join(k.Values, ", "))
	}
	return nil
}

// Set returns the option that sets a knob by name, or an error that lists what there is. It is for what people type;
// a program calls Order, FilterBy, Kernel, Device, Without and Workers.
func Set(knob, value string) (QueryOption, error) {
	set := func(c *queryConfig) error { return c.set(knob, value) }
	if err := set(new(queryConfig)); err != nil {
		return nil, err
	}
	return func(c *queryConfig) { _ = set(c) }, nil
}

// Order sets how the order is chosen in which a pattern is matched: "smallest", which takes the smallest candidate sets
// first, "ri", which looks at the pattern only, "graphql", which looks one step ahead, "cost", which estimates all that a
// match will visit, or "auto", which is cost and for long counts what they can remember.
func Order(strategy string) QueryOption { return knob("order", strategy) }

// FilterBy sets how far the candidates of query nodes are filtered: "label", "degree", "signature", "refine", each of
// which does what the ones before it do and more, or "auto", which is all tiers, but signatures only once they are worth
// building.
func FilterBy(depth string) QueryOption { return knob("filter", depth) }

// Kernel sets who answers patterns in which every two nodes are related: "join", "clique", which is the clique kernel
// wherever it can answer, or "auto".
func Kernel(name string) QueryOption { return knob("kernel", name) }

// Device sets what the kernels run on; see WithDevice.
func Device(name string) QueryOption { return knob("device", name) }

// Without does without some techniques, named as PROFILE names them; Knobs lists them.
func Without(techniques ...string) QueryOption { return knob("without", strings.Join(techniques, ",")) }

// Workers sets how many goroutines the query may use; see WithWorkers.
func Workers(n int) QueryOption { return func(c *queryConfig) { c.workers = max(1, n) } }

// knob defers the error of an unknown value to the query.
func knob(name, value string) QueryOption {
	return func(c *queryConfig) { c.err = errors.Join(c.err, c.set(name, value)) }
}

func (c *queryConfig) set(knob, value string) (err error) {
	for _, k := range Knobs() {
		if k.Name == knob {
			err = k.known(value)
		}
	}
	if err != nil {
		return err
	}
	switch knob {
	case "order":
		c.order, err = pattern.ParseOrderStrategy(value)
	case "filter":
		c.filter, err = pattern.ParseFilterDepth(value)
	case "kernel":
		c.kernel, err = pattern.ParseKernelChoice(value)
	case "without":
		if value == "none" {
			value = ""
		}
		c.without, err = pattern.ParseTechniques(value)
	case "device":
		c.device, err = parseDevice(value)
	case "workers":
		n, convErr := strconv.Atoi(value)
		if convErr != nil || n < 0 {
			return fmt.Errorf("%q is no number of workers", value)
		}
		c.workers = n
	default:
		var names []string
		for _, k := range Knobs() {
			names = append(names, k.Name)
		}
		return fmt.Errorf("there is no knob %q: there are %s", knob, strings.Join(names, ", "))
	}
	return err
}

// planning are the choices that a plan depends on.
func (c *queryConfig) planning() planner.Options {
	return planner.Options{Brute: c.brute, Order: c.order, Kernel: c.kernel, Declared: c.declared}
}

// knobs describes those that are not at their defaults; "" if all are.
func (c *queryConfig) knobs() string {
	var set []string
	note := func(name, value string, isSet bool) {
		if isSet {
			set = append(set, name+" "+value)
		}
	}
	note("order", c.order.String(), c.order != pattern.OrderAuto)
	note("filter", c.filter.String(), c.filter != pattern.FilterAuto)
	note("kernel", c.kernel.String(), c.kernel != pattern.KernelAuto)
	note("device", c.device.String(), c.device.kind != anyDevice)
	note("workers", strconv.Itoa(c.workers), c.workers > 0)
	if off := slices.DeleteFunc(slices.Collect(pattern.AllTechniques()), func(m pattern.Technique) bool { return !c.without.Has(m) }); len(off) > 0 {
		note("without", strings.Join(names(off), ","), true)
	}
	return strings.Join(set, ", ")
}

func names(ms []pattern.Technique) []string {
	out := make([]string, len(ms))
	for i, m := range ms {
		out[i] = m.String()
	}
	return out
}
