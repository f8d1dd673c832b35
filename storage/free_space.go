package storage

// Badger writes through memory maps of files with holes, where a full disk is not an error but a signal that ends the
// process. So the space for what Badger is going to write is looked for before. That cannot be exact: other
// programs write too, and quotas are not seen.
const (
	roomStep  = 4 << 20  // bytes that a load writes between two looks
	roomSlack = 24 << 20 // for logs, MANIFEST and the like
	openSlack = 4 << 20

	// commitSlack is for what Badger may do on the way of a commit: write a full memtable as a table and begin a new log.
	commitSlack = memTableSize + 4<<20

	// mergeTables bounds the tables of Badger's first level, which removing old blocks writes anew.
	mergeTables = 16
)

// roomFor sees that the file system has some bytes free.
func (s *Store) roomFor(need uint64, doing, state string) error {
	if s.inMemory() {
		return nil
	}
	free, known := s.freeSpace(s.dir)
	if !known || free >= need {
		return nil
	}
	return &Error{Reason: ErrNoSpace, Path: showPath(s.dir), Do: doSpace,
		What: "no space left: " + mebibytes(free) + " free where " + doing + " needs " + mebibytes(need) + state}
}

// roomToWrite sees that there is room for what Badger will make of so many bytes that a load has written: the tables
// that full memtables become, and the tables that merge those.
func (s *Store) roomToWrite(written uint64) error {
	return s.roomFor(written+written/8+roomStep+roomSlack, "the load", " more; the graph before is unchanged")
}

// roomToOpen sees that there is room to open for writing: new logs, and the tables that logs of a process that was
// killed become.
func (s *Store) roomToOpen() error {
	need := uint64(openSlack)
	for _, e := range logFiles(s.dir, ".mem") {
		if info, err := e.Info(); err == nil {
			need += allocated(info)
		}
	}
	return s.roomFor(need, "opening for writing", "")
}

// roomToDrop sees that there is room to remove old blocks.
func (s *Store) roomToDrop() error {
	return s.roomFor(min(s.head.Load().bytes, mergeTables*memTableSize)*9/8+openSlack, "removing old blocks", "")
}
