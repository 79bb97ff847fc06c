-- +goose Up

-- How many tasks a scope has in each state, and each of its contexts, so that a list need not count them. A row with
-- the context '' is of the whole scope. The tasks of a state are counted in blocks by the time of their status: a row
-- counts those from since on, up to the since of the next row. A list of the tasks since some time adds up the blocks
-- after it and counts in one block only. A block that has 2048 tasks is followed by a new one, unless a task in it is as
-- new as the one that comes.
CREATE TABLE task_counts (
	scope   INTEGER NOT NULL,
	context TEXT    NOT NULL,
	state   INTEGER NOT NULL,
	since   INTEGER NOT NULL, -- 0 in the first block
	newest  INTEGER NOT NULL, -- no status_at in the block was ever later
	n       INTEGER NOT NULL, -- never 0
	PRIMARY KEY (scope, context, state, since)
) WITHOUT ROWID;

-- The state comes before the time, so that a list of one state passes no tasks of others. A list of all states merges
-- one range of each.
DROP INDEX tasks_by_time;
DROP INDEX tasks_by_context;
CREATE INDEX tasks_by_state ON tasks (scope, state, status_at, id);
CREATE INDEX tasks_by_context ON tasks (scope, context, state, status_at, id);

INSERT INTO task_counts (scope, context, state, since, newest, n)
	SELECT scope, '', state, iif(block = 0, 0, min(status_at)), max(status_at), count(*) FROM (
		SELECT scope, state, status_at,
			(rank() OVER (PARTITION BY scope, state ORDER BY status_at) - 1) / 2048 AS block FROM tasks)
	GROUP BY scope, state, block;
INSERT INTO task_counts (scope, context, state, since, newest, n)
	SELECT scope, context, state, iif(block = 0, 0, min(status_at)), max(status_at), count(*) FROM (
		SELECT scope, context, state, status_at,
			(rank() OVER (PARTITION BY scope, context, state ORDER BY status_at) - 1) / 2048 AS block FROM tasks)
	GROUP BY scope, context, state, block;

-- Triggers keep the counts, so that nothing that writes tasks can forget them.
-- +goose StatementBegin
CREATE TRIGGER tasks_count_insert AFTER INSERT ON tasks BEGIN
	INSERT INTO task_counts VALUES (new.scope, '', new.state, coalesce((
		SELECT iif(c.n < 2048 OR c.newest >= new.status_at, c.since, new.status_at) FROM task_counts c
		WHERE c.scope = new.scope AND c.context = '' AND c.state = new.state AND c.since <= new.status_at
		ORDER BY c.since DESC LIMIT 1), 0), new.status_at, 1)
		ON CONFLICT DO UPDATE SET n = n + 1, newest = max(newest, excluded.newest);
	INSERT INTO task_counts VALUES (new.scope, new.context, new.state, coalesce((
		SELECT iif(c.n < 2048 OR c.newest >= new.status_at, c.since, new.status_at) FROM task_counts c
		WHERE c.scope = new.scope AND c.context = new.context AND c.state = new.state AND c.since <= new.status_at
		ORDER BY c.since DESC LIMIT 1), 0), new.status_at, 1)
		ON CONFLICT DO UPDATE SET n = n + 1, newest = max(newest, excluded.newest);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tasks_count_delete AFTER DELETE ON tasks BEGIN
	UPDATE task_counts SET n = n - 1 WHERE scope = old.scope AND context = '' AND state = old.state AND since = (
		SELECT max(c.since) FROM task_counts c
		WHERE c.scope = old.scope AND c.context = '' AND c.state = old.state AND c.since <= old.status_at);
	UPDATE task_counts SET n = n - 1 WHERE scope = old.scope AND context = old.context AND state = old.state AND since = (
		SELECT max(c.since) FROM task_counts c
		WHERE c.scope = old.scope AND c.context = old.context AND c.state = old.state AND c.since <= old.status_at);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tasks_count_update AFTER UPDATE OF state, status_at ON tasks
WHEN old.state <> new.state OR old.status_at <> new.status_at BEGIN
	UPDATE task_counts SET n = n - 1 WHERE scope = old.scope AND context = '' AND state = old.state AND since = (
		SELECT max(c.since) FROM task_counts c
		WHERE c.scope = old.scope AND c.context = '' AND c.state = old.state AND c.since <= old.status_at);
	UPDATE task_counts SET n = n - 1 WHERE scope = old.scope AND context = old.context AND state = old.state AND since = (
		SELECT max(c.since) FROM task_counts c
		WHERE c.scope = old.scope AND c.context = old.context AND c.state = old.state AND c.since <= old.status_at);
	INSERT INTO task_counts VALUES (new.scope, '', new.state, coalesce((
		SELECT iif(c.n < 2048 OR c.newest >= new.status_at, c.since, new.status_at) FROM task_counts c
		WHERE c.scope = new.scope AND c.context = '' AND c.state = new.state AND c.since <= new.status_at
		ORDER BY c.since DESC LIMIT 1), 0), new.status_at, 1)
		ON CONFLICT DO UPDATE SET n = n + 1, newest = max(newest, excluded.newest);
	INSERT INTO task_counts VALUES (new.scope, new.context, new.state, coalesce((
		SELECT iif(c.n < 2048 OR c.newest >= new.status_at, c.since, new.status_at) FROM task_counts c
		WHERE c.scope = new.scope AND c.context = new.context AND c.state = new.state AND c.since <= new.status_at
		ORDER BY c.since DESC LIMIT 1), 0), new.status_at, 1)
		ON CONFLICT DO UPDATE SET n = n + 1, newest = max(newest, excluded.newest);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_counts_empty AFTER UPDATE OF n ON task_counts WHEN new.n = 0 BEGIN
	DELETE FROM task_counts WHERE scope = new.scope AND context = new.context AND state = new.state AND since = new.since;
END;
-- +goose StatementEnd
