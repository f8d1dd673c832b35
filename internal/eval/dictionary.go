package eval

import (
	"math"
	"math/bits"
	"slices"

	"github.com/motifql/motif/internal/csr"
	"github.com/motifql/motif/internal/value"
)

// Dictionary numbers values from 0 in order of appearance. Equivalent values have one number, see value.AppendKey. Integers, floats, nodes
// and relationships need no bytes of their own.
type Dictionary struct {
	account *Account
	words   [4]wordTable      // by wordKind
	texts   map[string]uint32 // 1 more than the number
	others  map[string]uint32 // by value.AppendKey
	null    uint32            // 1 more than the number of null
	small   []uint32          // 1 more than the number, by small integer; nil: no batch has come
	coded   []uint32          // likewise by Operand.Codes
	values  []value.Value     // by number
	bare    int               // how many of the last values only Next has seen: no table has them
	key     []byte
}

// wordKind tells apart the values whose key is one word.
type wordKind uint8

const (
	intWord wordKind = iota // and floats that are integers
	floatWord
	nodeWord
	relWord
)

// NewDictionary returns an empty dictionary.
func NewDictionary(h *Account) Dictionary { return Dictionary{account: h} }

// Len is how many values have numbers.
func (d *Dictionary) Len() int { return len(d.values) }

// Value returns the first value that got the number.
func (d *Dictionary) Value(number uint32) value.Value { return d.values[number] }

// Reset forgets all values. The account's owner releases it.
func (d *Dictionary) Reset() {
	for i := range d.words {
		d.words[i].reset()
	}
	clear(d.texts)
	clear(d.others)
	d.null, d.values, d.small, d.coded, d.bare = 0, nil, nil, nil, 0
}

// Next gives a value that has no number yet the next one. That is faster than Number.
func (d *Dictionary) Next(v value.Value) (number uint32, err error) {
	if number, err = d.next(v, v.Bytes()-24); err == nil {
		d.bare++
	}
	return number, err
}

// index brings the values that only Next has seen into the tables.
func (d *Dictionary) index() error {
	late := d.values[len(d.values)-d.bare:]
	d.values, d.bare = d.values[:len(d.values)-d.bare], 0
	for i, v := range late {
		if err := d.account.poll(i); err != nil {
			return err
		}
		if _, err := d.Number(v); err != nil {
			return err
		}
	}
	return nil
}

// Number returns the number of v.
func (d *Dictionary) Number(v value.Value) (uint32, error) {
	if d.bare > 0 {
		if err := d.index(); err != nil {
			return 0, err
		}
	}
	switch v.Kind() {
	case value.Int:
		return d.word(intWord, uint64(v.Int()), v)
	case value.Float:
		kind, key := floatKey(v.Float())
		return d.word(kind, key, v)
	case value.Node:
		return d.word(nodeWord, uint64(v.Node()), v)
	case value.Rel:
		return d.word(relWord, uint64(v.Rel()), v)
	case value.Null:
		return d.absent()
	case value.String:
		return d.text(v)
	}
	return d.other(v)
}

// floatKey returns the key of a float, that of an integer where they are equal.
func floatKey(f float64) (wordKind, uint64) {
	switch {
	case f != f:
		return floatWord, math.Float64bits(math.NaN())
	case f >= -0x1p63 && f < 0x1p63 && f == math.Trunc(f):
		return intWord, uint64(int64(f))
	}
	return floatWord, math.Float64bits(f)
}

// Numbers writes the number of each value of a batch into numbers. Before an error, it does so for done rows.
// All batches of a dictionary have codes of one origin.
func (d *Dictionary) Numbers(b *Operand, numbers []uint32) (done int, err error) {
	if d.bare > 0 {
		if err := d.index(); err != nil {
			return 0, err
		}
	}
	if b.Codes != nil {
		return d.codes(b, numbers)
	}
	if d.small == nil && len(numbers) >= smallInts/32 {
		if err := d.account.Charge(4 * smallInts); err != nil {
			return 0, err
		}
		d.small = make([]uint32, smallInts)
	}
	small := d.small
	for i := range numbers {
		if n := b.Nums[i]; b.Kinds[i] == csr.KindInt && n < uint64(len(small)) && small[n] != 0 {
			numbers[i] = small[n] - 1
			continue
		}
		if numbers[i], err = d.numberOf(b, i); err != nil {
			return i, err
		}
		if n := b.Nums[i]; b.Kinds[i] == csr.KindInt && n < uint64(len(small)) {
			small[n] = numbers[i] + 1
		}
	}
	return len(numbers), nil
}

// smallInts is how many integers from 0 on have their numbers in an array.
const smallInts = 1024

// codes is Numbers for values that have codes.
func (d *Dictionary) codes(b *Operand, numbers []uint32) (done int, err error) {
	for i, code := range b.Codes[:len(numbers)] {
		for int(code) >= len(d.coded) {
			if d.coded, err = Append(d.account, d.coded, 0); err != nil {
				return i, err
			}
		}
		if d.coded[code] == 0 {
			n, err := d.numberOf(b, i)
			if err != nil {
				return i, err
			}
			d.coded[code] = n + 1
		}
		numbers[i] = d.coded[code] - 1
	}
	return len(numbers), nil
}

// numberOf returns the number of the value in row i of a batch.
func (d *Dictionary) numberOf(b *Operand, i int) (uint32, error) {
	switch b.Kinds[i] {
	case csr.KindInt:
		return d.word(intWord, b.Nums[i], value.OfInt(int64(b.Nums[i])))
	case csr.KindFloat:
		f := math.Float64frombits(b.Nums[i])
		kind, key := floatKey(f)
		return d.word(kind, key, value.OfFloat(f))
	case 0:
		return d.absent()
	}
	return d.Number(b.Value(i))
}

// next gives v the next number, and charges bytes beside those of the value itself.
func (d *Dictionary) next(v value.Value, bytes int64) (uint32, error) {
	if bytes > 0 {
		if err := d.account.Charge(bytes); err != nil {
			return 0, err
		}
	}
	var err error
	d.values, err = Append(d.account, d.values, v)
	return uint32(len(d.values)) - 1, err
}

func (d *Dictionary) word(kind wordKind, key uint64, v value.Value) (uint32, error) {
	t := &d.words[kind]
	if code := t.find(key); code != 0 {
		return code - 1, nil
	}
	number, err := d.next(v, 0)
	if err == nil {
		err = t.add(d.account, key, number+1)
	}
	return number, err
}

func (d *Dictionary) absent() (number uint32, err error) {
	if d.null == 0 {
		number, err = d.next(value.Value{}, 0)
		d.null = number + 1
	}
	return d.null - 1, err
}

func (d *Dictionary) text(v value.Value) (uint32, error) {
	if code := d.texts[v.Str()]; code != 0 {
		return code - 1, nil
	}
	number, err := d.next(v, EntryBytes+v.Bytes()-24)
	if err != nil {
		return 0, err
	}
	if d.texts == nil {
		d.texts = make(map[string]uint32)
	}
	d.texts[v.Str()] = number + 1
	return number, nil
}

func (d *Dictionary) other(v value.Value) (number uint32, err error) {
	if d.key, err = AppendKeys(d.account, d.key[:0], []value.Value{v}); err != nil {
		return 0, err
	}
	if code := d.others[string(d.key)]; code != 0 {
		return code - 1, nil
	}
	if number, err = d.next(v, EntryBytes+int64(len(d.key))+v.Bytes()-24); err != nil {
		return 0, err
	}
	if d.others == nil {
		d.others = make(map[string]uint32)
	}
	d.others[string(d.key)] = number + 1
	return number, nil
}

// wordTable is a hash table from words to codes, which are not 0.
type wordTable struct {
	slots []wordSlot
	len   int
	shift int
}

type wordSlot struct {
	key  uint64
	code uint32 // 0: free
}

// find returns the code of a key, 0 if there is none.
func (t *wordTable) find(key uint64) uint32 {
	if len(t.slots) == 0 {
		return 0
	}
	for at := hashWord(key) >> t.shift; ; at = (at + 1) & uint64(len(t.slots)-1) {
		if s := &t.slots[at]; s.key == key || s.code == 0 {
			return s.code
		}
	}
}

// add adds a key that is not there.
func (t *wordTable) add(h *Account, key uint64, code uint32) error {
	if 2*t.len >= len(t.slots) {
		n := max(8, 2*len(t.slots))
		if err := h.Charge(16 * int64(n)); err != nil {
			return err
		}
		old := t.slots
		t.slots, t.shift = make([]wordSlot, n), 65-bits.Len(uint(n))
		for i, s := range old {
			if err := h.poll(i); err != nil {
				return err
			}
			if s.code != 0 {
				t.put(s)
			}
		}
		if err := h.Charge(-16 * int64(len(old))); err != nil {
			return err
		}
	}
	t.put(wordSlot{key, code})
	t.len++
	return nil
}

func (t *wordTable) put(s wordSlot) {
	at := hashWord(s.key) >> t.shift
	for t.slots[at].code != 0 {
		at = (at + 1) & uint64(len(t.slots)-1)
	}
	t.slots[at] = s
}

func (t *wordTable) reset() { *t = wordTable{} }

// hashWord spreads a word over all bits.
func hashWord(w uint64) uint64 {
	hi, lo := bits.Mul64(w^0x9e3779b97f4a7c15, 0xd6e8feb86659fd93)
	return hi ^ lo
}

// PairTable numbers pairs from 0 in order of appearance.
type PairTable struct {
	account *Account
	slots   []uint32 // 1 more than the number of the pair; 0: free
	order   []uint64 // the pairs by number
	found   []uint32 // scratch of PutBatch
	shift   int
}

// NewPairTable returns an empty table.
func NewPairTable(h *Account) PairTable { return PairTable{account: h} }

// Reset forgets all pairs. The account's owner releases it.
func (t *PairTable) Reset() { t.slots, t.order = nil, nil }

// Len is how many pairs have numbers.
func (t *PairTable) Len() int { return len(t.order) }

// Pair returns the pair of a number.
func (t *PairTable) Pair(number uint32) (a, b uint32) {
	return uint32(t.order[number] >> 32), uint32(t.order[number])
}

// Put returns the number of a pair, and whether it is new.
func (t *PairTable) Put(a, b uint32) (number uint32, fresh bool, err error) {
	pair := uint64(a)<<32 | uint64(b)
	if 2*len(t.order) >= len(t.slots) {
		if err := t.grow(); err != nil {
			return 0, false, err
		}
	}
	for at := hashWord(pair) >> t.shift; ; at = (at + 1) & uint64(len(t.slots)-1) {
		id := t.slots[at]
		if id == 0 {
			t.order, err = Append(t.account, t.order, pair)
			t.slots[at] = uint32(len(t.order))
			return uint32(len(t.order)) - 1, true, err
		}
		if t.order[id-1] == pair {
			return id - 1, false, nil
		}
	}
}

// PutBatch replaces the first half of each pair, a, by the pair's number. It reads the table for all pairs first: then the reads of memory
// overlap.
func (t *PairTable) PutBatch(a, b []uint32) (err error) {
	t.found = slices.Grow(t.found[:0], len(a))[:len(a)]
	if len(t.slots) == 0 {
		clear(t.found)
	} else {
		for i, x := range a {
			t.found[i] = t.slots[hashWord(uint64(x)<<32|uint64(b[i]))>>t.shift]
		}
	}
	for i, f := range t.found {
		if pair := uint64(a[i])<<32 | uint64(b[i]); f != 0 && t.order[f-1] == pair {
			a[i] = f - 1
		} else if a[i], _, err = t.Put(a[i], b[i]); err != nil {
			return err
		}
	}
	return nil
}

// grow doubles the table.
func (t *PairTable) grow() error {
	n := max(8, 2*len(t.slots))
	if err := t.account.Charge(4 * int64(n)); err != nil {
		return err
	}
	old := t.slots
	t.slots, t.shift = make([]uint32, n), 65-bits.Len(uint(n))
	for i, pair := range t.order {
		if err := t.account.poll(i); err != nil {
			return err
		}
		at := hashWord(pair) >> t.shift
		for t.slots[at] != 0 {
			at = (at + 1) & uint64(n-1)
		}
		t.slots[at] = uint32(i) + 1
	}
	return t.account.Charge(-4 * int64(len(old)))
}
