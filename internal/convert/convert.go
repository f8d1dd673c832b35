// Package convert carries values between the variables of a program and the engine. Types.Value makes runtime values of parameters
// (value.go). Types.Store puts values of rows into variables and into the fields of structs (store.go), and Types.Columns finds the fields of
// a result's columns (columns.go). Room has the memory of rows' values (room.go).
package convert

import (
	"reflect"
	"sync"

	"github.com/motifql/motif/internal/value"
)

// Types says what package motif knows of the types that it declares. Its functions must not change.
type Types struct {
	// Declared returns the runtime value of a point or of a time. known is false for other types.
	Declared func(x any) (v value.Value, known bool, err error)
	// IsValue reports whether a struct type holds a single value of a query.
	IsValue func(t reflect.Type) bool
	// Properties returns what the fields of a struct take of x: properties by name, and results of functions by tags such as "id()". ok is
	// false for values without properties.
	Properties func(x any) (props, functions map[string]any, ok bool)
	// Time returns the time or the duration x as a value of type to, one of Go's. ok is false if x is none or does not fit.
	Time func(to reflect.Type, x any) (y any, ok bool)
	// Name names the kind of x with its article, such as "an integer".
	Name func(x any) string

	fields sync.Map // of reflect.Type: the []field of a struct
}
