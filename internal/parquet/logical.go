package parquet

import (
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"time"
	"unicode/utf8"

	"github.com/motifql/motif/internal/value"
)

// logical is what the bytes of a column stand for.
type logical struct {
	kind  logicalKind
	scale int   // of a decimal
	unit  int64 // nanoseconds, of times and timestamps
	utc   bool
}

type logicalKind uint8

const (
	plainValue logicalKind = iota
	unsigned               // of 64 bits
	unsigned32             // held in 32 bits
	decimal
	date
	clock
	timestamp
	uuid
)

const (
	milli = int64(time.Millisecond)
	micro = int64(time.Microsecond)
)

// logicalOf reads the type of a schema element, in the newer form or the older.
func logicalOf(e item) logical {
	if t := e.field(10); e.has(10) {
		switch {
		case t.has(5):
			return logical{kind: decimal, scale: int(t.field(5).field(1).num)}
		case t.has(6):
			return logical{kind: date}
		case t.has(7):
			return logical{kind: clock, unit: unitOf(t.field(7)), utc: t.field(7).field(1).num != 0}
		case t.has(8):
			return logical{kind: timestamp, unit: unitOf(t.field(8)), utc: t.field(8).field(1).num != 0}
		case t.has(10) && t.field(10).field(2).num == 0:
			return logical{kind: unsigned}
		case t.has(14):
			return logical{kind: uuid}
		}
		return logical{}
	}
	if !e.has(6) {
		return logical{}
	}
	switch c := e.field(6).num; c {
	case 5:
		return logical{kind: decimal, scale: int(e.field(7).num)}
	case 6:
		return logical{kind: date}
	case 7, 8:
		return logical{kind: clock, unit: map[int64]int64{7: milli, 8: micro}[c], utc: true}
	case 9, 10:
		return logical{kind: timestamp, unit: map[int64]int64{9: milli, 10: micro}[c], utc: true}
	case 11, 12, 13, convUint64:
		return logical{kind: unsigned}
	}
	return logical{}
}

func unitOf(t item) int64 {
	switch u := t.field(2); {
	case u.has(1):
		return milli
	case u.has(2):
		return micro
	}
	return 1
}

// integer is the value of a column of integers.
func (l logical) integer(n int64) (value.Value, error) {
	switch l.kind {
	case unsigned32:
		return value.OfInt(int64(uint32(n))), nil
	case unsigned:
		if n < 0 {
			return value.Value{}, fmt.Errorf("found the unsigned integer %d, which 64 bits with a sign cannot hold", uint64(n))
		}
	case decimal:
		return value.OfFloat(float64(n) / math.Pow10(l.scale)), nil
	case date:
		return dateOf(n)
	case clock:
		return clockOf(n, l.unit, l.utc)
	case timestamp:
		return timestampOf(n, l.unit, l.utc)
	}
	return value.OfInt(n), nil
}

// bytes is the value of a column of bytes.
func (l logical) bytes(b []byte) (value.Value, error) {
	switch {
	case l.kind == uuid && len(b) == 16:
		h := hex.EncodeToString(b)
		return value.OfString(h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]), nil
	case l.kind == decimal:
		n := new(big.Int).SetBytes(b)
		if len(b) > 0 && b[0]&0x80 != 0 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
		}
		f, _ := new(big.Float).SetInt(n).Float64()
		return value.OfFloat(f / math.Pow10(l.scale)), nil
	case !utf8.Valid(b):
		return value.Value{}, errors.New("found bytes that are not UTF-8 text; leave the column out")
	}
	return value.OfString(string(b)), nil
}

// int96 is the older form of a timestamp: nanoseconds of the day, and the Julian day.
func int96(b []byte) (value.Value, error) {
	nanos, day := int64(binary.LittleEndian.Uint64(b)), int64(binary.LittleEndian.Uint32(b[8:]))
	const epoch = 2440588
	if nanos < 0 || nanos >= 24*int64(time.Hour) {
		return value.Value{}, damaged("a timestamp of %d nanoseconds of a day", nanos)
	}
	t := time.Unix((day-epoch)*86400, nanos).UTC()
	return timeText("localdatetime", t, "2006-01-02T15:04:05.999999999")
}

func timeText(typ string, t time.Time, layout string) (value.Value, error) {
	if t.Year() < 0 || t.Year() > 9999 {
		return value.Value{}, fmt.Errorf("found a date in the year %d", t.Year())
	}
	return value.ParseTemporal(typ, t.Format(layout))
}

func dateOf(days int64) (value.Value, error) {
	return timeText("date", time.Unix(days*86400, 0).UTC(), "2006-01-02")
}

func clockOf(n, unit int64, utc bool) (value.Value, error) {
	if n < 0 || n > 24*int64(time.Hour)/unit {
		return value.Value{}, fmt.Errorf("found a time of %d units of a day", n)
	}
	typ, layout := "localtime", "15:04:05.999999999"
	if utc {
		typ, layout = "time", layout+"Z"
	}
	return timeText(typ, time.Unix(0, n*unit).UTC(), layout)
}

func timestampOf(n, unit int64, utc bool) (value.Value, error) {
	perSecond := int64(time.Second) / unit
	sec, rest := n/perSecond, n%perSecond
	typ, layout := "localdatetime", "2006-01-02T15:04:05.999999999"
	if utc {
		typ, layout = "datetime", layout+"Z"
	}
	return timeText(typ, time.Unix(sec, rest*unit).UTC(), layout)
}
