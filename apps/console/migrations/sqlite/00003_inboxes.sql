-- SPDX-License-Identifier: Apache-2.0
-- +goose Up

-- Where agents post notifications about one task. token is that of the push config.
CREATE TABLE console_inboxes (
    id    TEXT NOT NULL PRIMARY KEY,
    agent TEXT NOT NULL,
    task  TEXT NOT NULL,
    token TEXT NOT NULL
) STRICT;

-- +goose Down
DROP TABLE console_inboxes;
