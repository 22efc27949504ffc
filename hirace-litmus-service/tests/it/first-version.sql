CREATE TABLE submissions (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    received TEXT NOT NULL,
    digest   BLOB NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    side     TEXT NOT NULL,
    file     TEXT NOT NULL,
    device   TEXT NOT NULL,
    vendor   TEXT NOT NULL,
    driver   TEXT NOT NULL,
    outline  TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
INSERT INTO submissions VALUES (
    1, '2026-11-20T10:00:00Z', x'00', 'hirace.litmus/1', 'results', '', 'simulated relaxed', 'hirace', 'none',
    '{"verb":"run","specification":"wgsl","seed":"old","environments":1,"tests":2,"runs":2,"instances":80,"killed":0,"mutants":1,"violations":[]}',
    ''
);
PRAGMA user_version = 1;
