-- +goose Up

-- Which signature of the last card holds, as JSON; '' if none does.
ALTER TABLE registry_agents ADD COLUMN signature TEXT NOT NULL DEFAULT '';
