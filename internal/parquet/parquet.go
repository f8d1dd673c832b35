// Package parquet reads and writes Parquet files of flat columns and lists, such as tables of nodes or relationships. Rows
// of values go in and a file comes out, and back. It depends on nothing but the compressors that Motif carries anyway.
//
// The reader knows the encodings and compressions in use today, but for LZO, LZ4 and Brotli. It names the columns of
// structures, maps and lists of lists that it leaves out. It holds one page of each column in memory. A broken file gives an
// error, never a panic.
package parquet

import "github.com/motifql/motif/internal/value"

// Type is the type of a column's values, or of the elements of a list.
type Type uint8

const (
	Bool   Type = iota
	Int         // 64-bit integer
	Float       // 64-bit float
	String      // UTF-8 text
	JSON        // UTF-8 text in JSON
)

// Column describes a column of a file to be written.
type Column struct {
	Name     string
	Type     Type
	List     bool
	Required bool // every row has a value
}

// Physical types.
const (
	physBool   = 0
	physInt32  = 1
	physInt64  = 2
	physInt96  = 3
	physFloat  = 4
	physDouble = 5
	physBytes  = 6
	physFixed  = 7
)

// Repetition.
const (
	required = 0
	optional = 1
	repeated = 2
)

// Converted types, the older way to say what bytes mean.
const (
	convUTF8   = 0
	convList   = 3
	convJSON   = 19
	convNone   = -1
	convUint64 = 14
)

// Encodings.
const (
	encPlain           = 0
	encPlainDictionary = 2
	encRLE             = 3
	encBitPacked       = 4
	encDelta           = 5
	encDeltaLength     = 6
	encDeltaBytes      = 7
	encDictionary      = 8
	encSplit           = 9
)

// Codecs.
const (
	codecNone   = 0
	codecSnappy = 1
	codecGzip   = 2
	codecZstd   = 6
)

// Kinds of pages.
const (
	pageData       = 0
	pageDictionary = 2
	pageDataV2     = 3
)

const magic = "PAR1"

// Row is one row: a value a column, null where it has none.
type Row = []value.Value
