-- People who may do everything in all Accounts, also in those added later.

-- +goose Up

ALTER TABLE person ADD COLUMN all_accounts BIGINT NOT NULL DEFAULT 0; -- 1: memberships do not count
