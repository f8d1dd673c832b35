package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Thrift's compact protocol, as much of it as Parquet's metadata takes.

// Types of the compact protocol.
const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftByte   = 3
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftDouble = 7
	thriftBinary = 8
	thriftList   = 9
	thriftSet    = 10
	thriftMap    = 11
	thriftStruct = 12
)

// item is a value of any type: which of its fields count depends on that.
type item struct {
	num    int64 // integers; booleans as 0 and 1
	bytes  string
	list   []item
	fields map[int16]item
}

func (x item) field(id int16) item { return x.fields[id] }

func (x item) has(id int16) bool {
	_, ok := x.fields[id]
	return ok
}

type byteSource interface {
	io.Reader
	io.ByteReader
}

// thriftReader reads items. Its budget bounds the memory that damaged metadata can ask for.
type thriftReader struct {
	r      byteSource
	budget int // items and bytes
}

var errThrift = errors.New("the metadata is damaged")

func (t *thriftReader) spend(n uint64) error {
	if n > uint64(t.budget) {
		return errThrift
	}
	t.budget -= int(n)
	return nil
}

func (t *thriftReader) uvarint() (uint64, error) {
	n, err := binary.ReadUvarint(t.r)
	if err != nil {
		return 0, errThrift
	}
	return n, nil
}

func (t *thriftReader) varint() (int64, error) {
	n, err := t.uvarint()
	return int64(n>>1) ^ -int64(n&1), err
}

func (t *thriftReader) byte() (byte, error) {
	b, err := t.r.ReadByte()
	if err != nil {
		return 0, errThrift
	}
	return b, nil
}

func (t *thriftReader) structure(depth int) (x item, err error) {
	if depth > 16 {
		return x, errThrift
	}
	x.fields = make(map[int16]item)
	id := int16(0)
	for {
		head, err := t.byte()
		if err != nil {
			return x, err
		}
		if head == 0 {
			return x, nil
		}
		if err := t.spend(32); err != nil {
			return x, err
		}
		if delta := int16(head >> 4); delta > 0 {
			id += delta
		} else {
			n, err := t.varint()
			if err != nil {
				return x, err
			}
			id = int16(n)
		}
		switch typ := head & 15; typ {
		case thriftTrue, thriftFalse:
			x.fields[id] = item{num: int64(thriftFalse - typ)}
		default:
			if x.fields[id], err = t.value(typ, depth); err != nil {
				return x, err
			}
		}
	}
}

func (t *thriftReader) value(typ byte, depth int) (x item, err error) {
	switch typ {
	case thriftTrue, thriftFalse, thriftByte:
		b, err := t.byte()
		if typ != thriftByte {
			b = thriftFalse - b
		}
		return item{num: int64(int8(b))}, err
	case thriftI16, thriftI32, thriftI64:
		x.num, err = t.varint()
		return x, err
	case thriftDouble:
		var b [8]byte
		if _, err := io.ReadFull(t.r, b[:]); err != nil {
			return x, errThrift
		}
		return x, nil
	case thriftBinary:
		n, err := t.uvarint()
		if err != nil {
			return x, err
		}
		if err := t.spend(n); err != nil {
			return x, err
		}
		b := make([]byte, n)
		if _, err := io.ReadFull(t.r, b); err != nil {
			return x, errThrift
		}
		x.bytes = string(b)
		return x, nil
	case thriftList, thriftSet:
		return t.listOf(depth)
	case thriftMap:
		return x, t.skipMap(depth)
	case thriftStruct:
		return t.structure(depth + 1)
	}
	return x, errThrift
}

func (t *thriftReader) listOf(depth int) (x item, err error) {
	head, err := t.byte()
	if err != nil {
		return x, err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = t.uvarint(); err != nil {
			return x, err
		}
	}
	if err := t.spend(n); err != nil {
		return x, err
	}
	for range n {
		if err := t.spend(32); err != nil {
			return x, err
		}
		e, err := t.value(head&15, depth+1)
		if err != nil {
			return x, err
		}
		x.list = append(x.list, e)
	}
	return x, nil
}

func (t *thriftReader) skipMap(depth int) error {
	n, err := t.uvarint()
	if err != nil || n == 0 {
		return err
	}
	types, err := t.byte()
	if err != nil {
		return err
	}
	for range n {
		if err := t.spend(2); err != nil {
			return err
		}
		for _, typ := range []byte{types >> 4, types & 15} {
			if _, err := t.value(typ, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// thriftWriter appends items.
type thriftWriter struct {
	b    []byte
	last []int16 // field ids of the open structures
}

func (t *thriftWriter) begin() { t.last = append(t.last, 0) }

func (t *thriftWriter) end() {
	t.b = append(t.b, 0)
	t.last = t.last[:len(t.last)-1]
}

func (t *thriftWriter) field(id int16, typ byte) {
	last := &t.last[len(t.last)-1]
	if delta := id - *last; delta > 0 && delta < 16 {
		t.b = append(t.b, byte(delta)<<4|typ)
	} else {
		t.b = binary.AppendVarint(append(t.b, typ), int64(id))
	}
	*last = id
}

func (t *thriftWriter) i32(id int16, n int32) {
	t.field(id, thriftI32)
	t.b = binary.AppendVarint(t.b, int64(n))
}

func (t *thriftWriter) i64(id int16, n int64) {
	t.field(id, thriftI64)
	t.b = binary.AppendVarint(t.b, n)
}

func (t *thriftWriter) string(id int16, s string) {
	t.field(id, thriftBinary)
	t.text(s)
}

func (t *thriftWriter) text(s string) {
	t.b = append(binary.AppendUvarint(t.b, uint64(len(s))), s...)
}

// list begins a list; its elements follow.
func (t *thriftWriter) list(id int16, typ byte, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.b = append(t.b, byte(n)<<4|typ)
		return
	}
	t.b = binary.AppendUvarint(append(t.b, 15<<4|typ), uint64(n))
}

// structure begins a field that is a structure.
func (t *thriftWriter) structure(id int16) {
	t.field(id, thriftStruct)
	t.begin()
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("the file is damaged: "+format, args...)
}
