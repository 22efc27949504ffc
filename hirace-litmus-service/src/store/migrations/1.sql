CREATE TABLE submissions (
    -- Of what was removed no number is used anew: links lead to one document or to none.
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    received TEXT NOT NULL,
    -- Of the document as it is kept: what is sent twice is kept once.
    digest   BLOB NOT NULL UNIQUE,
    kind     TEXT NOT NULL,
    -- How tests were run, as folders of published results say it.
    side     TEXT NOT NULL,
    file     TEXT NOT NULL,
    device   TEXT NOT NULL,
    vendor   TEXT NOT NULL,
    driver   TEXT NOT NULL,
    -- What lists say of it, as JSON.
    outline  TEXT NOT NULL,
    document TEXT NOT NULL
) STRICT;
