-- SPDX-License-Identifier: Apache-2.0
-- +goose Up

-- What the console talks to. The card is the one that was fetched last.
CREATE TABLE console_agents (
    id       TEXT    NOT NULL PRIMARY KEY,
    url      TEXT    NOT NULL UNIQUE,
    card     BLOB    NOT NULL,
    added_at INTEGER NOT NULL,
    seen_at  INTEGER NOT NULL
) STRICT;

-- state is that of the conversation's last task, task its id; both are empty before the first answer.
CREATE TABLE console_conversations (
    id         TEXT    NOT NULL PRIMARY KEY,
    agent      TEXT    NOT NULL,
    title      TEXT    NOT NULL,
    context    TEXT    NOT NULL,
    task       TEXT    NOT NULL,
    state      TEXT    NOT NULL,
    pinned     INTEGER NOT NULL,
    last       INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX console_conversations_by_time ON console_conversations (pinned DESC, updated_at DESC);

-- What was said, in order. kind is said, event or error; body is JSON of A2A 1.0.
CREATE TABLE console_entries (
    conversation TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    at           INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    body         BLOB    NOT NULL,
    PRIMARY KEY (conversation, seq)
) STRICT, WITHOUT ROWID;

-- +goose Down
DROP TABLE console_entries;
DROP TABLE console_conversations;
DROP TABLE console_agents;
