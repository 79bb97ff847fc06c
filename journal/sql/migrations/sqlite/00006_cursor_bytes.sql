-- +goose Up

-- Cursors count in the bytes of their owner, too: callers make them, and choose what they hold.
INSERT INTO owner_bytes (owner, bytes)
	SELECT s.owner, sum(octet_length(c.name) + coalesce(length(c.data), 0)) FROM cursors c
	JOIN scopes s ON s.id = c.scope WHERE true GROUP BY s.owner
	ON CONFLICT DO UPDATE SET bytes = bytes + excluded.bytes;

-- +goose StatementBegin
CREATE TRIGGER cursors_bytes_insert AFTER INSERT ON cursors BEGIN
	UPDATE owner_bytes SET bytes = bytes + octet_length(new.name) + coalesce(length(new.data), 0)
		WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER cursors_bytes_update AFTER UPDATE OF data ON cursors WHEN length(old.data) IS NOT length(new.data) BEGIN
	UPDATE owner_bytes SET bytes = bytes + coalesce(length(new.data), 0) - coalesce(length(old.data), 0)
		WHERE owner = (SELECT owner FROM scopes WHERE id = new.scope);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER cursors_bytes_delete AFTER DELETE ON cursors BEGIN
	UPDATE owner_bytes SET bytes = bytes - octet_length(old.name) - coalesce(length(old.data), 0)
		WHERE owner = (SELECT owner FROM scopes WHERE id = old.scope);
END;
-- +goose StatementEnd
