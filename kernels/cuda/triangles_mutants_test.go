//go:build cuda && cgo && linux

package cuda

func init() {
	mutants = append(mutants,
		mutant{"the last word of a row is left out", "triangles.cu", "words = (middle + 63) >> 6;", "words = middle >> 6;", "Triangles"},
		mutant{"no barrier behind the bitmap of a root", "triangles.cu", "insert(table, slots, w);\n      }\n      sync_block();", "insert(table, slots, w);\n      }", "Triangles"},
		mutant{"the bitmap of a root is not cleared", "triangles.cu", "i <= u >> 5; i += block_size()) bits[i] = 0;", "i < u >> 5; i += block_size()) bits[i] = 0;", "Triangles"},
		mutant{"no barrier behind the table of a warp", "triangles.cu", "insert(table, WARP_SLOTS, w);\n      sync_warp(ALL);", "insert(table, WARP_SLOTS, w);", "Triangles"},
		mutant{"counts of a block are added twice", "triangles.cu", "        counters[i] = 0;\n      }\n      counted", "      }\n      counted", "Triangles"},
	)
}
