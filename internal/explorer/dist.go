package explorer

import (
	"embed"
	"io/fs"
)

// The bundle comes from the TypeScript in web: npm ci --prefix internal/explorer/web fetches what it needs.
//
//go:generate go -C _bundle run .
//go:embed dist
var dist embed.FS

// Dist returns the files of the page.
func Dist() fs.FS {
	files, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // the name is a constant
	}
	return files
}
