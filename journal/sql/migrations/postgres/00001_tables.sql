-- +goose Up

-- Times are Unix milliseconds, 0 means none. Keys begin with the number of the task's scope. Texts are compared byte by
-- byte, as the page tokens of lists expect.
CREATE TABLE scopes (
	id       BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	agent    TEXT COLLATE "C" NOT NULL,
	tenant   TEXT COLLATE "C" NOT NULL,
	owner    TEXT COLLATE "C" NOT NULL,
	prune_at BIGINT NOT NULL DEFAULT 0, -- no task that may be pruned has a status older than this
	UNIQUE (agent, tenant, owner)
);
CREATE INDEX scopes_by_prune ON scopes (prune_at, id);

-- One small row a task. Its events, its checkpoint and its inputs are elsewhere, so that lists never read them. Room is
-- left in each page, so that most updates stay in it.
CREATE TABLE tasks (
	scope       BIGINT NOT NULL,
	id          TEXT COLLATE "C" NOT NULL,
	context     TEXT COLLATE "C" NOT NULL,
	state       INTEGER NOT NULL,
	status_at   BIGINT NOT NULL,
	seq         BIGINT NOT NULL,
	taken       BIGINT NOT NULL,
	last_input  BIGINT NOT NULL DEFAULT 0,
	holder      TEXT NOT NULL,
	token       BIGINT NOT NULL,
	lease_until BIGINT NOT NULL, -- 0 when nobody holds the task
	since       BIGINT NOT NULL, -- when inputs or an open turn began to wait for a holder
	wake_at     BIGINT NOT NULL,
	ready_at    BIGINT,          -- from when on the task can be claimed; NULL when there is nothing to do
	cursors     BIGINT NOT NULL DEFAULT 0,
	tail        BIGINT NOT NULL, -- bytes of the events after the checkpoint
	base        BIGINT NOT NULL DEFAULT 0, -- bytes of the checkpoint
	create_key  TEXT NOT NULL DEFAULT '',
	head        BYTEA NOT NULL,
	bytes       BIGINT NOT NULL DEFAULT 0, -- of its head, events, checkpoint and waiting inputs
	PRIMARY KEY (scope, id)
) WITH (fillfactor = 70);
CREATE INDEX tasks_by_state ON tasks (scope, state, status_at, id);
CREATE INDEX tasks_by_context ON tasks (scope, context, state, status_at, id);
CREATE INDEX tasks_by_ready ON tasks (ready_at) WHERE ready_at IS NOT NULL;

-- One row a commit: it holds the events up to last_seq.
CREATE TABLE events (
	scope    BIGINT NOT NULL,
	id       TEXT COLLATE "C" NOT NULL,
	last_seq BIGINT NOT NULL,
	body     BYTEA NOT NULL,
	PRIMARY KEY (scope, id, last_seq)
);

CREATE TABLE checkpoints (
	scope BIGINT NOT NULL,
	id    TEXT COLLATE "C" NOT NULL,
	seq   BIGINT NOT NULL,
	body  BYTEA NOT NULL,
	PRIMARY KEY (scope, id)
);

CREATE TABLE inputs (
	scope  BIGINT NOT NULL,
	id     TEXT COLLATE "C" NOT NULL,
	number BIGINT NOT NULL,
	kind   INTEGER NOT NULL,
	body   BYTEA NOT NULL,
	PRIMARY KEY (scope, id, number)
);

CREATE TABLE input_keys (
	scope  BIGINT NOT NULL,
	id     TEXT COLLATE "C" NOT NULL,
	key    TEXT COLLATE "C" NOT NULL,
	number BIGINT NOT NULL,
	PRIMARY KEY (scope, id, key)
);

CREATE TABLE create_keys (
	scope BIGINT NOT NULL,
	key   TEXT COLLATE "C" NOT NULL,
	id    TEXT COLLATE "C" NOT NULL,
	PRIMARY KEY (scope, key)
);

CREATE TABLE task_states (
	scope BIGINT NOT NULL,
	id    TEXT COLLATE "C" NOT NULL,
	state BYTEA NOT NULL,
	PRIMARY KEY (scope, id)
);

CREATE TABLE context_states (
	scope   BIGINT NOT NULL,
	context TEXT COLLATE "C" NOT NULL,
	state   BYTEA NOT NULL,
	PRIMARY KEY (scope, context)
);

CREATE TABLE cursors (
	scope     BIGINT NOT NULL,
	id        TEXT COLLATE "C" NOT NULL,
	name      TEXT COLLATE "C" NOT NULL,
	delivered BIGINT NOT NULL,
	attempts  BIGINT NOT NULL,
	due       BIGINT NOT NULL,
	ready_at  BIGINT, -- when it is due; NULL when there is nothing to deliver
	data      BYTEA,
	PRIMARY KEY (scope, id, name)
);
CREATE INDEX cursors_by_ready ON cursors (ready_at) WHERE ready_at IS NOT NULL;

-- How many tasks a scope has in each state, and each of its contexts, and how many bytes an owner has. Each transaction
-- adds rows to the changes, so that none waits for another one's. Now and then they are added up to sums, by
-- Journal.addUp. A row of counts with the context '' is of the whole scope.
CREATE TABLE changes (
	number  BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	scope   BIGINT NOT NULL,
	context TEXT COLLATE "C" NOT NULL,
	state   INTEGER NOT NULL,
	n       BIGINT NOT NULL,
	owner   TEXT COLLATE "C" NOT NULL,
	bytes   BIGINT NOT NULL
);
CREATE TABLE count_sums (
	scope   BIGINT NOT NULL,
	context TEXT COLLATE "C" NOT NULL,
	state   INTEGER NOT NULL,
	n       BIGINT NOT NULL,
	PRIMARY KEY (scope, context, state)
);
CREATE INDEX count_sums_empty ON count_sums (n) WHERE n = 0;
CREATE TABLE byte_sums (
	owner TEXT COLLATE "C" PRIMARY KEY,
	bytes BIGINT NOT NULL
);
CREATE VIEW task_counts AS
	SELECT scope, context, state, 0::bigint AS since, n FROM count_sums
	UNION ALL SELECT scope, context, state, 0, n FROM changes WHERE n <> 0
	UNION ALL SELECT scope, '', state, 0, n FROM changes WHERE n <> 0;
CREATE VIEW owner_bytes AS
	SELECT owner, sum(bytes) AS bytes FROM (
		SELECT owner, bytes FROM byte_sums UNION ALL SELECT owner, bytes FROM changes) AS parts
	GROUP BY owner;

-- Triggers keep them, so that nothing that writes tasks can forget it.
-- +goose StatementBegin
CREATE FUNCTION note_task() RETURNS trigger AS $$
DECLARE
	who TEXT;
	more BIGINT;
BEGIN
	SELECT owner INTO who FROM scopes WHERE id = coalesce(new.scope, old.scope);
	more := coalesce(new.bytes, 0) - coalesce(old.bytes, 0);
	IF TG_OP = 'UPDATE' AND old.state = new.state THEN
		INSERT INTO changes (scope, context, state, n, owner, bytes)
			VALUES (new.scope, new.context, new.state, 0, who, more);
		RETURN NULL;
	END IF;
	IF TG_OP <> 'INSERT' THEN
		INSERT INTO changes (scope, context, state, n, owner, bytes)
			VALUES (old.scope, old.context, old.state, -1, who, CASE TG_OP WHEN 'DELETE' THEN more ELSE 0 END);
	END IF;
	IF TG_OP <> 'DELETE' THEN
		INSERT INTO changes (scope, context, state, n, owner, bytes)
			VALUES (new.scope, new.context, new.state, 1, who, more);
	END IF;
	RETURN NULL;
END $$ LANGUAGE plpgsql;
-- +goose StatementEnd
CREATE TRIGGER tasks_insert AFTER INSERT ON tasks FOR EACH ROW EXECUTE FUNCTION note_task();
CREATE TRIGGER tasks_update AFTER UPDATE ON tasks FOR EACH ROW
	WHEN (old.state <> new.state OR old.bytes <> new.bytes) EXECUTE FUNCTION note_task();
CREATE TRIGGER tasks_delete AFTER DELETE ON tasks FOR EACH ROW EXECUTE FUNCTION note_task();

-- +goose StatementBegin
CREATE FUNCTION note_state() RETURNS trigger AS $$
BEGIN
	INSERT INTO changes (scope, context, state, n, owner, bytes)
		SELECT id, '', 0, 0, owner, coalesce(length(new.state), 0) - coalesce(length(old.state), 0)
		FROM scopes WHERE id = coalesce(new.scope, old.scope);
	RETURN NULL;
END $$ LANGUAGE plpgsql;
-- +goose StatementEnd
CREATE TRIGGER task_states_change AFTER INSERT OR UPDATE OR DELETE ON task_states FOR EACH ROW
	EXECUTE FUNCTION note_state();
CREATE TRIGGER context_states_change AFTER INSERT OR UPDATE OR DELETE ON context_states FOR EACH ROW
	EXECUTE FUNCTION note_state();

-- +goose StatementBegin
CREATE FUNCTION note_cursor() RETURNS trigger AS $$
BEGIN
	INSERT INTO changes (scope, context, state, n, owner, bytes)
		SELECT id, '', 0, 0, owner, coalesce(octet_length(new.name), 0) + coalesce(length(new.data), 0)
			- coalesce(octet_length(old.name), 0) - coalesce(length(old.data), 0)
		FROM scopes WHERE id = coalesce(new.scope, old.scope);
	RETURN NULL;
END $$ LANGUAGE plpgsql;
-- +goose StatementEnd
CREATE TRIGGER cursors_add AFTER INSERT OR DELETE ON cursors FOR EACH ROW EXECUTE FUNCTION note_cursor();
CREATE TRIGGER cursors_update AFTER UPDATE ON cursors FOR EACH ROW
	WHEN (length(old.data) IS DISTINCT FROM length(new.data)) EXECUTE FUNCTION note_cursor();
