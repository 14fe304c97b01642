package config

// Help returns the help text of a flag. It is not in the struct tags because most texts are too
// long for a line. cmd/enlist adds the default value and the environment variable.
func Help(flag string) string { return help[flag] }

var help = map[string]string{
	"db": "SQLite file with all data, or postgres://USER@HOST/DATABASE (${default}). " +
		"Every user of this machine can see flags: set a password in ENLIST_DB.",
	"db-writers": "PostgreSQL: number of connections for writes (16).",
	"db-readers": "PostgreSQL: number of connections for reads (two per processor, at least 4).",
	"db-replica": "PostgreSQL: standby server for searches and exports; may be repeated. " +
		"Set a password in ENLIST_DB_REPLICA, with a space between several URLs.",
	"db-replica-lag": "Longest time that a standby may be behind the primary; 0s: a search sees every change " +
		"that was answered before the search started.",

	"listen":       "Address to serve the API on; port 0 takes a free port.",
	"ops-listen":   "Address for metrics and profiles, which must not be public; none turns it off.",
	"max-body":     "Largest request body.",
	"read-timeout": "Longest time a client may take to send a request.",
	"connections":  "Largest number of HTTP connections at once; further ones wait until one closes.",
	"max-calls":    "Largest number of calls of one Account at once; further ones wait in a queue.",
	"call-wait":    "Longest time a call waits in the queue before it is refused.",

	"searches": "Largest number of searches at once that may read every Contact of a List; " +
		"further ones wait in a queue.",
	"search-timeout": "Longest time one of these searches may take.",
	"streams":        "Largest number of streamed replies at once; further ones wait in a queue.",
	"search-wait":    "Longest time a search or a streamed reply waits in the queue before it is refused.",
	"search-indexes": "Largest number of indexes that the server builds by itself for searches, in a SQLite file " +
		"or in each of the 16 partitions on PostgreSQL; 0: none.",
	"stream-timeout": "Longest time a client may take to read a streamed reply.",
	"flush-timeout":  "Longest time a client may stall while it reads a streamed reply.",

	"public-url": "URL of this service for the links in mails; without it, the address of --listen.",
	"smtp": "Mail server: smtp://HOST:PORT, or smtps:// for TLS from the first byte, with USER:PASSWORD@ if it " +
		"requires a login. Every user of this machine can see flags: set a password in ENLIST_SMTP.",
	"mail": "Folder for mails when there is no mail server; without it, a folder beside the database file, " +
		"or enlist-mail.",
	"mail-from":        "Sender of mails for which neither Message nor List names one; required with --smtp.",
	"mail-connections": "Largest number of connections to the mail server at once.",
	"mail-rate":        "Largest number of mails per second; 0: no limit.",
	"bounce-address": "Address for bounces, LOCAL@HOST: mails are sent with the envelope sender LOCAL+TAG@HOST. " +
		"See enlist bounce.",
	"dkim-key":      "Private key in PEM format, RSA or Ed25519, to sign mails with.",
	"dkim-domain":   "Domain of the signature; without it, the domain of --mail-from.",
	"dkim-selector": "Name of the key in the domain's DNS, at NAME._domainkey.",

	"webhook-private": "Allow webhooks to call private, loopback and link-local addresses.",
	"log-level":       "Lowest level that is logged: debug, info, warn or error.",
}
