//go:build cuda && cgo && linux

package cuda

func init() {
	mutants = append(mutants,
		mutant{"the last word of a row is left out", "triangles.cu", "words = (middle + 63) >> 6;", "words = middle >> 6;", "Triangles"},
		mutant{"no barrier behind the bitmap of a root", "triangles.cu", "insert(table, slots, w);\n      }\n      sync_block();", "insert(table, slots, w);\n      }", "Triangles"},
		mutant{"the bitmap of a root is not cleared", "triangles.cu", "i <= u >> 5; i += block_size()) bits[i] = 0;", "i < u >> 5; i += block_size()) bits[i] = 0;", "Triangles"},
		mutant{"a slot is taken without compare-and-swap", "triangles.cu", "while (swap_if(table + at, NOTHING, w) != NOTHING) at = (at + 1) & (slots - 1);",
			"while (read(table + at) != NOTHING) at = (at + 1) & (slots - 1);\n  exchange(table + at, w);", "Triangles"},
	)
}
