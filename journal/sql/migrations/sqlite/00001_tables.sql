-- +goose Up

-- Times are Unix milliseconds, 0 means none. Keys begin with the number of the task's scope.
CREATE TABLE scopes (
	id     INTEGER PRIMARY KEY,
	agent  TEXT NOT NULL,
	tenant TEXT NOT NULL,
	owner  TEXT NOT NULL,
	UNIQUE (agent, tenant, owner)
);

-- One small row a task. Its events, its checkpoint and its inputs are elsewhere, so that lists never read them.
CREATE TABLE tasks (
	scope       INTEGER NOT NULL,
	id          TEXT    NOT NULL,
	context     TEXT    NOT NULL,
	state       INTEGER NOT NULL,
	status_at   INTEGER NOT NULL,
	seq         INTEGER NOT NULL,
	taken       INTEGER NOT NULL,
	last_input  INTEGER NOT NULL DEFAULT 0,
	holder      TEXT    NOT NULL,
	token       INTEGER NOT NULL,
	lease_until INTEGER NOT NULL, -- 0 when nobody holds the task
	since       INTEGER NOT NULL, -- when inputs or an open turn began to wait for a holder
	wake_at     INTEGER NOT NULL,
	ready_at    INTEGER,          -- from when on the task can be claimed; NULL when there is nothing to do
	cursors     INTEGER NOT NULL DEFAULT 0,
	tail        INTEGER NOT NULL, -- bytes of the events after the checkpoint
	base        INTEGER NOT NULL DEFAULT 0, -- bytes of the checkpoint
	create_key  TEXT    NOT NULL DEFAULT '',
	head        BLOB    NOT NULL,
	PRIMARY KEY (scope, id)
) WITHOUT ROWID;
CREATE INDEX tasks_by_time ON tasks (scope, status_at, id, state);
CREATE INDEX tasks_by_context ON tasks (scope, context, status_at, id, state);
CREATE INDEX tasks_by_ready ON tasks (ready_at) WHERE ready_at IS NOT NULL;

-- One row a commit: it holds the events up to last_seq.
CREATE TABLE events (
	scope    INTEGER NOT NULL,
	id       TEXT    NOT NULL,
	last_seq INTEGER NOT NULL,
	body     BLOB    NOT NULL,
	PRIMARY KEY (scope, id, last_seq)
) WITHOUT ROWID;

CREATE TABLE checkpoints (
	scope INTEGER NOT NULL,
	id    TEXT    NOT NULL,
	seq   INTEGER NOT NULL,
	body  BLOB    NOT NULL,
	PRIMARY KEY (scope, id)
) WITHOUT ROWID;

CREATE TABLE inputs (
	scope  INTEGER NOT NULL,
	id     TEXT    NOT NULL,
	number INTEGER NOT NULL,
	kind   INTEGER NOT NULL,
	body   BLOB    NOT NULL,
	PRIMARY KEY (scope, id, number)
) WITHOUT ROWID;

CREATE TABLE input_keys (
	scope  INTEGER NOT NULL,
	id     TEXT    NOT NULL,
	key    TEXT    NOT NULL,
	number INTEGER NOT NULL,
	PRIMARY KEY (scope, id, key)
) WITHOUT ROWID;

CREATE TABLE create_keys (
	scope INTEGER NOT NULL,
	key   TEXT    NOT NULL,
	id    TEXT    NOT NULL,
	PRIMARY KEY (scope, key)
) WITHOUT ROWID;

CREATE TABLE task_states (
	scope INTEGER NOT NULL,
	id    TEXT    NOT NULL,
	state BLOB    NOT NULL,
	PRIMARY KEY (scope, id)
) WITHOUT ROWID;

CREATE TABLE context_states (
	scope   INTEGER NOT NULL,
	context TEXT    NOT NULL,
	state   BLOB    NOT NULL,
	PRIMARY KEY (scope, context)
) WITHOUT ROWID;

CREATE TABLE cursors (
	scope     INTEGER NOT NULL,
	id        TEXT    NOT NULL,
	name      TEXT    NOT NULL,
	delivered INTEGER NOT NULL,
	attempts  INTEGER NOT NULL,
	due       INTEGER NOT NULL,
	ready_at  INTEGER, -- when it is due; NULL when there is nothing to deliver
	data      BLOB,
	PRIMARY KEY (scope, id, name)
) WITHOUT ROWID;
CREATE INDEX cursors_by_ready ON cursors (ready_at) WHERE ready_at IS NOT NULL;
