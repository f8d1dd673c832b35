package parquet

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"

	"github.com/motifql/motif/internal/value"
)

// readFull reads n bytes without asking for more memory than there is data.
func readFull(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	got, err := io.CopyN(&b, r, n)
	if err != nil || got != n {
		return nil, damaged("a page ends too early")
	}
	return b.Bytes(), nil
}

func (c *columnReader) dictionary(head item, data []byte, plain int64) error {
	if c.dict != nil {
		return damaged("a second dictionary")
	}
	data, err := unpack(c.codec, data, plain)
	if err != nil {
		return err
	}
	next, err := c.plain(data)
	if err != nil {
		return err
	}
	c.dict = []value.Value{}
	c.kept = int64(len(data)) // texts share it
	if err := c.hold(c.kept); err != nil {
		return err
	}
	defer func() { c.kept -= entryWorth * int64(len(c.dict)%4096) }()
	for range head.field(1).num {
		v, err := next()
		if err != nil {
			return err
		}
		c.dict = append(c.dict, v)
		if c.kept += entryWorth; len(c.dict)%4096 == 0 {
			if err := c.hold(4096 * entryWorth); err != nil {
				return err
			}
		}
		if c.phys == physBool && len(c.dict) > 2 || len(c.dict) > len(data)+8 {
			return damaged("a dictionary of %d values", head.field(1).num)
		}
	}
	return nil
}

func (c *columnReader) dataPage(head item, data []byte, plain int64) error {
	data, err := unpack(c.codec, data, plain)
	if err != nil {
		return err
	}
	c.rep, c.def = levels{max: c.maxRep}, levels{max: c.maxDef}
	for _, l := range []struct {
		*levels
		encoding int64
	}{{&c.rep, head.field(4).num}, {&c.def, head.field(3).num}} {
		if l.max == 0 {
			continue
		}
		if l.encoding != encRLE {
			return fmt.Errorf("levels in encoding %d, which is out of use, cannot be read", l.encoding)
		}
		if len(data) < 4 {
			return damaged("a page ends in its levels")
		}
		n := int64(binary.LittleEndian.Uint32(data))
		if n > int64(len(data)-4) {
			return damaged("a page ends in its levels")
		}
		l.runs = hybrid{data: data[4 : 4+n], width: bits.Len(uint(l.max))}
		data = data[4+n:]
	}
	return c.begin(head.field(1).num, head.field(2).num, data)
}

func (c *columnReader) dataPageV2(head item, data []byte, plain int64) error {
	def, rep := head.field(5).num, head.field(6).num
	if def < 0 || rep < 0 || def+rep > int64(len(data)) {
		return damaged("a page ends in its levels")
	}
	c.rep = levels{hybrid{data: data[:rep], width: bits.Len(uint(c.maxRep))}, c.maxRep}
	c.def = levels{hybrid{data: data[rep : rep+def], width: bits.Len(uint(c.maxDef))}, c.maxDef}
	data = data[rep+def:]
	if !head.has(7) || head.field(7).num != 0 {
		var err error
		if data, err = unpack(c.codec, data, plain-def-rep); err != nil {
			return err
		}
	}
	return c.begin(head.field(1).num, head.field(4).num, data)
}

// begin sets up the reading of a page's values.
func (c *columnReader) begin(n, encoding int64, data []byte) (err error) {
	if n < 0 {
		return damaged("a page of %d values", n)
	}
	c.values = n
	c.source, err = c.decoder(encoding, data)
	return err
}
