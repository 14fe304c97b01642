package sqlstore

// generation is how many migrations make one: 1 to 999, 1000 to 1999.
const generation = 1000

// SupportsVersion reports whether a program that knows the migrations up to one number
// can use a database that has those up to another. Newer ones do not disturb it,
// since migrations add to what is there, so that the previous version goes on while
// the next one starts and can be gone back to. The first of a new generation is
// one that it does not understand: it takes something away, or gives it another
// meaning, and comes a version after the last that needs what was.
func SupportsVersion(has, knows int64) bool { return has/generation <= knows/generation }
