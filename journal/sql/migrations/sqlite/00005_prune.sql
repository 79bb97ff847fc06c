-- +goose Up

-- A scope is looked at for tasks to prune only if its oldest one can be as old as that: none that may be pruned has a
-- status older than prune_at. It is set when the scope is pruned, so that new tasks need not write it.
ALTER TABLE scopes ADD COLUMN prune_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX scopes_by_prune ON scopes (prune_at);
