package lang

import (
	"strings"
	"testing"
)

// Every call that stands in for one of another library is one that the checker accepts.
func TestForeignCalls(t *testing.T) {
	for name, call := range foreignCalls {
		if got := pretty("MATCH (from), (to), (start) "+call+" RETURN 1 AS one", nil); got != "ok" {
			t.Errorf("%s: %s", name, got)
		}
		for _, full := range []string{"gds." + name + ".stream", "gds." + strings.ToUpper(name) + ".stream", "gds.alpha." + name + ".write"} {
			if hint := insteadOf(full); !strings.HasPrefix(hint, "write "+call) {
				t.Errorf("%s: %s", full, hint)
			}
		}
	}
	for _, all := range []map[string]string{apocCalls, foreignFunctions} {
		for name, hint := range all {
			if hint == "" || name != strings.ToLower(name) || FindProcedure(name) != nil || function(name) != nil {
				t.Errorf("%s: %q", name, hint)
			}
		}
	}
	for name, want := range map[string]string{"gds.pageRank.write": "YIELD node, score SET node.key = score", "gds.graph.filter": "gds.graph.project", "gds.knn.stream": "SHOW PROCEDURES", "gds.pageRank.stream.estimate": "leave it out", "apoc.cypher.doIt": "CALL { ... }"} {
		if got := insteadOf(name); !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := insteadOf("my.procedure"); got != "" {
		t.Errorf("my.procedure: %s", got)
	}
}
