package lang

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/participle/v2"
)

// compareReaders reads the statements of a text by participle and by the rules. Both give the same tree, or none. It returns how many
// statements they read.
func compareReaders(t testing.TB, text string) (read int) {
	t.Helper()
	s := scanner{text: text}
	for toks := s.all(); len(toks) > 0; {
		stmt := toks
		toks = nil
		for i, tok := range stmt {
			if isSemicolon(tok) {
				stmt, toks = stmt[:i], stmt[i+1:]
				break
			}
		}
		src := source{text: text, toks: lookAhead(stmt), end: s.end()}
		if checkNesting(&src) != nil {
			continue
		}
		if compareTrees(t, statementParser(), &src) {
			read++
		}
		compareTrees(t, expressionParser(), &src)
		compareTrees(t, labelParser(), &src)
		compareTrees(t, typeParser(), &src)
	}
	return read
}

func compareTrees[G any](t testing.TB, p *participle.Parser[G], src *source) bool {
	t.Helper()
	want, err := runParser(p, src.toks, src.end)
	got, stop := readByRules[G](t.Context(), src.toks)
	switch {
	case stop.at != failedAt(err, src.toks):
		t.Fatalf("the rules fail at token %d of %q, participle at %d: %v", stop.at, src.text, failedAt(err, src.toks), err)
	case err != nil && got != nil:
		t.Fatalf("participle refuses %q: %v", src.text, err)
	case err == nil && got == nil:
		t.Fatalf("the rules do not read %q", src.text)
	case err == nil && !reflect.DeepEqual(got, want):
		t.Fatalf("the trees of %q differ", src.text)
	}
	return err == nil
}

// The rules read the queries of the compatibility kit as participle does, and with a token left out, repeated or moved, too.
func TestRulesOnKit(t *testing.T) {
	rng := newRand(t)
	read := 0
	for _, q := range kit(t) {
		read += compareReaders(t, q.text)
		compareReaders(t, withFault(rng, q.text))
	}
	if read < 3000 {
		t.Errorf("only %d statements were read", read)
	}
}

// The rules read what the documents, goldens, examples and tests of the repository hold: code blocks, quoted strings and lines.
func TestRulesOnTexts(t *testing.T) {
	rng := newRand(t)
	seen, read := map[string]bool{}, 0
	for _, text := range repositoryTexts(t) {
		if !seen[text] {
			seen[text] = true
			read += compareReaders(t, text)
			compareReaders(t, withFault(rng, text))
		}
	}
	t.Logf("%d texts, %d statements", len(seen), read)
	if read < 2000 {
		t.Errorf("only %d statements were read", read)
	}
}

// The rules read random statements.
func TestRulesOnRandom(t *testing.T) {
	rng := newRand(t)
	g := generator{rng}
	for range 150 {
		text := g.statement().String()
		if compareReaders(t, text) == 0 {
			t.Fatalf("%q is not read", text)
		}
		for range 3 {
			text = withFault(rng, text)
			compareReaders(t, text)
		}
	}
}

// The rules and participle read any text alike.
func FuzzFastParse(f *testing.F) {
	for _, text := range append(forms(f), benchQuery, "MATCH (n) SET n:$ 'A')", "MATCH (n) REMOVE n:$", "RETURN 1 S\u212aIP 2", "RETURN a \u017fKIP 1", "MATCH (a:\u212a) RETURN a") {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) <= 2_000 {
			compareReaders(t, text)
		}
	})
}

func newRand(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 0))
}

// withFault is a text with a token left out, repeated, swapped with another, or put in.
func withFault(rng *rand.Rand, text string) string {
	toks := scan(text)
	if len(toks) == 0 {
		return text
	}
	i := rng.IntN(len(toks))
	at, other := toks[i], toks[rng.IntN(len(toks))]
	before, behind := text[:at.Pos.Offset], text[endOf(at):]
	switch rng.IntN(4) {
	case 0:
		return before + " " + behind
	case 1:
		return before + at.Value + " " + at.Value + behind
	case 2:
		return before + other.Value + " " + behind
	}
	words := append(strings.Fields("( ) [ ] { } - < > , . : | = + * .. 1 'x' $p `q` ! & %"), trialWords...)
	return before + at.Value + " " + words[rng.IntN(len(words))] + behind
}

var (
	codeBlocks = regexp.MustCompile("(?s)```[a-z]*\n(.*?)```")
	goStrings  = regexp.MustCompile("`[^`]{8,900}`|\"(?:[^\"\\\\\n]|\\\\.){8,900}\"")
)

// repositoryTexts are the pieces of the repository's files that may be queries.
func repositoryTexts(t *testing.T) (texts []string) {
	words := regexp.MustCompile(`(?i)\b(match|return|create|with|unwind|call|merge|show|drop|load)\b`)
	add := func(list []string) {
		for _, text := range list {
			if text = strings.Trim(text, "`\" \n"); len(text) < 1500 && words.MatchString(text) {
				texts = append(texts, text)
			}
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		ext := filepath.Ext(path)
		if err != nil || d.IsDir() || !strings.Contains(".md .go .txt .cypher .golden .json", ext) || ext == "" {
			return err
		}
		data, err := os.ReadFile(path)
		switch text := string(data); {
		case err != nil || len(data) > 1<<20:
		case ext == ".md":
			for _, m := range codeBlocks.FindAllStringSubmatch(text, -1) {
				add([]string{m[1]})
				add(strings.Split(m[1], "\n"))
			}
		case ext == ".go":
			add(goStrings.FindAllString(text, -1))
		default:
			add(strings.Split(text, "\n"))
			add(strings.Split(text, "\n\n"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return texts
}
