CREATE TABLE campaigns (
    id           INTEGER PRIMARY KEY,
    name         TEXT NOT NULL UNIQUE,
    created      TEXT NOT NULL,
    open         INTEGER NOT NULL DEFAULT 1,
    tests        INTEGER NOT NULL,
    environments INTEGER NOT NULL,
    -- The time budget of each device, in seconds.
    budget       REAL,
    -- The duration of a lease, in seconds.
    lasts        INTEGER NOT NULL,
    -- The whole campaign as JSON, which may be long.
    announced    TEXT NOT NULL
) STRICT;

-- The devices of a campaign. Each runs the whole campaign.
CREATE TABLE targets (
    id       INTEGER PRIMARY KEY,
    campaign INTEGER NOT NULL REFERENCES campaigns (id) ON DELETE CASCADE,
    name     TEXT NOT NULL,
    vendor   TEXT NOT NULL,
    driver   TEXT NOT NULL,
    -- The operating system and the browser, as a JSON array.
    software TEXT NOT NULL,
    done     INTEGER NOT NULL DEFAULT 0,
    seconds  REAL NOT NULL DEFAULT 0,
    -- The first piece that was never leased.
    next     INTEGER NOT NULL DEFAULT 0,
    UNIQUE (campaign, name, vendor, driver, software)
) STRICT;

CREATE TABLE runs (
    target INTEGER NOT NULL REFERENCES targets (id) ON DELETE CASCADE,
    piece  INTEGER NOT NULL,
    run    TEXT NOT NULL,
    PRIMARY KEY (target, piece)
) STRICT, WITHOUT ROWID;

CREATE TABLE leases (
    lease   TEXT PRIMARY KEY,
    target  INTEGER NOT NULL REFERENCES targets (id) ON DELETE CASCADE,
    began   INTEGER NOT NULL,
    expires INTEGER NOT NULL
) STRICT;

-- Pieces that were leased and are not done. A piece that was given back has no lease.
CREATE TABLE leased (
    target INTEGER NOT NULL REFERENCES targets (id) ON DELETE CASCADE,
    piece  INTEGER NOT NULL,
    lease  TEXT,
    PRIMARY KEY (target, piece)
) STRICT, WITHOUT ROWID;
