package repl

import (
	"context"
	"fmt"
	"strconv"
)

// historyEditor is an editor that also knows the inputs of earlier sessions.
type historyEditor interface{ past() []string }

// showHistory runs :history [N]: it shows the last inputs, 20 unless told otherwise.
func (sh *Shell) showHistory(_ context.Context, arg string) error {
	most := 20
	if arg != "" {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return fmt.Errorf(":history takes a number, not %q", arg)
		}
		most = n
	}
	list := sh.typed
	if e, ok := sh.Editor.(historyEditor); ok && len(e.past()) > 0 {
		list = e.past()
	}
	from := max(0, len(list)-most)
	for i, text := range list[from:] {
		if _, err := fmt.Fprintf(sh.Out, "%5d  %s\n", from+i+1, indentLines(VisibleLines(text), 7)); err != nil {
			return err
		}
	}
	return nil
}
