package draw

import (
	"bufio"
	"crypto/sha256"
	_ "embed" // for the page
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
)

//go:embed page.js
var pageScript string

//go:embed page.css
var pageStyle string

// HTML writes a page in one file that asks the network for nothing. One can drag and zoom the picture, step through the rows, and
// see the properties of an element.
func (p *Picture) HTML(w io.Writer) error {
	out := bufio.NewWriter(w)
	hash := sha256.Sum256([]byte(pageScript))
	scheme := map[Theme]string{Auto: "light dark", Light: "light", Dark: "dark"}[p.theme]
	fmt.Fprintf(out, `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>%s</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-%s'">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="%s">
<style>:root{color-scheme:%[3]s}
%s</style></head><body>
`, escapeXML(p.scene.title), base64.StdEncoding.EncodeToString(hash[:]), scheme, pageStyle)
	out.WriteString(`<header><b id="title"></b><span id="steps" hidden><button id="prev" title="previous row (p)">◀</button> <span id="which" aria-live="polite"></span> <button id="next" title="next row (n)">▶</button> <button id="all" title="all rows (Esc)">all</button></span>` +
		`<span class="gap"></span><button id="in" title="larger (+)">+</button><button id="out" title="smaller (-)">−</button><button id="fit" title="whole picture (0)">fit</button></header><main><div id="view" tabindex="0">` + "\n")
	s := &svgWriter{out: out, theme: p.theme}
	s.head(&p.scene, ` id="picture"`)
	s.shapes(p.scene.shapes)
	out.WriteString("</svg></div>\n<aside id=\"side\"><pre id=\"about\" hidden></pre><div id=\"table\"></div></aside></main>\n")
	data, err := json.Marshal(p.pageData())
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "<script type=\"application/json\" id=\"data\">%s</script>\n<script>%s</script></body></html>\n", data, pageScript)
	return out.Flush()
}

// pageData is what the script of the page reads.
type pageData struct {
	Title   string   `json:"title"`
	Columns []string `json:"columns"`
	Rows    [][3]any `json:"rows"` // nodes, relationships, texts
}

func (p *Picture) pageData() pageData {
	d := pageData{Title: p.scene.title, Columns: []string{}, Rows: [][3]any{}}
	for _, name := range p.graph.names {
		d.Columns = append(d.Columns, visible(name))
	}
	for i := range p.graph.rows {
		r := &p.graph.rows[i]
		d.Rows = append(d.Rows, [3]any{r.nodes, r.edges, r.cells})
	}
	return d
}
