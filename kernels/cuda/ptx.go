//go:build cuda && cgo && linux

package cuda

import (
	"regexp"
	"strings"
)

var (
	entryPattern = regexp.MustCompile(`(?s)\.entry\s+(\w+)\((.*?)\)`)
	paramPattern = regexp.MustCompile(`\.param\s+\.([a-z]\d+)`)
)

// entriesOf returns the kernels of a module with the sizes of their parameters in bytes.
func entriesOf(ptx string) map[string][]int {
	entries := make(map[string][]int)
	for _, e := range entryPattern.FindAllStringSubmatch(ptx, -1) {
		sizes := []int{}
		for _, p := range paramPattern.FindAllStringSubmatch(e[2], -1) {
			size := 4
			if strings.HasSuffix(p[1], "64") {
				size = 8
			}
			sizes = append(sizes, size)
		}
		entries[e[1]] = sizes
	}
	return entries
}
