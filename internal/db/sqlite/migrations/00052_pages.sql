-- Indexes for pages that show the newest entries of the Unsubscriber List, and why people unsubscribe. decisions.md: 136

-- +goose Up

CREATE INDEX unsubscriber_time ON unsubscriber (account_id, time);
CREATE INDEX departure_reason ON departure (list_id, reason);
CREATE INDEX departure_words ON departure (list_id, time, contact_id) WHERE words <> '';
