package filter

import "github.com/motifql/motif/internal/csr"

// SignatureBytes is how many bytes each part of the signatures that have been built takes.
func SignatureBytes(s *csr.Snapshot) (bytes [partKinds]int) {
	g := signaturesOf(s)
	for kind := range partKinds {
		if sig := g.parts[kind].sig.Load(); sig != nil {
			bytes[kind] = 8 * len(*sig)
		}
	}
	return bytes
}
