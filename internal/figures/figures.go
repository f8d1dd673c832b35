// Package figures prints measured numbers for tables.
package figures

import "fmt"

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
