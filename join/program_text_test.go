package join

import (
	"context"
	"fmt"
	"strings"

	"github.com/motifql/motif/internal/pattern"
)

// ProgramText compiles j and describes the program, a line a step, for golden files. sink is nil for a count.
func ProgramText(j *pattern.Job, env *pattern.Env, sink pattern.Sink) (string, error) {
	c, err := compile(context.Background(), j, env, sink)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if c.none {
		b.WriteString("no match: the bound elements or empty candidate sets rule all out\n")
		return b.String(), nil
	}
	for k := range c.steps {
		fmt.Fprintf(&b, "%s\n", c.stepText(k))
	}
	if len(c.segments) > 1 {
		fmt.Fprintf(&b, "segments %v: their numbers multiply\n", c.segments)
	}
	if c.divisor > 1 {
		fmt.Fprintf(&b, "divide by %d\n", c.divisor)
	}
	if c.denseAt >= 0 {
		fmt.Fprintf(&b, "dense from step %d around %s\n", c.denseAt, c.name(c.steps[c.around].u))
	}
	if c.failingSets {
		b.WriteString("failing sets\n")
	}
	if c.enumerate {
		fmt.Fprintf(&b, "choose relationships of %d edges; rearrange %d scopes, replace %d\n", len(c.choices), len(c.distinct), len(c.replace))
	}
	return b.String(), nil
}

func (c *program) name(u int) string { return c.p.Vertices[u].Name }

func (c *program) namesOf(us []int) string {
	names := make([]string, len(us))
	for i, u := range us {
		names[i] = c.name(u)
	}
	return strings.Join(names, " ")
}

// stepText describes step k: its vertex, the lists it intersects, and what is special about it.
func (c *program) stepText(k int) string {
	st := &c.steps[k]
	text := fmt.Sprintf("%d %s:", k, c.name(st.u))
	var lists []string
	for i := range st.sources {
		if from := st.sources[i].from; from >= 0 {
			lists = append(lists, "N("+c.name(from)+")")
		} else {
			lists = append(lists, "bound")
		}
	}
	if len(lists) == 0 {
		lists = append(lists, fmt.Sprintf("%d candidates", st.set.Len()))
	}
	text += " " + strings.Join(lists, " & ")
	note := func(on bool, format string, args ...any) {
		if on {
			text += ", " + fmt.Sprintf(format, args...)
		}
	}
	note(st.narrow && !st.bound, "cut to [%d,%d)", st.lo, st.hi)
	note(st.bits != nil, "tested")
	note(len(st.less) > 0, "above %s", c.namesOf(st.less))
	note(len(st.greater) > 0, "below %s", c.namesOf(st.greater))
	note(len(st.differ) > 0, "differs from %s", c.namesOf(st.differ))
	for _, x := range st.clashes {
		with := "always"
		if x.x >= 0 {
			with = "with " + c.name(x.x)
		}
		note(x.kill, "no match if equal %s", with)
		note(!x.kill, "weighed if equal %s", with)
	}
	note(st.subtract > 0, "subtract %d", st.subtract)
	note(len(st.multi) > 0, "multiplies by relationships of %d edges", len(st.multi))
	note(len(st.loops) > 0, "%d loops", len(st.loops))
	note(len(st.inducedRules) > 0, "%d induced rules", len(st.inducedRules))
	note(len(st.preds)+len(st.edgeTests) > 0, "%d predicates", len(st.preds)+len(st.edgeTests))
	note(st.countable && !st.verifies && (st.noDependents || k+1 == len(c.steps)), "counted at once")
	note(st.memo.kind == memoOne, "keeps its number while step %d stands", st.memo.dep)
	note(st.memo.kind == memoMany, "keeps a number for each %s while step %d stands", c.name(c.steps[max(0, st.memo.key)].u), st.memo.dep)
	note(st.scatters, "scatters")
	note(st.sumsScatter, "sums the next step's table")
	return text
}
