// Package backup makes backups of a database and restores them. A backup is always one SQLite file, also of a
// PostgreSQL database, so the server can open it. It can be encrypted with age.
//
// Write makes a backup while servers use the database (write.go). Restore stores a backup in a new database
// (restore.go). Copy copies a database into a new one (copy.go). Scheduler makes backups regularly (schedule.go) and removes old ones (keep.go). state.go
// decides which process makes the next one. seal.go encrypts a backup, and decrypts it. The commands enlist
// backup, copy, restore and serve use this package.
package backup
