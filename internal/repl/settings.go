package repl

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/motifql/motif"
)

// setting is a choice that :set makes for the shell itself. Knobs, which choose how queries are matched, are motif's.
type setting struct {
	name, about string
	values      []string // for completion; nil: it takes a number or a time
	get         func(s *Session) string
	put         func(s *Session, value string) error
}

const noLimit = "none"

// settings lists the settings in the order of the help.
func settings() []setting {
	return []setting{
		{"layout", "of tables on a terminal: auto shows rows that are too wide as lines, table cuts them, lines is one line a value", Layouts,
			func(s *Session) string { return cmp.Or(s.Layout, "table") },
			func(s *Session, value string) error {
				if !slices.Contains(Layouts, value) {
					return fmt.Errorf("there is no layout %q: there are %s", value, strings.Join(Layouts, ", "))
				}
				s.Layout = value
				return nil
			}},
		{"rows", "rows of an answer that go to the screen at once, :more shows others; 0 or none: all", []string{noLimit},
			func(s *Session) string { return limitText(int64(s.ScreenRows)) },
			func(s *Session, value string) error {
				n, err := parseLimit("rows", value, 1<<31-1)
				if err == nil {
					s.ScreenRows = int(n)
				}
				return err
			}},
		{"timeout", "time after which a query is stopped, such as 5s or 2m", []string{noLimit},
			func(s *Session) string {
				if s.Timeout == 0 {
					return noLimit
				}
				return s.Timeout.String()
			}, setTimeout},
		{"max-rows", "rows after which a query fails", []string{noLimit},
			func(s *Session) string { return limitText(s.MaxRows) },
			func(s *Session, value string) error {
				n, err := parseLimit("max-rows", value, 1<<63-1)
				if err == nil {
					s.MaxRows = n
				}
				return err
			}},
		{"memory", "memory after which a query fails, such as 64MiB or 2GB", []string{noLimit},
			func(s *Session) string {
				if s.Memory == 0 {
					return noLimit
				}
				return showBytes(s.Memory)
			}, setMemory},
	}
}

// setTimeout takes a duration; a number alone is seconds.
func setTimeout(s *Session, value string) error {
	if value == noLimit || value == "0" {
		s.Timeout = 0
		return nil
	}
	d, err := time.ParseDuration(value)
	if err != nil {
		d, err = time.ParseDuration(value + "s")
	}
	if err != nil || d <= 0 {
		return fmt.Errorf("%q is not a time such as 500ms, 5s or 2m", value)
	}
	s.Timeout = d
	return nil
}

func setMemory(s *Session, value string) error {
	if value == noLimit || value == "0" {
		s.Memory = 0
		return nil
	}
	n, err := ParseBytes(value)
	if err == nil {
		s.Memory = n
	}
	return err
}

// parseLimit reads a number of rows, or none.
func parseLimit(name, value string, most int64) (int64, error) {
	if value == noLimit {
		return 0, nil
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(value, "_", ""), 10, 64)
	if err != nil || n < 0 || n > most {
		return 0, fmt.Errorf("%s is a number, or none; not %q", name, value)
	}
	return n, nil
}

func limitText(n int64) string {
	if n == 0 {
		return noLimit
	}
	return strconv.FormatInt(n, 10)
}

// byteUnits are the units that ParseBytes knows.
var byteUnits = map[string]float64{"": 1, "b": 1, "k": 1 << 10, "kb": 1e3, "kib": 1 << 10, "m": 1 << 20, "mb": 1e6, "mib": 1 << 20,
	"g": 1 << 30, "gb": 1e9, "gib": 1 << 30, "t": 1 << 40, "tb": 1e12, "tib": 1 << 40}

// ParseBytes reads a number of bytes with or without a unit: 64MiB, 1.5GB, 4096.
func ParseBytes(text string) (int64, error) {
	s := strings.TrimSpace(text)
	end := strings.LastIndexAny(s, "0123456789.") + 1
	unit, ok := byteUnits[strings.ToLower(strings.TrimSpace(s[end:]))]
	n, err := strconv.ParseFloat(s[:end], 64)
	if err != nil || !ok || n <= 0 || n*unit >= 1<<63 {
		return 0, fmt.Errorf("%q is not a size such as 64MiB or 2GB", s)
	}
	return int64(n * unit), nil
}

// showBytes writes a number of bytes in the largest unit that needs no fraction.
func showBytes(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n%u.size == 0 {
			return fmt.Sprintf("%d %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// set runs :set [NAME [VALUE]]: it shows all settings and knobs, shows one, or sets one.
func (sh *Shell) set(_ context.Context, arg string) error {
	name, value, given := strings.Cut(strings.Replace(arg, "=", " ", 1), " ")
	value = strings.ReplaceAll(value, " ", "")
	var names []string
	for _, set := range settings() {
		names = append(names, set.name)
		if arg == "" || !given && set.name == name {
			fmt.Fprintf(sh.Out, "%-9s%s\n", set.name, wrap(set.get(&sh.Session)+" ("+set.about+")", 9, widthOfHelp(sh.Out)))
		}
		if given && set.name == name {
			if err := set.put(&sh.Session, value); err != nil {
				return err
			}
			_, err := fmt.Fprintf(sh.Err, "%s is %s\n", name, set.get(&sh.Session))
			return err
		}
	}
	for _, k := range motif.Knobs() {
		names = append(names, k.Name)
		if arg == "" || !given && k.Name == name {
			_, _ = io.WriteString(sh.Out, describeKnob(k, cmp.Or(sh.Knobs[k.Name], defaultOf(k)), !given && arg != "", widthOfHelp(sh.Out)))
		}
	}
	switch {
	case arg != "" && !slices.Contains(names, name):
		return fmt.Errorf("no knob %q%s there are %s", name, DidYouMean(name, names), strings.Join(names, ", "))
	case !given:
		return nil
	}
	if _, err := motif.ParseOption(name, value); err != nil {
		return err
	}
	if sh.Knobs == nil {
		sh.Knobs = make(map[string]string)
	}
	sh.Knobs[name] = value
	_, err := fmt.Fprintf(sh.Err, "%s is %s\n", name, value)
	return err
}

// defaultOf returns the value of a knob that nobody has set.
func defaultOf(k motif.Knob) string {
	if k.Values == nil {
		return "0"
	}
	return k.Values[0]
}

// describeKnob prints a knob, its value and its possible values. With whole set it says what each value does.
func describeKnob(k motif.Knob, value string, whole bool, width int) string {
	text := k.Help
	switch {
	case whole:
	case k.Several:
		text += "; :set " + k.Name + " lists them"
	case k.Values != nil:
		text += ": " + strings.Join(k.Values, ", ")
	}
	text = fmt.Sprintf("%-9s", k.Name) + wrap(value+" ("+text+")", 9, width) + "\n"
	if whole {
		for i, v := range k.Values {
			text += fmt.Sprintf("    %-18s %s\n", v, wrap(k.About[i], 23, width))
		}
	}
	return text
}
