package draw

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// ownFonts are Go's fonts, which are part of the program.
var ownFonts = sync.OnceValue(func() [2]*sfnt.Font {
	regular, err := sfnt.Parse(goregular.TTF)
	if err != nil {
		panic(err)
	}
	bold, err := sfnt.Parse(gobold.TTF)
	if err != nil {
		panic(err)
	}
	return [2]*sfnt.Font{regular, bold}
})

// fontSet finds the fonts for characters: the own font, else a font of this machine.
type fontSet struct {
	buffer sfnt.Buffer
	found  map[rune]*sfnt.Font
}

func newFontSet() *fontSet { return &fontSet{found: map[rune]*sfnt.Font{}} }

// glyph returns the font that has a character, and the glyph; a nil font if there is none.
func (f *fontSet) glyph(r rune, bold bool) (*sfnt.Font, sfnt.GlyphIndex) {
	own := ownFonts()[0]
	if bold {
		own = ownFonts()[1]
	}
	if g, err := own.GlyphIndex(&f.buffer, r); err == nil && g != 0 {
		return own, g
	}
	other, ok := f.found[r]
	if !ok {
		other = machineFonts.find(r)
		f.found[r] = other
	}
	if other == nil {
		return nil, 0
	}
	g, _ := other.GlyphIndex(&f.buffer, r)
	return other, g
}

// machineFonts are the fonts of this machine.
var machineFonts fontFolder

// fontFolder opens fonts when they are asked for.
type fontFolder struct {
	mu     sync.Mutex
	listed bool
	files  []string
	open   []*sfnt.Font
	began  time.Time
}

// Limits of the search for fonts.
const (
	mostFonts    = 300
	mostFontSize = 64 << 20
	fontPatience = 2 * time.Second
)

// find returns a font that has a character, or nil.
func (f *fontFolder) find(r rune) *sfnt.Font {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.listed {
		f.listed, f.files, f.began = true, fontFiles(), time.Now()
	}
	var buffer sfnt.Buffer
	has := func(font *sfnt.Font) bool {
		g, err := font.GlyphIndex(&buffer, r)
		return err == nil && g != 0
	}
	for _, font := range f.open {
		if has(font) {
			return font
		}
	}
	for len(f.files) > 0 && time.Since(f.began) < fontPatience {
		name := f.files[0]
		f.files = f.files[1:]
		if font := openFont(name); font != nil {
			if f.open = append(f.open, font); has(font) {
				return font
			}
		}
	}
	return nil
}

// fontFiles lists font files, those first whose names promise many scripts.
func fontFiles() []string {
	home, _ := os.UserHomeDir()
	var first, other []string
	for _, dir := range []string{"/usr/share/fonts", "/usr/local/share/fonts", filepath.Join(home, ".fonts"), filepath.Join(home, ".local/share/fonts"),
		"/System/Library/Fonts", "/Library/Fonts", filepath.Join(home, "Library/Fonts"), `C:\Windows\Fonts`} {
		_ = filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
			lower := strings.ToLower(filepath.Base(name))
			switch ext := filepath.Ext(lower); {
			case err != nil || d.IsDir() || ext != ".ttf" && ext != ".otf" && ext != ".ttc" || strings.Contains(lower, "bold") || strings.Contains(lower, "italic") || strings.Contains(lower, "oblique"):
			case strings.Contains(lower, "cjk"), strings.Contains(lower, "unicode"), lower == "dejavusans.ttf", strings.HasPrefix(lower, "notosans-regular"), strings.HasPrefix(lower, "pingfang"), strings.HasPrefix(lower, "msyh"):
				first = append(first, name)
			default:
				other = append(other, name)
			}
			return nil
		})
	}
	list := append(first, other...)
	return list[:min(len(list), mostFonts)]
}

// openFont reads a font, or returns nil.
func openFont(name string) *sfnt.Font {
	if info, err := os.Stat(name); err != nil || !info.Mode().IsRegular() || info.Size() > mostFontSize {
		return nil
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return nil
	}
	collection, err := sfnt.ParseCollection(data)
	if err != nil || collection.NumFonts() == 0 {
		return nil
	}
	font, err := collection.Font(0)
	if err != nil {
		return nil
	}
	return font
}

// joined are scripts whose letters join, stack, or run from right to left. PNG would show them wrongly.
var joinedScripts = []*unicode.RangeTable{unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Tamil, unicode.Telugu,
	unicode.Gujarati, unicode.Kannada, unicode.Malayalam, unicode.Thai, unicode.Khmer, unicode.Myanmar, unicode.Sinhala, unicode.Tibetan, unicode.Lao}

// missingLetters says which letters a PNG cannot show.
func (p *Picture) missingLetters() (notes []string) {
	fonts := newFontSet()
	missing, joined := map[rune]bool{}, false
	for i := range p.scene.shapes {
		if p.scene.shapes[i].kind != text {
			continue
		}
		for _, r := range p.scene.shapes[i].text {
			joined = joined || unicode.In(r, joinedScripts...)
			if r > '~' && !unicode.In(r, unicode.Mn, unicode.Cf) {
				if font, _ := fonts.glyph(r, false); font == nil {
					missing[r] = true
				}
			}
		}
	}
	if len(missing) > 0 {
		notes = append(notes, fmt.Sprintf("No font of this machine has %s; empty boxes stand for them. SVG and HTML keep all text.", plural(len(missing), "character", "characters")))
	}
	if joined {
		notes = append(notes, "PNG sets each letter for itself, from left to right. SVG and HTML join and order letters as their script asks.")
	}
	return notes
}

// text paints a line of text, with a halo in the colour of the page around captions.
func (r *raster) text(sh *shape, colour, page string) {
	outline, width := r.outline(sh)
	shift := point{sh.at.x, sh.at.y}
	switch sh.anchor {
	case middle:
		shift.x -= width / 2
	case end:
		shift.x -= width
	}
	sin, cos := math.Sincos(sh.angle * math.Pi / 180)
	for _, l := range outline {
		for i := range l {
			q := l[i].plus(shift).minus(sh.at)
			l[i] = point{q.x*cos - q.y*sin, q.x*sin + q.y*cos}.plus(sh.at)
		}
	}
	if sh.role == captionRole || sh.role == typeRole {
		r.line(page, outline, sh.size*halo, nil)
	}
	r.polygon(colour, outline, false)
}

// outline returns the outlines of a line of text that begins at the origin, and its width.
func (r *raster) outline(sh *shape) (lines []polyline, width float64) {
	const units = 64 // sizes go to the font in whole numbers
	scale := sh.size / units
	for _, c := range sh.text {
		font_, g := r.fonts.glyph(c, sh.bold)
		if font_ == nil {
			if unicode.In(c, unicode.Mn, unicode.Cf) {
				continue
			}
			w := sh.size * 0.6
			lines = append(lines, rectLine(&shape{at: point{width + w*0.1, -sh.size * 0.7}, w: w * 0.8, h: sh.size * 0.7}))
			width += w
			continue
		}
		segments, err := font_.LoadGlyph(&r.fonts.buffer, g, fixed.I(units), nil)
		if err == nil {
			lines = append(lines, glyphLines(segments, scale, width)...)
		}
		advance, err := font_.GlyphAdvance(&r.fonts.buffer, g, fixed.I(units), font.HintingNone)
		if err == nil {
			width += float64(advance) / 64 * scale
		}
	}
	return lines, width
}

func glyphLines(segments sfnt.Segments, scale, x float64) []polyline {
	var steps []step
	at := func(p fixed.Point26_6) point {
		return point{float64(p.X)/64*scale + x, float64(p.Y) / 64 * scale}
	}
	for _, s := range segments {
		switch s.Op {
		case sfnt.SegmentOpMoveTo:
			steps = append(steps, moveTo(at(s.Args[0])))
		case sfnt.SegmentOpLineTo:
			steps = append(steps, lineTo(at(s.Args[0])))
		case sfnt.SegmentOpQuadTo:
			steps = append(steps, quadTo(at(s.Args[0]), at(s.Args[1])))
		case sfnt.SegmentOpCubeTo:
			steps = append(steps, cubeTo(at(s.Args[0]), at(s.Args[1]), at(s.Args[2])))
		}
	}
	return flatten(steps)
}
