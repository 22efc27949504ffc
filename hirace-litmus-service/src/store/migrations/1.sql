CREATE TABLE submissions (
    -- AUTOINCREMENT: the number of a removed submission is not reused, so a link leads to one document or to none.
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    received TEXT NOT NULL,
    -- The SHA-256 digest of `side` and the document. A document that is submitted twice is stored once.
    digest   BLOB NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    -- How tests were run, in the terms of the folders of published results.
    side     TEXT NOT NULL,
    file     TEXT NOT NULL,
    device   TEXT NOT NULL,
    vendor   TEXT NOT NULL,
    driver   TEXT NOT NULL,
    -- The summary for lists, as JSON.
    outline  TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
