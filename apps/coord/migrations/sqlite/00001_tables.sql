-- +goose Up

-- Times are Unix milliseconds. What happened in each project, in order: the state is what these fold into.
CREATE TABLE coord_events (
	project TEXT    NOT NULL,
	seq     INTEGER NOT NULL,
	at      INTEGER NOT NULL,
	kind    TEXT    NOT NULL,
	session TEXT    NOT NULL,
	body    BLOB    NOT NULL, -- all of the event, as JSON
	PRIMARY KEY (project, seq)
) WITHOUT ROWID;

-- The state after an event, so that not all have to be read again.
CREATE TABLE coord_projects (
	project  TEXT    NOT NULL PRIMARY KEY,
	seq      INTEGER NOT NULL, -- of that event
	snapshot BLOB    NOT NULL
);

-- +goose Down
DROP TABLE coord_projects;
DROP TABLE coord_events;
