package storage

import (
	"encoding/binary"
	"errors"
	"fmt"
)

var errTrailing = errors.New("the block is longer than its content")

// cursor reads a payload from its front. The first read past the end sets err, and later reads return zeros. So a decoder
// looks at err once at its end, and before it allocates by a number it read.
type cursor struct {
	b   []byte
	err error
}

func (c *cursor) fail(err error) {
	if c.err == nil {
		c.err = err
	}
	c.b = nil
}

func (c *cursor) take(n uint64) []byte {
	if n > uint64(len(c.b)) {
		c.fail(errTruncated)
		return nil
	}
	head := c.b[:n]
	c.b = c.b[n:]
	return head
}

func (c *cursor) byte() byte {
	if b := c.take(1); b != nil {
		return b[0]
	}
	return 0
}

func (c *cursor) uvarint() uint64 {
	x, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.fail(errTruncated)
		return 0
	}
	c.b = c.b[n:]
	return x
}

func (c *cursor) varint() int64 { return unzigzag(c.uvarint()) }

func (c *cursor) uint64() uint64 {
	if b := c.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

// limited reads a number of at most limit.
func (c *cursor) limited(limit uint64, what string) uint64 {
	n := c.uvarint()
	if n > limit {
		c.fail(fmt.Errorf("%d %s where at most %d fit", n, what, limit))
		return 0
	}
	return n
}

// count reads how many items follow that take at least one byte each.
func (c *cursor) count() int { return int(c.limited(uint64(len(c.b)), "items")) }

func (c *cursor) str() string { return string(c.take(c.uvarint())) }

// end returns what went wrong, and complains about bytes left over.
func (c *cursor) end() error {
	if c.err == nil && len(c.b) > 0 {
		return errTrailing
	}
	return c.err
}

func appendString(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendVarint(dst []byte, x int64) []byte { return binary.AppendUvarint(dst, zigzag(x)) }

func zigzag(x int64) uint64   { return uint64(x<<1) ^ uint64(x>>63) }
func unzigzag(u uint64) int64 { return int64(u>>1) ^ -int64(u&1) }
