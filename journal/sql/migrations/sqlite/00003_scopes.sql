-- +goose Up

-- A scope is removed with its last task while the journal runs, and handles remember the numbers of scopes. With
-- AUTOINCREMENT no number is given twice: one that is out of date finds nothing, and never the tasks of another owner.
CREATE TABLE numbered_scopes (
	id     INTEGER PRIMARY KEY AUTOINCREMENT,
	agent  TEXT NOT NULL,
	tenant TEXT NOT NULL,
	owner  TEXT NOT NULL,
	UNIQUE (agent, tenant, owner)
);
INSERT INTO numbered_scopes (id, agent, tenant, owner)
	SELECT id, agent, tenant, owner FROM scopes WHERE EXISTS (SELECT 1 FROM tasks t WHERE t.scope = scopes.id);
DROP TABLE scopes;
ALTER TABLE numbered_scopes RENAME TO scopes;
