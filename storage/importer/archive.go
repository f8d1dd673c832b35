package importer

import (
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zip"
)

// archives opens files and members of zip archives. It keeps the archives open, with an index of their members, so that a
// load of an archive of many members reads its directory once.
type archives map[string]*zipArchive

type zipArchive struct {
	*zip.ReadCloser
	byName map[string]*zip.File
	names  []string
}

// open is openPath for a load.
func (a archives) open(path string) (io.ReadCloser, int64, error) {
	archive, member := splitZip(path)
	if archive == "" {
		return openFile(path)
	}
	z := a[archive]
	if z == nil {
		var err error
		if z, err = openArchive(archive); err != nil {
			return nil, 0, err
		}
		a[archive] = z
	}
	return z.member(archive, member)
}

func (a archives) close() {
	for _, z := range a {
		z.Close()
	}
}

func openArchive(archive string) (*zipArchive, error) {
	r, err := zip.OpenReader(archive)
	if err != nil {
		return nil, err
	}
	z := &zipArchive{ReadCloser: r, byName: make(map[string]*zip.File, len(r.File))}
	for _, f := range r.File {
		if !strings.HasSuffix(f.Name, "/") {
			z.names = append(z.names, f.Name)
			z.byName[f.Name] = f
		}
	}
	return z, nil
}

// member opens the named member, or the only one if member is "".
func (z *zipArchive) member(archive, member string) (io.ReadCloser, int64, error) {
	if member == "" && len(z.names) == 1 {
		member = z.names[0]
	}
	f := z.byName[member]
	if f == nil {
		return nil, 0, noMember(archive, member, z.names)
	}
	r, err := f.Open()
	return r, int64(f.UncompressedSize64), err
}

// memberReader closes the archive with the member.
type memberReader struct {
	io.ReadCloser
	archive io.Closer
}

func (m *memberReader) Close() error {
	err := m.ReadCloser.Close()
	if closeErr := m.archive.Close(); err == nil {
		err = closeErr
	}
	return err
}

// openMember opens a member that closes its archive with it.
func openMember(archive, member string) (io.ReadCloser, int64, error) {
	z, err := openArchive(archive)
	if err != nil {
		return nil, 0, err
	}
	r, size, err := z.member(archive, member)
	if err != nil {
		z.Close()
		return nil, 0, err
	}
	return &memberReader{r, z}, size, nil
}

func noMember(archive, member string, names []string) error {
	const most = 12
	list := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		list += fmt.Sprintf(" and %d more", len(names)-most)
	}
	if member == "" {
		return fmt.Errorf("the archive holds %s; name one: %s/member (it has %s)", plural(uint64(len(names)), "file", "files"), archive, list)
	}
	return fmt.Errorf("the archive has no member %q; it has %s", member, list)
}
