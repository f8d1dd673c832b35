package draw

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// SVG writes the picture as SVG. Text stays text, each element has a tip that viewers show, and the colours follow the viewer's choice
// of light or dark unless Options.Theme sets them.
func (p *Picture) SVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	s := &svgWriter{out: out, theme: p.theme}
	s.head(&p.scene, "")
	s.shapes(p.scene.shapes)
	out.WriteString("</svg>\n")
	return out.Flush()
}

// svgWriter writes SVG. A bufio.Writer keeps its first error for Flush.
type svgWriter struct {
	out   *bufio.Writer
	theme Theme
}

const fonts = `system-ui,-apple-system,'Segoe UI',Roboto,'Noto Sans','DejaVu Sans',sans-serif`

func (s *svgWriter) head(sc *scene, attributes string) {
	w, h := number(sc.width), number(sc.height)
	fmt.Fprintf(s.out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%[1]s" height="%[2]s" role="img" font-family="%s"%s>`+"\n", w, h, fonts, attributes)
	fmt.Fprintf(s.out, "<title>%s</title>\n<style>", escapeXML(sc.title))
	used := map[role]bool{}
	for i := range sc.shapes {
		used[sc.shapes[i].role] = true
	}
	roles := slices.Sorted(maps.Keys(used))
	first := light
	if s.theme == Dark {
		first = dark
	}
	s.out.WriteString("\ntext{text-anchor:middle}.l{text-anchor:start}.m{text-anchor:end}.c,.t{paint-order:stroke;stroke-linejoin:round}path{stroke-linecap:round;stroke-linejoin:round}")
	s.colours(first, roles)
	if s.theme == Auto {
		s.out.WriteString("\n@media(prefers-color-scheme:dark){")
		s.colours(dark, roles)
		s.out.WriteString("}")
	}
	fmt.Fprintf(s.out, "\n</style>\n"+`<rect class="bg" width="%s" height="%s"/>`+"\n", w, h)
}

// colours writes the rules of a theme.
func (s *svgWriter) colours(t theme, roles []role) {
	fmt.Fprintf(s.out, "\n.bg{fill:%s}", t.page)
	for _, r := range roles {
		if r == noRole || r == gapRole {
			continue
		}
		c := t.roles[r]
		line := c.line
		if r == captionRole || r == typeRole {
			line = t.page
		}
		fmt.Fprintf(s.out, ".%s{fill:%s;stroke:%s}", roleNames[r], c.fill, line)
	}
}

func (s *svgWriter) shapes(list []shape) {
	for i := range list {
		s.shape(&list[i])
	}
}

func (s *svgWriter) shape(sh *shape) {
	switch sh.kind {
	case openGroup:
		fmt.Fprintf(s.out, `<g id="%s"><title>%s</title>`, sh.data, escapeXML(sh.text))
	case closeGroup:
		s.out.WriteString("</g>\n")
	case circle:
		fmt.Fprintf(s.out, `<circle class="%s" cx="%s" cy="%s" r="%s"%s/>`, roleNames[sh.role], number(sh.at.x), number(sh.at.y), number(sh.r), s.paint(sh))
	case rect:
		fmt.Fprintf(s.out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s" rx="%s"%s/>`+"\n", roleNames[sh.role], number(sh.at.x), number(sh.at.y), number(sh.w), number(sh.h), number(sh.r), s.paint(sh))
	case path:
		fmt.Fprintf(s.out, `<path class="%s" d="%s"%s/>`, roleNames[sh.role], steps(sh.steps), s.paint(sh))
	case text:
		s.text(sh)
	}
}

// paint returns the attributes of a shape's colour and line.
func (s *svgWriter) paint(sh *shape) string {
	var b strings.Builder
	if sh.fill > 0 {
		fmt.Fprintf(&b, ` style="fill:%s"`, palette[min(sh.fill, len(palette))-1])
	}
	if sh.stroke > 0 {
		fmt.Fprintf(&b, ` stroke-width="%s"`, number(sh.stroke))
	}
	if len(sh.dash) > 0 {
		b.WriteString(` stroke-dasharray="`)
		for i, d := range sh.dash {
			if i > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(number(d))
		}
		b.WriteByte('"')
	}
	return b.String()
}

func (s *svgWriter) text(sh *shape) {
	class := roleNames[sh.role]
	switch sh.anchor {
	case start:
		class += " l"
	case end:
		class += " m"
	}
	fmt.Fprintf(s.out, `<text class="%s" x="%s" y="%s" font-size="%s"`, class, number(sh.at.x), number(sh.at.y), number(sh.size))
	if sh.role == captionRole || sh.role == typeRole {
		fmt.Fprintf(s.out, ` stroke-width="%s"`, number(sh.size*halo))
	}
	if sh.bold {
		s.out.WriteString(` font-weight="600"`)
	}
	if sh.angle != 0 {
		fmt.Fprintf(s.out, ` transform="rotate(%s %s %s)"`, number(sh.angle), number(sh.at.x), number(sh.at.y))
	}
	fmt.Fprintf(s.out, ">%s</text>\n", escapeXML(sh.text))
}

// steps writes a path.
func steps(list []step) string {
	var b strings.Builder
	for i := range list {
		st := &list[i]
		b.WriteByte(st.op)
		for j, p := range st.points() {
			if j > 0 {
				b.WriteByte(' ')
			}
			b.WriteString(number(p.x))
			b.WriteByte(' ')
			b.WriteString(number(p.y))
		}
	}
	return b.String()
}

// number writes a number with at most one decimal.
func number(f float64) string {
	text := strconv.FormatFloat(f, 'f', 1, 64)
	text = strings.TrimSuffix(text, ".0")
	if text == "-0" {
		return "0"
	}
	return text
}

var xmlEscape = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#39;")

// escapeXML writes text for XML and HTML, also in attributes. Characters that XML cannot have are replaced.
func escapeXML(s string) string {
	return xmlEscape.Replace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r >= ' ' && r < 0xd800 && r != 0x7f || r >= 0xe000 && r < 0xfffe || r >= 0x10000 {
			return r
		}
		return 0xfffd
	}, s))
}
