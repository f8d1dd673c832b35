package lang

import "strings"

// maxSuggested is how long a word may be to be compared with others. The time grows with the square of the length.
const maxSuggested = 200

// Suggest returns the name nearest to word, if one is near enough to be what was meant: at most one edit for every
// three letters (insert, delete, replace, or swap of neighbours), letter case ignored. Of equally near names one that
// begins with the same letter is better; then the first wins. Word itself is never suggested.
func Suggest(word string, names []string) (string, bool) {
	folded := []rune(strings.ToLower(word))
	if len(folded) == 0 || len(folded) > maxSuggested {
		return "", false
	}
	limit := max(1, len(folded)/3)
	best, bestScore := "", 2*limit+2
	for _, name := range names {
		other := []rune(strings.ToLower(name))
		if name == word || len(other) == 0 || len(other)-len(folded) > limit || len(folded)-len(other) > limit {
			continue
		}
		dist := editDistance(folded, other)
		score := 2 * dist
		if other[0] != folded[0] {
			score++
		}
		if score < bestScore && dist < len(folded) {
			best, bestScore = name, score
		}
	}
	return best, best != ""
}

// editDistance is the Damerau-Levenshtein distance in its restricted form (optimal string alignment): no part is
// edited after a swap.
func editDistance(a, b []rune) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// didYouMean is a hint that names the suggestion, or "".
func didYouMean(word string, names []string, show func(string) string) string {
	name, ok := Suggest(word, names)
	if !ok {
		return ""
	}
	return "did you mean " + show(name) + "?"
}
