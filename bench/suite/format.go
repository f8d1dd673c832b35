package suite

import (
	"fmt"
	"strconv"
	"time"

	"github.com/motifql/motif/internal/figures"
)

// show prints a duration with three digits; - if there is none.
func show(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return figures.Seconds(d.Seconds())
}

// rate prints a rate with a unit; - if there is none.
func rate(x float64) string {
	if x <= 0 {
		return "-"
	}
	return figures.Quantity(x)
}

// bytesOf prints bytes in binary units.
func bytesOf(n int64) string {
	x, unit := float64(n)/(1<<20), " MiB"
	if x >= 1023.5 {
		x, unit = x/1024, " GiB"
	}
	return figures.Digits(x) + unit
}

// ratio is Motif's best time over another's; - where either is missing or the answer is not right.
func ratio(res *Result, other float64) string {
	if other <= 0 || res.Best() == 0 || res.Status != OK {
		return "-"
	}
	return factor(res.Best().Seconds() / other)
}

// factor prints a ratio with two digits at least.
func factor(x float64) string {
	if x < 0.1 {
		return fmt.Sprintf("%.3f", x)
	}
	return figures.Digits(x)
}

// kuzu is Kùzu's time, or that it took longer.
func (ref Reference) kuzu() string {
	if ref.Over {
		return "> " + figures.Seconds(ref.Kuzu)
	}
	return figures.Seconds(ref.Kuzu)
}

func (ref Reference) kuzuRatio(res *Result) string {
	r := ratio(res, ref.Kuzu)
	if ref.Over && r == "0.000" {
		return "< 0.001"
	}
	if ref.Over && r != "-" {
		return "< " + r
	}
	return r
}

func dash(n uint64) string {
	if n == 0 {
		return "-"
	}
	return number(n)
}

func number(n uint64) string { return strconv.FormatUint(n, 10) }

func precise(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 6, 64) }

// known prints a figure; nothing if there is none.
func known(x float64) string {
	if x == 0 {
		return ""
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}
