// Package figures prints measured numbers for tables.
package figures

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// Seconds prints a time in seconds with three digits and a unit; - if there is none.
func Seconds(s float64) string {
	switch {
	case s <= 0:
		return "-"
	case s < 0.9995e-3:
		return Digits(s*1e6) + " µs"
	case s < 0.9995:
		return Digits(s*1e3) + " ms"
	}
	return Digits(s) + " s"
}

// Digits prints a positive number with three digits, or all of its whole ones.
func Digits(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// Quantity prints a positive number with three digits and a decimal unit.
func Quantity(x float64) string {
	unit := ""
	for _, u := range []string{"k", "M", "G", "T", "P", "E"} {
		if x < 999.5 {
			break
		}
		x, unit = x/1000, u
	}
	return Digits(x) + unit
}

// Count prints a number of things with three digits and a unit, such as 1.2 M.
func Count(n uint64) string {
	f, unit := float64(n), ""
	for _, u := range []string{" k", " M", " G", " T"} {
		if f < 1000 {
			break
		}
		f, unit = f/1000, u
	}
	if unit == "" {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.3g%s", f, unit)
}

// AppendFloat appends f so that it never looks like an integer: "NaN", "Infinity", or a number with a point or an exponent.
func AppendFloat(b []byte, f float64) []byte {
	switch {
	case math.IsNaN(f):
		return append(b, "NaN"...)
	case math.IsInf(f, 1):
		return append(b, "Infinity"...)
	case math.IsInf(f, -1):
		return append(b, "-Infinity"...)
	}
	start := len(b)
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-6 || a >= 1e15) {
		format = 'e'
	}
	b = strconv.AppendFloat(b, f, format, -1, 64)
	if !bytes.ContainsAny(b[start:], ".e") {
		b = append(b, ".0"...)
	}
	return b
}
