package eval

import (
	"errors"
	"fmt"

	"github.com/motifql/motif/internal/pattern"
	"github.com/motifql/motif/internal/value"
	"github.com/motifql/motif/lang"
)

// The codes of errors that a query meets while it runs.
const (
	CodeArgumentType  = "TypeError.InvalidArgumentType"      // an operator got a value of a type it is not for
	CodeArgumentValue = "TypeError.InvalidArgumentValue"     // a function did
	codeRange         = "ArgumentError.NumberOutOfRange"     // a function got a number that it is not for
	codeRangeType     = "ArgumentError.InvalidArgumentType"  // range() did, of a type that it is not for
	codeText          = "ArgumentError.InvalidArgumentValue" // a function got a text or map that it cannot read
	CodeMapKey        = "TypeError.MapElementAccessByNonString"
	CodeOverflow      = "ArithmeticError.IntegerOverflow"
	CodeDivision      = "ArithmeticError.DivisionByZero"
	CodeNegative      = "SyntaxError.NegativeIntegerArgument" // SKIP and LIMIT, as openCypher names it
	CodeNotInteger    = "SyntaxError.InvalidArgumentType"
	codeRegexp        = "ArgumentError.InvalidRegularExpression"
	CodeMemory        = "ResourceError.MemoryLimit"
	CodeInternal      = "InternalError.InvalidPlan" // planner and exec disagree: a bug
)

// CodeParameter says that a parameter was not given, which shows before the first row.
const CodeParameter = "ParameterMissing.MissingParameter"

// Error is a mistake that shows when a query runs. Pos is the zero Pos where no place in the text is to blame.
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

// At gives an error of this package the place pos, if it has none yet.
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

// Describe is the name of v's type with its article.
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
