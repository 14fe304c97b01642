// Package backup makes backups of a database and restores them. A backup is always one SQLite file, also of a
// PostgreSQL database, so the server can open it. It can be encrypted with age.
//
// Write makes a backup while servers use the database (write.go). Restore stores a backup in a new database
// (restore.go). seal.go encrypts a backup, and unseal.go decrypts it. The commands enlist backup and enlist restore use
// this package.
package backup
