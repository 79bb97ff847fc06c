-- +goose Up

-- Each project has a row from its first event on, also before its first snapshot, which is empty and of event 0 then.
INSERT INTO coord_projects (project, seq, snapshot)
SELECT DISTINCT project, 0, x'' FROM coord_events WHERE true
ON CONFLICT (project) DO NOTHING;

-- +goose Down
DELETE FROM coord_projects WHERE seq = 0;
