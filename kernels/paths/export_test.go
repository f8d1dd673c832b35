package paths

// SetAimFrom makes searches ask for the distance to a given end after so many relationships.
func SetAimFrom(n int) { aimFrom = n }
