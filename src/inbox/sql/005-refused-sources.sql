CREATE TABLE refused_sources (
  repository_id INTEGER NOT NULL,
  head TEXT NOT NULL,
  -- An artifact or an address, the attempt, and the parts of the configuration that say what is read of it
  source TEXT NOT NULL,
  problem TEXT NOT NULL,
  -- The version whose readers refused it: the next one may read it
  version TEXT NOT NULL,
  refused_at INTEGER NOT NULL,
  PRIMARY KEY (repository_id, head, source)
) STRICT;
