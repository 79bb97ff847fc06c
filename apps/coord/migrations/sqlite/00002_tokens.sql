-- +goose Up

-- Who may call, by the SHA-256 of a token that is nowhere else.
CREATE TABLE coord_tokens (
	hash       BLOB    NOT NULL PRIMARY KEY,
	project    TEXT    NOT NULL, -- '' for all
	name       TEXT    NOT NULL,
	role       TEXT    NOT NULL, -- agent, observer or admin
	created_at INTEGER NOT NULL, -- Unix milliseconds
	UNIQUE (project, name)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE coord_tokens;
