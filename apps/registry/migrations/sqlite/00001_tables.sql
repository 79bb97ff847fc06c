-- +goose Up

-- Times are Unix milliseconds, 0 means none. This table is small and written with each check; cards are elsewhere.
CREATE TABLE registry_agents (
	number       INTEGER PRIMARY KEY,
	id           TEXT    NOT NULL UNIQUE,
	alias        TEXT    NOT NULL,
	alias_key    TEXT    NOT NULL UNIQUE, -- the alias in lower case
	identity     TEXT    NOT NULL UNIQUE, -- what makes two registrations the same agent
	url          TEXT    NOT NULL,        -- '' when the card was given
	address      TEXT    NOT NULL,        -- of the first interface, for TCP; '' when it has none
	found_at     TEXT    NOT NULL,        -- the URL of the card itself, of which the next two are
	etag         TEXT    NOT NULL,
	modified     TEXT    NOT NULL,
	card_version INTEGER NOT NULL,
	added_at     INTEGER NOT NULL,
	updated_at   INTEGER NOT NULL,
	health       TEXT    NOT NULL,
	health_since INTEGER NOT NULL,
	checked_at   INTEGER NOT NULL,
	due_at       INTEGER NOT NULL,
	latency      INTEGER NOT NULL,
	failures     INTEGER NOT NULL,
	error        TEXT    NOT NULL
);
CREATE INDEX registry_agents_by_due ON registry_agents (due_at);

-- The cards that an agent has had, as they came.
CREATE TABLE registry_cards (
	agent   INTEGER NOT NULL,
	version INTEGER NOT NULL,
	seen_at INTEGER NOT NULL,
	digest  TEXT    NOT NULL,
	body    BLOB    NOT NULL,
	PRIMARY KEY (agent, version)
);

-- What agents are filtered by, in lower case.
CREATE TABLE registry_facets (
	kind  TEXT    NOT NULL,
	value TEXT    NOT NULL,
	agent INTEGER NOT NULL,
	PRIMARY KEY (kind, value, agent)
) WITHOUT ROWID;
CREATE INDEX registry_facets_by_agent ON registry_facets (agent);

-- What agents are found by; the row is the agent's number. The text itself is in the cards.
CREATE VIRTUAL TABLE registry_text USING fts5 (
	name, skills, tags, description, examples,
	content = '', contentless_delete = 1,
	tokenize = 'porter unicode61 remove_diacritics 2'
);
