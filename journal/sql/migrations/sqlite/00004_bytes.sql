-- +goose Up

-- How many bytes the tasks of an owner take, so that a quota need not add them up. Triggers keep the sum, so that nothing
-- that writes tasks can forget it.
ALTER TABLE tasks ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0; -- of its head, events, checkpoint and waiting inputs
CREATE TABLE owner_bytes (
	owner TEXT PRIMARY KEY,
	bytes INTEGER NOT NULL -- never 0
) WITHOUT ROWID;

UPDATE tasks SET bytes = length(head) + base
	+ coalesce((SELECT sum(length(body)) FROM events e WHERE e.scope = tasks.scope AND e.id = tasks.id), 0)
	+ coalesce((SELECT sum(length(body)) FROM inputs i WHERE i.scope = tasks.scope AND i.id = tasks.id), 0);
INSERT INTO owner_bytes (owner, bytes)
	SELECT s.owner, sum(n) FROM (
		SELECT scope, bytes AS n FROM tasks
		UNION ALL SELECT scope, length(state) FROM task_states
		UNION ALL SELECT scope, length(state) FROM context_states) AS all_bytes
	JOIN scopes s ON s.id = all_bytes.scope GROUP BY s.owner;

-- +goose StatementBegin
CREATE TRIGGER tasks_bytes_insert AFTER INSERT ON tasks BEGIN
	INSERT INTO owner_bytes SELECT owner, new.bytes FROM scopes WHERE id = new.scope
		ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tasks_bytes_update AFTER UPDATE OF bytes ON tasks WHEN old.bytes <> new.bytes BEGIN
	UPDATE owner_bytes SET bytes = bytes + new.bytes - old.bytes
		WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tasks_bytes_delete AFTER DELETE ON tasks BEGIN
	UPDATE owner_bytes SET bytes = bytes - old.bytes WHERE owner = (SELECT owner FROM scopes WHERE id = old.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_states_bytes_insert AFTER INSERT ON task_states BEGIN
	UPDATE owner_bytes SET bytes = bytes + length(new.state) WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_states_bytes_update AFTER UPDATE OF state ON task_states BEGIN
	UPDATE owner_bytes SET bytes = bytes + length(new.state) - length(old.state)
		WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER task_states_bytes_delete AFTER DELETE ON task_states BEGIN
	UPDATE owner_bytes SET bytes = bytes - length(old.state) WHERE owner = (SELECT owner FROM scopes WHERE id = old.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER context_states_bytes_insert AFTER INSERT ON context_states BEGIN
	UPDATE owner_bytes SET bytes = bytes + length(new.state) WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER context_states_bytes_update AFTER UPDATE OF state ON context_states BEGIN
	UPDATE owner_bytes SET bytes = bytes + length(new.state) - length(old.state)
		WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER context_states_bytes_delete AFTER DELETE ON context_states BEGIN
	UPDATE owner_bytes SET bytes = bytes - length(old.state) WHERE owner = (SELECT owner FROM scopes WHERE id = old.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER owner_bytes_empty AFTER UPDATE OF bytes ON owner_bytes WHEN new.bytes = 0 BEGIN
	DELETE FROM owner_bytes WHERE owner = new.owner;
END;
-- +goose StatementEnd
