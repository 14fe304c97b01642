-- Moving in from another service.

-- +goose Up

-- How far enlist migrate has come: one row for each Account that was moved in.
CREATE TABLE account_move (
	account_id BIGINT PRIMARY KEY,
	source     TEXT COLLATE "C" NOT NULL, -- URL of the service that the Account comes from
	state      TEXT COLLATE "C" NOT NULL -- JSON: the greatest Contact ID that was moved, and for each List how far it was read
);
