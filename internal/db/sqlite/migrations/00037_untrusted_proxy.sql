-- Proxies that the operator has not named.

-- +goose Up

-- An address that sent X-Forwarded-For to a server, although it is no trusted proxy. Each start of a server removes all.
CREATE TABLE untrusted_proxy (
	address TEXT PRIMARY KEY,
	time    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
