package lang

import (
	"fmt"
	"reflect"
	"strings"
)

// tagReader makes a rule of the tags of a struct: a choice of sequences of terms. A term is 'a word', a kind of token, (a group),
// (?= what must follow), (?! what must not), a capture @term or @@ into the field with the tag, or one of these with a ?, * or + behind it.
type tagReader struct {
	book  *ruleBook
	typ   reflect.Type
	words []tagWord // of all fields
	at    int
}

// tagWord is a word or sign of a tag; text of a literal begins with a quote.
type tagWord struct {
	text  string
	field *reflect.StructField
}

func readTags(book *ruleBook, t reflect.Type) *tagReader {
	r := &tagReader{book: book, typ: t}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("parser")
		for tag = strings.TrimLeft(tag, " "); tag != ""; tag = strings.TrimLeft(tag, " ") {
			n := tagWordLen(tag)
			r.words = append(r.words, tagWord{tag[:n], &f})
			tag = tag[n:]
		}
	}
	return r
}

func tagWordLen(tag string) int {
	switch n := nameLen(tag); {
	case tag[0] == '\'':
		return strings.IndexByte(tag[1:], '\'') + 2
	case n > 0:
		return n
	}
	for _, sign := range [...]string{"@@", "(?=", "(?!"} {
		if strings.HasPrefix(tag, sign) {
			return len(sign)
		}
	}
	return 1
}

func (r *tagReader) peek() string {
	if r.at == len(r.words) {
		return ""
	}
	return r.words[r.at].text
}

// take takes the next word if it is this one.
func (r *tagReader) take(text string) bool {
	if r.peek() != text {
		return false
	}
	r.at++
	return true
}

func (r *tagReader) choice() *rule {
	list := []*rule{r.sequence()}
	tokens := list[0].op == ruleToken
	for r.take("|") {
		s := r.sequence()
		tokens = tokens && s.op == ruleToken
		list = append(list, s)
	}
	switch {
	case len(list) == 1:
		return list[0]
	case tokens:
		for _, s := range list[1:] {
			list[0].set.union(&s.set)
		}
		return list[0]
	}
	return r.book.rule(rule{op: ruleChoice, parts: list})
}

func (r *tagReader) sequence() *rule {
	var list []*rule
	for w := r.peek(); w != "" && w != "|" && w != ")"; w = r.peek() {
		list = append(list, r.modified(r.term()))
	}
	switch len(list) {
	case 0:
		panic(fmt.Sprintf("the grammar of %s has an empty part", r.typ))
	case 1:
		return list[0]
	}
	return r.book.rule(rule{op: ruleSequence, parts: list})
}

func (r *tagReader) modified(x *rule) *rule {
	op := ruleOptional
	switch r.peek() {
	case "?":
	case "*":
		op = ruleMany
	case "+":
		op = ruleSome
	default:
		return x
	}
	r.at++
	return r.book.rule(rule{op: op, parts: []*rule{x}})
}

func (r *tagReader) term() *rule {
	w := r.words[r.at]
	r.at++
	switch {
	case w.text == "@" || w.text == "@@":
		return r.capture(w)
	case w.text == "(":
		return r.group()
	case w.text == "(?=":
		return r.book.rule(rule{op: ruleAhead, parts: []*rule{r.group()}})
	case w.text == "(?!":
		return r.book.rule(rule{op: ruleNotAhead, parts: []*rule{r.group()}})
	case w.text[0] == '\'':
		return r.literal(strings.Trim(w.text, "'"))
	}
	x := rule{op: ruleToken}
	x.set.add(r.kind(w.text))
	return r.book.rule(x)
}

func (r *tagReader) kind(name string) uint8 {
	k, ok := tokenKinds[name]
	if !ok || k < 0 {
		panic(fmt.Sprintf("the grammar of %s has no kind of token %s", r.typ, name))
	}
	return uint8(k)
}

// group reads up to the closing bracket.
func (r *tagReader) group() *rule {
	x := r.choice()
	if !r.take(")") {
		panic(fmt.Sprintf("a bracket in the grammar of %s is not closed", r.typ))
	}
	return x
}

func (r *tagReader) literal(text string) *rule {
	n := r.book.literal(text)
	if r.take(":") {
		kind := r.kind(r.peek())
		r.at++
		return r.book.rule(rule{op: ruleTyped, typed: symbol{kind, n}})
	}
	x := rule{op: ruleToken}
	x.set.add(wordBits + n)
	return r.book.rule(x)
}

func (r *tagReader) capture(w tagWord) *rule {
	f := w.field
	x := rule{op: ruleCapture, into: f.Index[0]}
	if w.text == "@" {
		x.parts = []*rule{r.term()}
		switch f.Type {
		case tokenType:
			x.capture = captureToken
		case tokensType:
			x.capture = captureTokens
		case reflect.TypeFor[bool]():
			x.capture = captureBool
		default:
			panic(fmt.Sprintf("%s.%s takes no tokens", r.typ, f.Name))
		}
		return r.book.rule(x)
	}
	t := f.Type
	x.capture = captureValue
	if t.Kind() == reflect.Slice {
		x.capture, t = captureValues, t.Elem()
	}
	if t.Kind() == reflect.Pointer {
		x.capture, t = x.capture+capturePointer-captureValue, t.Elem()
	}
	x.parts = []*rule{r.book.structRule(t)}
	return r.book.rule(x)
}
