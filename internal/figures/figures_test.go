package figures

import "testing"

// Three digits, and the next unit where rounding would give a fourth.
func TestFigures(t *testing.T) {
	for s, want := range map[float64]string{0: "-", 999.4e-6: "999 µs", 999.6e-6: "1.00 ms", 0.0123456: "12.3 ms", 0.9996: "1.00 s", 1234: "1234 s"} {
		if got := Seconds(s); got != want {
			t.Errorf("%v s: %q, want %q", s, got, want)
		}
	}
	for x, want := range map[float64]string{9.994: "9.99", 9.996: "10.0", 99.96: "100", 999.4: "999", 999.6: "1.00k", 2.67e9: "2.67G", 5e20: "500E"} {
		if got := Quantity(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
}
