package eval

import (
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// Codes of errors that show while a query runs.
const (
	CodeArgumentType  = "TypeError.InvalidArgumentType"      // an operator got a value of the wrong type
	CodeArgumentValue = "TypeError.InvalidArgumentValue"     // a function got a value of the wrong type
	codeRange         = "ArgumentError.NumberOutOfRange"     // a function got a number out of its range
	codeRangeType     = "ArgumentError.InvalidArgumentType"  // range() got a value of the wrong type
	codeText          = "ArgumentError.InvalidArgumentValue" // a function got text or a map that it cannot read
	CodeMapKey        = "TypeError.MapElementAccessByNonString"
	CodeOverflow      = "ArithmeticError.IntegerOverflow"
	CodeDivision      = "ArithmeticError.DivisionByZero"
	CodeNegative      = "SyntaxError.NegativeIntegerArgument" // for SKIP and LIMIT; openCypher's name
	CodeNotInteger    = "SyntaxError.InvalidArgumentType"
	codeRegexp        = "ArgumentError.InvalidRegularExpression"
	CodeMemory        = "ResourceError.MemoryLimit"
	CodeNesting       = "ResourceError.NestingLimit"
	CodeInternal      = "InternalError.InvalidPlan" // a bug: planner and exec disagree
)

// CodeParameter marks a missing parameter, which shows before the first row.
const CodeParameter = "ParameterMissing.MissingParameter"

// Error is a mistake that shows while a query runs. Pos is zero where no place in the text is to blame.
type Error struct {
	Code string // such as "TypeError.InvalidArgumentType"
	Msg  string
	Hint string // what to do, or ""
	Pos  lang.Pos
	Err  error // pattern.ErrMemory, pattern.ErrOverflow or nil
}

func (e *Error) Error() string { return e.Msg }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

func Errorf(code, format string, args ...any) error {
	return &Error{Code: code, Msg: fmt.Sprintf(format, args...)}
}

// At returns err with the place pos, if err is an Error without a place.
func At(pos lang.Pos, err error) error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) && e.Pos == (lang.Pos{}) {
		e.Pos = pos
	}
	return err
}

// Describe returns the name of v's type with its article.
func Describe(v value.Value) string {
	switch k := v.Kind(); k {
	case value.Temporal:
		return "a " + v.TypeName()
	case value.Null:
		return "null"
	case value.Int:
		return "an " + k.String()
	default:
		return "a " + k.String()
	}
}

func Overflow(op string, args ...any) error {
	return &Error{Code: CodeOverflow, Msg: fmt.Sprintf(op, args...) + " does not fit a 64-bit integer", Err: pattern.ErrOverflow}
}
