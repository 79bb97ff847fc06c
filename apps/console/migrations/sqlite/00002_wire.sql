-- SPDX-License-Identifier: Apache-2.0
-- +goose Up

-- What passed between the console and its agents, without credentials. exchange joins a request with its answer and
-- the events of that. dir is request, answer, event, end or push; failed is 1 for what did not go well; size is the
-- number of bytes that passed; if cut is 1, body has only the first ones.
CREATE TABLE console_wire (
    seq      INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    exchange INTEGER NOT NULL,
    at       INTEGER NOT NULL,
    dir      TEXT    NOT NULL,
    agent    TEXT    NOT NULL,
    verb     TEXT    NOT NULL,
    url      TEXT    NOT NULL,
    method   TEXT    NOT NULL,
    status   INTEGER NOT NULL,
    code     INTEGER NOT NULL,
    failed   INTEGER NOT NULL,
    about    TEXT    NOT NULL,
    took     INTEGER NOT NULL,
    size     INTEGER NOT NULL,
    cut      INTEGER NOT NULL,
    headers  BLOB    NOT NULL,
    body     BLOB    NOT NULL
) STRICT;

-- +goose Down
DROP TABLE console_wire;
