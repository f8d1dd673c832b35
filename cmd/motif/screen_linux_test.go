package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jedib0t/go-pretty/v6/text"
)

// screen is what a terminal shows, as far as the shell uses one: text, line breaks, moves of the cursor, and wiping. Lines that
// scroll off stay.
type screen struct {
	columns, rows int
	lines         [][]rune // all, the last rows of which are in sight
	top, row, col int      // the first line in sight, and the cursor in it
	wrap          bool     // the next letter goes to the next line
}

func newScreen(columns, rows int) *screen { return &screen{columns: columns, rows: rows} }

// line returns the line under the cursor, as long as the screen is wide. Zero stands for nothing written.
func (s *screen) line() []rune {
	for len(s.lines) <= s.top+s.row {
		s.lines = append(s.lines, make([]rune, s.columns))
	}
	return s.lines[s.top+s.row]
}

func (s *screen) down() {
	if s.row++; s.row == s.rows {
		s.row--
		s.top++
	}
	s.line()
}

var control = regexp.MustCompile(`^\x1b(\[([?>=]?)([0-9;]*)([ -/]*)([@-~])|\][^\x07\x1b]*(\x07|\x1b\\)|[()][0-9A-B]|[ -~])`)

// write shows output.
func (s *screen) write(out string) {
	for out != "" {
		if m := control.FindStringSubmatch(out); m != nil {
			s.escape(m)
			out = out[len(m[0]):]
			continue
		}
		r, n := utf8.DecodeRuneInString(out)
		out = out[n:]
		switch r {
		case '\r':
			s.col, s.wrap = 0, false
		case '\n':
			s.wrap = false
			s.down()
		case '\b':
			s.col, s.wrap = max(0, s.col-1), false
		case '\t':
			s.col = min(s.columns-1, s.col/8*8+8)
		default:
			s.put(r)
		}
	}
}

// put writes a letter at the cursor. The second column of a wide letter holds -1.
func (s *screen) put(r rune) {
	width := text.RuneWidth(r)
	if r < ' ' || width < 1 {
		return
	}
	if s.wrap || s.col+width > s.columns {
		s.col, s.wrap = 0, false
		s.down()
	}
	line := s.line()
	line[s.col] = r
	if width == 2 {
		line[s.col+1] = -1
	}
	if s.col += width; s.col >= s.columns {
		s.col, s.wrap = s.columns-1, true
	}
}

// escape obeys a control sequence. What only changes colours and the like is dropped.
func (s *screen) escape(m []string) {
	if m[1] == "D" {
		s.down()
	}
	if m[5] == "" || m[2] != "" {
		return
	}
	first, second, _ := strings.Cut(m[3], ";")
	n, _ := strconv.Atoi(first)
	k, _ := strconv.Atoi(second)
	line := s.line()
	s.wrap = false
	switch many := max(1, n); m[5] {
	case "A":
		s.row = max(0, s.row-many)
	case "B":
		s.row = min(s.rows-1, s.row+many)
	case "C":
		s.col = min(s.columns-1, s.col+many)
	case "D":
		s.col = max(0, s.col-many)
	case "E":
		s.row, s.col = min(s.rows-1, s.row+many), 0
	case "G":
		s.col = min(s.columns, many) - 1
	case "H":
		s.row, s.col = min(s.rows, many)-1, min(s.columns, max(1, k))-1
	case "K":
		from, to := s.col, s.columns
		if n > 0 {
			from = 0
		}
		if n == 1 {
			to = s.col + 1
		}
		clear(line[from:to])
	case "J":
		from := s.row + 1
		if n == 2 {
			from = 0
		} else {
			clear(line[s.col:])
		}
		for i := s.top + from; i < len(s.lines); i++ {
			clear(s.lines[i])
		}
	}
}

// from returns the lines from a place on, without the empty ones at the end.
func (s *screen) from(at int) string {
	var b strings.Builder
	for _, l := range s.lines[min(at, len(s.lines)):] {
		var line strings.Builder
		for _, r := range l {
			switch r {
			case 0:
				line.WriteByte(' ')
			case -1:
			default:
				line.WriteRune(r)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// screen returns the screen after all output so far.
func (term *terminal) screen(columns int) *screen {
	term.mu.Lock()
	defer term.mu.Unlock()
	s := newScreen(columns, 40)
	s.write(term.seen.String())
	return s
}

// settle waits until no output has come for a while.
func (term *terminal) settle() {
	for before, quiet := -1, 0; quiet < 4; time.Sleep(50 * time.Millisecond) {
		term.mu.Lock()
		n := term.seen.Len()
		term.mu.Unlock()
		if quiet++; n != before {
			before, quiet = n, 0
		}
	}
}

// promptBelow waits until an empty prompt stands below a line, and no more output comes.
func (term *terminal) promptBelow(at, columns int) {
	term.t.Helper()
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); {
		term.settle()
		s := term.screen(columns)
		if here := s.top + s.row; here > at && s.from(here) == "motif>\n" {
			return
		}
	}
	term.t.Fatalf("no prompt comes; the screen shows\n%s", term.screen(columns).from(0))
}

// shows waits for what the screen should show from a line on, and returns what it shows.
func (term *terminal) shows(want string, at, columns int) (shown string) {
	for end := time.Now().Add(10 * time.Second); shown != want && time.Now().Before(end); {
		term.settle()
		shown = term.screen(columns).from(at)
	}
	return shown
}

var (
	timesOnScreen = regexp.MustCompile(`\b\d+(\.\d+)?(µs|ms|s)\b`)
	dataOnScreen  = regexp.MustCompile(`\b\d+(\.\d+)? (KiB|MiB|GiB)\b`)
)

// scene is one step of a file in testdata/screens: a line "=== VERB", what is typed, a line "---", and what the screen shows.
type scene struct{ comment, verb, input, shown string }

func readScenes(t *testing.T, path string) (list []scene) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	comment, rest, _ := strings.Cut("\n"+string(data), "\n=== ")
	for _, part := range strings.Split(rest, "\n=== ") {
		s := scene{comment: strings.TrimPrefix(comment, "\n")}
		s.verb, part, _ = strings.Cut(part, "\n")
		s.input, s.shown, _ = strings.Cut(part, "\n---\n")
		list = append(list, s)
		comment = ""
	}
	return list
}

func writeScenes(t *testing.T, path string, list []scene) {
	t.Helper()
	var b strings.Builder
	for i, s := range list {
		if i == 0 && s.comment != "" {
			b.WriteString(s.comment + "\n")
		}
		fmt.Fprintf(&b, "=== %s\n%s\n---\n%s\n", s.verb, s.input, s.shown)
	}
	if err := os.WriteFile(path, []byte(strings.TrimSuffix(b.String(), "\n")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// TestScreens drives motif in terminals of 60, 80 and 120 columns. The files of testdata/screens have what is typed, and what
// the screen then shows; -rewrite renews them.
func TestScreens(t *testing.T) {
	for _, columns := range []int{60, 80, 120} {
		t.Run(strconv.Itoa(columns), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", "screens", strconv.Itoa(columns))
			play := &player{t: t, columns: columns}
			list := readScenes(t, path)
			for i, s := range list {
				got := play.scene(&s)
				if got != s.shown && !*rewrite {
					t.Errorf("%s: after %s %s the screen shows\n%s\nwant\n%s", path, s.verb, s.input, got, s.shown)
				}
				list[i].shown = got
			}
			if *rewrite {
				writeScenes(t, path, list)
			}
		})
	}
}

// player plays scenes in a terminal.
type player struct {
	t       *testing.T
	columns int
	term    *terminal
}

// scene plays one scene and returns what the screen shows of it.
func (p *player) scene(s *scene) string {
	env := append([]string{"XDG_STATE_HOME=" + p.t.TempDir()}, plainTerminal...)
	if s.verb == "shell" {
		p.term, _ = openTerminalOf(p.t, p.columns, env, strings.Fields(s.input)...)
		p.term.promptBelow(-1, p.columns)
		return mask(p.term.screen(p.columns).from(0))
	}
	before := p.term.screen(p.columns)
	at := before.top + before.row
	switch s.verb {
	case "type": // a line, and Enter
		p.term.send(s.input + "\r")
		p.term.promptBelow(at, p.columns)
		return mask(p.term.screen(p.columns).from(at))
	case "keys": // then Ctrl-C drops the line
		p.term.send(strings.ReplaceAll(s.input, `\t`, "\t"))
		shown := p.term.shows(s.shown, at, p.columns)
		for range 2 { // the first closes the menu
			p.term.send("\x03")
			p.term.settle()
		}
		p.term.promptBelow(-1, p.columns)
		return shown
	}
	p.t.Fatalf("no verb %s", s.verb)
	return ""
}

// mask hides what differs from run to run.
func mask(shown string) string {
	return dataOnScreen.ReplaceAllString(timesOnScreen.ReplaceAllString(shown, "TIME"), "SIZE")
}

// plainTerminal is the environment of a terminal without colours, and without settings of the user.
var plainTerminal = []string{"TERM=xterm", "INPUTRC=/dev/null", "NO_COLOR=1", "COLUMNS="}

// The help breaks its lines itself: none goes to the edge of the terminal.
func TestHelpFitsTerminal(t *testing.T) {
	for _, columns := range []int{60, 80, 120} {
		for _, verb := range []string{"", "load", "query", "shell", "gen rmat", "completion"} {
			term, cmd := openTerminalOf(t, columns, plainTerminal, append(strings.Fields(verb), "--help")...)
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			term.settle()
			s := term.screen(columns)
			if !strings.Contains(s.from(0), "Usage: motif") {
				t.Errorf("%s --help in %d columns shows\n%s", verb, columns, s.from(0))
			}
			for line := range strings.Lines(s.from(0)) {
				if n := text.StringWidth(strings.TrimSuffix(line, "\n")); n >= columns {
					t.Errorf("%s --help: a line of %d columns: %s", verb, n, line)
				}
			}
		}
	}
}
