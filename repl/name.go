package repl

// Name writes a label, a type or a property key as queries do, in backticks where it needs them.
func Name(s string) string { return name(s) }
