package lang

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const libraryHead = `# Functions

Names of functions are read in any letter case. If an argument is null, the result is null, unless the description says otherwise. An
argument of a type that a function does not take is an error: before the query runs if that is known, else when it is met.
A parameter with a question mark can be left out. This page is made from the table that the parser itself uses, and what the examples
say is tested.

`

// reference writes docs/functions.md from the table of functions.
func reference() string {
	var b strings.Builder
	b.WriteString(libraryHead)
	group := ""
	for _, f := range Functions {
		if f.Group != group {
			group = f.Group
			fmt.Fprintf(&b, "## %s\n\n", group)
			if f.Aggregate {
				b.WriteString("An aggregate makes one value of the rows of a group; it passes over nulls, and with DISTINCT over values that it has met. " +
					"In the examples, the rows are x = 1, 2, 2, null.\n\n")
			}
			if f.Name == Functions[0].Name {
				fmt.Fprintf(&b, "The examples are about the graph `%s`.\n\n", ExampleGraph)
			}
			b.WriteString("| function | | example | is |\n|---|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| `%s` | %s | `%s` | `%s` |\n", f.Signature, f.Help, f.Example, f.Value)
		if i := functionAfter(f.Name); i == len(Functions) || Functions[i].Group != group {
			b.WriteString("\n")
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func functionAfter(name string) int {
	for i := range Functions {
		if Functions[i].Name == name {
			return i + 1
		}
	}
	return 0
}

// docs/functions.md is what the table of functions says; -rewrite writes it.
func TestFunctionReference(t *testing.T) {
	const file = "../docs/functions.md"
	if *rewrite {
		if err := os.WriteFile(file, []byte(reference()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil || string(data) != reference() {
		t.Errorf("%s is not what the functions say (%v); write it with: go test ./lang -run TestFunctionReference -rewrite", file, err)
	}
	for _, f := range Functions {
		if f.Example == "" || f.Value == "" || !strings.Contains(strings.ToLower(f.Example), strings.ToLower(f.Name)+"(") {
			t.Errorf("%s has no example", f.Name)
		}
		if x, err := ParseExpr(f.Example); err != nil {
			t.Errorf("%s: %v", f.Example, err)
		} else if Text(x) == "" {
			t.Errorf("%s has no text", f.Example)
		}
	}
}
